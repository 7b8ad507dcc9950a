import { join } from 'node:path'
import * as z from 'zod'
import { group } from 'd3-array'
import { md5Of, sha256Of } from '../contract/digest.ts'
import { byKey } from '../contract/order.ts'
import { LOG } from '../contract/log.ts'
import type { ManifestRow } from '../contract/manifest.ts'
import { readJson } from '../contract/read-json.ts'
import { TABLES_FILE, tablesIn } from '../contract/tables.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { Checkpoint, digestOfPart, partsOf } from '../tree/checkpoint.ts'
import { CHECKPOINT, LAYOUT, UNLISTED, waveOf } from '../tree/layout.ts'
import { bytesAt, filesBelow, folderReader, textAt } from '../tree/reader.ts'
import { inParallel } from '../tree/remote.ts'
import { bodyOf, documentsAt, rowsIn, tablesAt } from './published-files.ts'
import { LAYOUT_DIGEST, type Listed, type ObjectStore, keysOf, objectOf } from './objects.ts'

/** Maximum number of concurrent requests. S3 accepts 3,500 writes per second and prefix; a dozen requests saturate a link. */
const PARALLEL = 16

/** What the log says of the documents. */
const LOG_HEAD: readonly string[] = [LOG.proof, LOG.checkpoint]

/** Stored beside the tree in the bucket: whether the last publication was completed, and its digests. */
const RECORD = '.publication.json'

const DeliveryRecord = z.object({
  state: z.enum(['open', 'done']),
  /** Digest of how every object is stored; of a publication under way, as all were before it. */
  layout: z.string(),
  /** SHA-256 of the documents that the manifest does not list: collector, manifest, index. */
  sha256: z.record(z.string(), z.string()),
})
type DeliveryRecord = z.infer<typeof DeliveryRecord>

interface Folder {
  readonly root: string
  readonly endpoints: readonly Endpoint[]
}

interface Goal {
  readonly key: string
  readonly file: string
  readonly sha256: string
  /** Whether it is a part of the checkpoint or a tile of the log, which are the same under the same name. */
  readonly isPart?: boolean
}

/**
 * Publishes a tree to a store. The manifest in the store tells which documents changed, and only those are uploaded:
 * documents before those that refer to them, the index last. Obsolete objects are deleted after that. A store changes
 * object by object. Readers during or after an interrupted publication find every document whole and every path of the
 * old index, some of them already newer. Tables are uploaded with the document that lists them. The record tells the next publication of the interruption. It then compares the
 * digests of the objects instead of the manifest. The checkpoint beside the tree is uploaded with it, its pointer last,
 * so that the next run can go on from the bucket. Returns counts of objects, of which a document has one or two, the uploaded
 * bytes, and whether it resumed an interrupted publication.
 *
 * @throws DeliveryError if the store refuses a request, or the folder does not match its manifest
 */
export async function publishTo(store: ObjectStore, folder: Folder) {
  const goals = await goalsOf(folder)
  const own = new Map(goals.map(({ file, sha256 }) => [file, sha256]))
  const [there, before, manifest, stored] = await Promise.all([
    store.list(),
    store.read(RECORD),
    store.read(LAYOUT.manifest),
    store.read(TABLES_FILE),
  ])
  const record = readJson(before, DeliveryRecord)
  const readHere = folderReader(folder.root)
  const rows = await rowsIn(manifest, ({ path, sha256 }) =>
    own.get(path) === sha256 ? readHere(path) : store.read(path),
  )
  const known = knownOf(record, manifest, rows, stored)
  const objectFor = async ({ key, file, sha256 }: Goal) =>
    objectOf(key, file, await bodyOf(folder.root, { path: file, sha256 }))

  const due = await inParallel(goals, PARALLEL, async (goal) => {
    const listed = there.get(goal.key)
    if (!listed) return goal
    // Under the name of a part or a tile is never anything else.
    if (goal.isPart) return null
    if (known.by === 'manifest') return known.sha256.get(goal.file) === goal.sha256 ? null : goal
    if (known.by === 'nothing') return goal
    return md5Of((await objectFor(goal)).body) === listed.etag ? null : goal
  })
  const changed = due.filter((goal) => goal !== null)
  const listed = tablesIn(textAt(join(folder.root, TABLES_FILE))).rows.map(({ path }) => path)
  const former = tablesIn(stored).rows.flatMap(({ path }) => (listed.includes(path) ? [] : path))
  const documents = (rows ?? []).flatMap(({ path }) => keysOf(path, folder.endpoints))
  const gone = orphans(there, goals, [...documents, ...former])
  const delivered = {
    uploaded: changed.length,
    unchanged: goals.length - changed.length,
    removed: gone.length,
    resumed: known.by === 'etags',
  }
  if (changed.length + gone.length === 0 && known.by === 'manifest') return { ...delivered, bytes: 0 }

  const layout = known.by === 'nothing' && there.size > 0 ? (record?.layout ?? '') : LAYOUT_DIGEST
  await putRecord(store, { state: 'open', layout, sha256: {} })
  let bytes = 0
  const waves = group(changed, ({ file }) => waveOf(file))
  for (const [, wave] of [...waves].toSorted(byKey))
    await inParallel(wave, PARALLEL, async (goal) => {
      const object = await objectFor(goal)
      await store.put(object)
      bytes += object.body.byteLength
    })
  await inParallel(gone, PARALLEL, (key) => store.remove(key))
  const unlisted = [...UNLISTED, ...LOG_HEAD, CHECKPOINT.pointer]
  const sha256 = Object.fromEntries(
    goals.flatMap(({ file, sha256 }) => (unlisted.includes(file) ? [[file, sha256] as const] : [])),
  )
  await putRecord(store, { state: 'done', layout: LAYOUT_DIGEST, sha256 })
  return { ...delivered, bytes }
}

