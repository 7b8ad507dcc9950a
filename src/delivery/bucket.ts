import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { group } from 'd3-array'
import * as z from 'zod'
import { CONTENT_TYPES } from '../core/contract/content-types.ts'
import { md5Of, sha256Of } from '../core/contract/digest.ts'
import { ManifestRow, isPart } from '../core/contract/manifest.ts'
import { byKey } from '../core/contract/order.ts'
import { readJson } from '../core/contract/read-json.ts'
import { LAYOUT, UNLISTED, isDocument, waveOf } from '../core/tree/layout.ts'
import { type TreeReader, folderReader } from '../core/tree/reader.ts'
import { inParallel } from '../core/tree/remote.ts'
import { STATE, TableList } from '../core/tree/tables.ts'
import { encode } from '../service/answers.ts'
import { DOCUMENT_CACHE, RANGED } from '../service/http.ts'
import { DeliveryError } from './delivery-error.ts'
import type { ObjectStore, Stored } from './s3.ts'

/** Smaller answers fit one packet: 1,500 bytes of Ethernet minus the headers. */
const ONE_PACKET = 1400

/** `api/mkt/assets.json` is also `api/mkt/assets`, and a page is also its path. */
export function keysOf(file: string): string[] {
  if (file.endsWith('.html')) {
    const path = file.replace(/(^|\/)index\.html$/, '').replace(/\.html$/, '')
    return path === '' ? [file] : [file, path]
  }
  // A request for each part and its path would double the writes of a small tree: readers take its name from the manifest.
  const isAsked = isDocument(file) && !isPart(file) && !/\/[^/]*=[^/]*$/.test(file)
  return isAsked ? [file, file.slice(0, -'.json'.length)] : [file]
}

type PublishedFile = Pick<ManifestRow, 'path' | 'sha256'>

const Listed = z.object({ rows: z.array(ManifestRow) })

/** Returns every file of a tree: those of the manifest, it and its parts, the index, and the tables of rows. @throws DeliveryError if it is not complete */
export async function filesAt(root: string): Promise<readonly PublishedFile[]> {
  const read = async (file: string): Promise<string> => {
    const text = await folderReader(root)(file)
    if (text !== null) return text
    throw new DeliveryError(`${root} holds no complete tree: ${file} is missing. Run npm run snapshot first.`)
  }
  const rows = await rowsIn(await read(LAYOUT.manifest), read)
  const list = readJson(await read(STATE.list), TableList)
  if (!rows || !list) throw new DeliveryError(`${root} holds a damaged manifest. Run npm run snapshot to rebuild it.`)
  const others = [LAYOUT.manifest, ...UNLISTED]
  const stated = await Promise.all(others.map(async (path) => ({ path, sha256: sha256Of(await read(path)) })))
  return [...rows, ...list.parts, ...stated]
}

async function objectOf(root: string, { path, sha256 }: PublishedFile): Promise<Omit<Stored, 'key'>> {
  const body = await readFile(join(root, path)).catch(() => Buffer.alloc(0))
  if (sha256Of(body) !== sha256)
    throw new DeliveryError(
      `${join(root, path)} does not match the manifest, so the publication stopped. Run npm run snapshot, then publish again.`,
    )
  const type = CONTENT_TYPES[extname(path)] ?? 'application/octet-stream'
  const headers = { 'content-type': type, 'cache-control': DOCUMENT_CACHE }
  // A compressed object has no ranges.
  const isEncoded = body.byteLength > ONE_PACKET && !RANGED.test(path)
  const small = isEncoded ? await encode(body, 'gzip') : body
  // Savings below a tenth are not worth the decompression.
  return small.byteLength < body.byteLength * 0.9
    ? { body: small, headers: { ...headers, 'content-encoding': 'gzip' } }
    : { body, headers }
}

async function rowsIn(text: string | null, read: TreeReader): Promise<readonly ManifestRow[] | null> {
  const manifest = readJson(text, Listed)
  if (manifest === null) return null
  const parts = await Promise.all(
    manifest.rows.map(async ({ path, sha256 }) => {
      const part = await read(path)
      return part !== null && sha256Of(part) === sha256 ? readJson(part, Listed) : null
    }),
  )
  return parts.includes(null) ? null : [...manifest.rows, ...parts.flatMap((part) => part?.rows ?? [])]
}

/** Maximum number of concurrent requests. S3 accepts 3,500 writes per second and prefix; a dozen requests saturate a link. */
const PARALLEL = 16

/**
 * Publishes a tree to a store. Documents precede those that refer to them, and the index is last, so readers find every
 * path of the old index even after an interrupted publication; the next one uploads the rest.
 */
export async function publishTo(store: ObjectStore, root: string) {
  const files = await filesAt(root)
  const [there, manifest] = await Promise.all([store.list(), store.read(LAYOUT.manifest)])
  const former = (await rowsIn(manifest, (path) => store.read(path))) ?? []
  const wanted = new Set(files.flatMap(({ path }) => keysOf(path)))
  const own = [...former.flatMap(({ path }) => keysOf(path)), ...[...there.keys()].filter(isOwn)]
  const gone = [...new Set(own)].filter((key) => there.has(key) && !wanted.has(key))
  let bytes = 0
  let uploaded = 0
  for (const [, wave] of [...group(files, ({ path }) => waveOf(path))].toSorted(byKey))
    // eslint-disable-next-line no-await-in-loop -- what refers to others follows them
    await inParallel(wave, PARALLEL, async (file) => {
      const object = await objectOf(root, file)
      const etag = md5Of(object.body)
      for (const key of keysOf(file.path)) {
        if (there.get(key) === etag) continue
        // eslint-disable-next-line no-await-in-loop -- there are two
        await store.put({ key, ...object })
        uploaded++
        bytes += object.body.byteLength
      }
    })
  await inParallel(gone, PARALLEL, (key) => store.remove(key))
  return { uploaded, unchanged: wanted.size - uploaded, removed: gone.length, bytes }
}

const isOwn = (key: string): boolean =>
  key === LAYOUT.api || key.startsWith(`${LAYOUT.api}/`) || key.startsWith(`${STATE.folder}/`)
