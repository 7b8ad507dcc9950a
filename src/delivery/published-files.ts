import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { sha256Of } from '../core/contract/digest.ts'
import { ManifestRow } from '../core/contract/manifest.ts'
import { readJson } from '../core/contract/read-json.ts'
import { LAYOUT, UNLISTED } from '../core/tree/layout.ts'
import { folderReader } from '../core/tree/reader.ts'
import { STATE, TableList } from '../core/tree/tables.ts'
import { DeliveryError } from './delivery-error.ts'

/** A file of a tree, with the digest that the tree states. */
export type PublishedFile = Pick<ManifestRow, 'path' | 'sha256'>

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

/** Returns the bytes of a file. @throws DeliveryError if they are not what the tree states */
export async function bodyOf(root: string, { path, sha256 }: PublishedFile): Promise<Buffer> {
  const body = await readFile(join(root, path)).catch(() => Buffer.alloc(0))
  if (sha256Of(body) === sha256) return body
  throw new DeliveryError(
    `${join(root, path)} does not match the manifest, so the publication stopped. Run npm run snapshot, then publish again.`,
  )
}

/** Returns the files that a manifest lists, with its parts; null if it or a part of it is missing or damaged. */
export async function rowsIn(
  text: string | null,
  read: (file: string) => Promise<string | null>,
): Promise<readonly ManifestRow[] | null> {
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