/** Known content of the store: by its manifest, by the digests of its objects after an interruption, or unknown. */
type Known =
  { readonly by: 'manifest'; readonly sha256: ReadonlyMap<string, string> } | { readonly by: 'etags' | 'nothing' }

function knownOf(
  record: DeliveryRecord | null,
  manifest: string | null,
  rows: readonly ManifestRow[] | null,
  tables: string | null,
): Known {
  if (!record || record.layout !== LAYOUT_DIGEST) return { by: 'nothing' }
  if (record.state === 'open' || manifest === null || !rows || record.sha256[LAYOUT.manifest] !== sha256Of(manifest))
    return { by: 'etags' }
  return {
    by: 'manifest',
    sha256: new Map([
      ...[...rows, ...tablesIn(tables).rows].map(({ path, sha256 }) => [path, sha256] as const),
      ...Object.entries(record.sha256),
    ]),
  }
}

/** Returns the checkpoint beside a tree: its parts, then the pointer that names them; nothing if there is none. */
async function checkpointGoals(root: string): Promise<Goal[]> {
  const text = await folderReader(root)(CHECKPOINT.pointer)
  const pointer = readJson(text, Checkpoint)
  if (text === null || pointer === null) return []
  const parts = partsOf(pointer).map(({ file }) => {
    const path = `${CHECKPOINT.folder}/${file}`
    return { key: path, file: path, sha256: digestOfPart(file), isPart: true }
  })
  return [...parts, { key: CHECKPOINT.pointer, file: CHECKPOINT.pointer, sha256: sha256Of(text) }]
}

/** Returns the target content of the store: one object per key of each file of the tree. Tables that are not here stay there. */
async function goalsOf({ root, endpoints }: Folder): Promise<Goal[]> {
  const documents = (await documentsAt(root)).flatMap(({ path, sha256 }) =>
    keysOf(path, endpoints).map((key) => ({ key, file: path, sha256 })),
  )
  const tables = tablesAt(root).map(({ path, sha256 }) => ({ key: path, file: path, sha256 }))
  return [...documents, ...tables, ...logGoals(root), ...(await checkpointGoals(root))]
}

/** Returns the log of runs beside a tree. Its tiles never change. */
const logGoals = (root: string): Goal[] =>
  filesBelow(root, LOG.folder).flatMap((file) =>
    file === LOG.keys
      ? []
      : [{ key: file, file, sha256: sha256Of(bytesAt(join(root, file)) ?? ''), isPart: !LOG_HEAD.includes(file) }],
  )

/** Returns the keys of obsolete documents: below the API, and beside it those in the store's manifest, `listed`. */
function orphans(there: ReadonlyMap<string, Listed>, goals: readonly Goal[], listed: readonly string[]): string[] {
  const wanted = new Set(goals.map(({ key }) => key))
  const own = new Set([
    ...listed,
    ...[...there.keys()].filter((key) => key.startsWith(`${LOG.folder}/tile/`)),
    ...[...there.keys()].filter((key) => key === LAYOUT.api || key.startsWith(`${LAYOUT.api}/`)),
    // Without a new checkpoint the one in the store stays: it is the only state there is.
    ...(wanted.has(CHECKPOINT.pointer)
      ? [...there.keys()].filter((key) => key.startsWith(`${CHECKPOINT.folder}/`))
      : []),
  ])
  return [...own].filter((key) => there.has(key) && !wanted.has(key))
}

const putRecord = (store: ObjectStore, record: DeliveryRecord): Promise<void> =>
  store.put({
    key: RECORD,
    body: Buffer.from(`${JSON.stringify(record, null, 2)}\n`),
    contentType: 'application/json; charset=utf-8',
    cacheControl: 'no-store',
    contentEncoding: null,
  })
