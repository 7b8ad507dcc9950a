import { group } from 'd3-array'
import { md5Of } from '../core/contract/digest.ts'
import { byKey } from '../core/contract/order.ts'
import { LAYOUT, waveOf } from '../core/tree/layout.ts'
import { inParallel } from '../core/tree/remote.ts'
import { STATE } from '../core/tree/tables.ts'
import { type ObjectStore, keysOf, objectOf } from './objects.ts'
import { type PublishedFile, bodyOf, filesAt, rowsIn } from './published-files.ts'

/** Maximum number of concurrent requests. S3 accepts 3,500 writes per second and prefix; a dozen requests saturate a link. */
const PARALLEL = 16

/**
 * Publishes a tree to a store: uploads each object whose ETag is not the MD5 of what it should hold, documents before those
 * that refer to them, the index last, and then deletes obsolete objects. A store changes object by object. Readers during or
 * after an interrupted publication find every document whole and every path of the old index, some of them already newer;
 * the next publication uploads the rest. The tables of rows are uploaded too, so that the next run can extend those of the
 * bucket. Returns counts of objects, of which a document has one or two, and the uploaded bytes.
 *
 * @throws DeliveryError if the store refuses a request, or the folder does not match its manifest
 */
export async function publishTo(store: ObjectStore, root: string) {
  const files = await filesAt(root)
  const [there, former] = await Promise.all([store.list(), formerFiles(store)])
  const objectIn = async (file: PublishedFile) => objectOf(file.path, await bodyOf(root, file))
  const compared = await inParallel(files, PARALLEL, async (file) => {
    const etag = md5Of((await objectIn(file)).body)
    return { file, due: keysOf(file.path).filter((key) => there.get(key) !== etag) }
  })
  const changed = compared.filter(({ due }) => due.length > 0)
  const wanted = new Set(files.flatMap(({ path }) => keysOf(path)))
  const own = [...former.flatMap(keysOf), ...[...there.keys()].filter(isOwn)]
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

const isOwn = (key: string): boolean =>
  key === LAYOUT.api || key.startsWith(`${LAYOUT.api}/`) || key.startsWith(`${STATE.folder}/`)

/** Returns the files that the manifest of a store lists. */
async function formerFiles(store: ObjectStore): Promise<string[]> {
  const rows = (await rowsIn(await store.read(LAYOUT.manifest), (path) => store.read(path))) ?? []
  return rows.map(({ path }) => path)
}
