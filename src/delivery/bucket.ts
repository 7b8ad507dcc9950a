import { join } from 'node:path'
import { group } from 'd3-array'
import { md5Of, sha256Of } from '../contract/digest.ts'
import { byKey } from '../contract/order.ts'
import { readJson } from '../contract/read-json.ts'
import { TABLES_FILE, tablesIn } from '../contract/tables.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { Checkpoint, digestOfPart, partsOf } from '../tree/checkpoint.ts'
import { CHECKPOINT, LAYOUT, waveOf } from '../tree/layout.ts'
import { folderReader, textAt } from '../tree/reader.ts'
import { inParallel } from '../tree/remote.ts'
import { type ObjectStore, keysOf, objectOf } from './objects.ts'
import { type PublishedFile, bodyOf, documentsAt, rowsIn, tablesAt } from './published-files.ts'

/** Maximum number of concurrent requests. S3 accepts 3,500 writes per second and prefix; a dozen requests saturate a link. */
const PARALLEL = 16

interface Folder {
  readonly root: string
  readonly endpoints: readonly Endpoint[]
}

/**
 * Publishes a tree to a store: uploads each object whose ETag is not the MD5 of what it should hold, documents before those
 * that refer to them, the index last, and then deletes obsolete objects. A store changes object by object. Readers during or
 * after an interrupted publication find every document whole and every path of the old index, some of them already newer;
 * the next publication uploads the rest. Tables are uploaded with the document that lists them. The checkpoint beside the
 * tree is uploaded with it, its pointer last, so that the next run can go on from the bucket. Returns counts of objects, of
 * which a document has one or two, and the uploaded bytes.
 *
 * @throws DeliveryError if the store refuses a request, or the folder does not match its manifest
 */
export async function publishTo(store: ObjectStore, { root, endpoints }: Folder) {
  const files = [...(await documentsAt(root)), ...tablesAt(root), ...(await checkpointFiles(root))]
  const [there, former] = await Promise.all([store.list(), formerFiles(store, root)])
  const objectIn = async (file: PublishedFile) => objectOf(file.path, await bodyOf(root, file))
  const compared = await inParallel(files, PARALLEL, async (file) => {
    const etag = md5Of((await objectIn(file)).body)
    return { file, due: keysOf(file.path, endpoints).filter((key) => there.get(key) !== etag) }
  })
  const changed = compared.filter(({ due }) => due.length > 0)
  const wanted = new Set(files.flatMap(({ path }) => keysOf(path, endpoints)))
  const own = [...former.flatMap((path) => keysOf(path, endpoints)), ...[...there.keys()].filter(isBelowApi)]
  // Without a new checkpoint the one in the store stays: it is the only state there is.
  if (wanted.has(CHECKPOINT.pointer))
    own.push(...[...there.keys()].filter((key) => key.startsWith(`${CHECKPOINT.folder}/`)))
  const gone = [...new Set(own)].filter((key) => there.has(key) && !wanted.has(key))
  let bytes = 0
  let uploaded = 0
  for (const [, wave] of [...group(changed, ({ file }) => waveOf(file.path))].toSorted(byKey))
    // eslint-disable-next-line no-await-in-loop -- what refers to others follows them
    await inParallel(wave, PARALLEL, async ({ file, due }) => {
      const object = await objectIn(file)
      for (const key of due) {
        // eslint-disable-next-line no-await-in-loop -- there are two
        await store.put({ key, ...object })
        uploaded++
        bytes += object.body.byteLength
      }
    })
  await inParallel(gone, PARALLEL, (key) => store.remove(key))
  return { uploaded, unchanged: wanted.size - uploaded, removed: gone.length, bytes }
}

const isBelowApi = (key: string): boolean => key === LAYOUT.api || key.startsWith(`${LAYOUT.api}/`)

/** Returns the files beside the API that the store lists, except the tables that the tree lists but does not have here. */
async function formerFiles(store: ObjectStore, root: string): Promise<string[]> {
  const [manifest, stored] = await Promise.all([store.read(LAYOUT.manifest), store.read(TABLES_FILE)])
  const rows = (await rowsIn(manifest, ({ path }) => store.read(path))) ?? []
  const tables = new Set(tablesIn(textAt(join(root, TABLES_FILE))).rows.map(({ path }) => path))
  return [...rows, ...tablesIn(stored).rows].flatMap(({ path }) => (tables.has(path) ? [] : path))
}

/** Returns the checkpoint beside a tree: its parts, then the pointer that names them; nothing if there is none. */
async function checkpointFiles(root: string): Promise<PublishedFile[]> {
  const text = await folderReader(root)(CHECKPOINT.pointer)
  const pointer = readJson(text, Checkpoint)
  if (text === null || pointer === null) return []
  const parts = partsOf(pointer).map(({ file }) => ({
    path: `${CHECKPOINT.folder}/${file}`,
    sha256: digestOfPart(file),
  }))
  return [...parts, { path: CHECKPOINT.pointer, sha256: sha256Of(text) }]
}
