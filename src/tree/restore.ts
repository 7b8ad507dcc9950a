import pLimit from 'p-limit'
import type * as z from 'zod'
import { group } from 'd3-array'
import type { ManifestRow } from '../contract/manifest.ts'
import { readJson } from '../contract/read-json.ts'
import { cut } from '../contract/text.ts'
import { hashOf } from '../endpoints/compose.ts'
import { type IncomingFiles, incomingFiles } from './incoming-files.ts'
import { LAYOUT, limitVariantOf } from './layout.ts'
import { IndexDigests, PublishedManifest } from './published-documents.ts'
import type { TreeReader } from './reader.ts'
import { RestoreError } from './restore-error.ts'
import type { Tree } from './tree.ts'

const AT_ONCE = 16
/** Larger files are fetched one at a time, so that {@link AT_ONCE} of them never fill the memory. */
const LARGE_BYTES = 4 * 2 ** 20
/** A site that is published anew while it is read is read again, so many times. */
const ROUNDS = 4
const MOST_BYTES = 64 * 2 ** 20
/** A tree of a hundred thousand assets is smaller. */
const MOST_TREE_BYTES = 8 * 2 ** 30
/** File systems take names of 255 bytes; some are left for the ends that precompressed files and drafts have. */
const MOST_NAME_BYTES = 240
/** Of so many files in a hundred the content may be lost; more is no tree to go on from. */
const MOST_DAMAGED_PERCENT = 1

/** What taking a tree from elsewhere did, in files. */
export interface Restored {
  readonly fetched: number
  /** There from an earlier attempt that was cut off. */
  readonly resumed: number
  /** `limit` variants, cut from their lists instead of fetched. */
  readonly cut: number
  /** Not there, or other than the manifest says. What they held is made anew from the sources. */
  readonly damaged: readonly string[]
}

/**
 * Restores a whole published tree from another place into a folder that has none: every file that is not a `limit`
 * variant of a list is fetched, checked against the manifest, and the manifest against the index. Nothing is published before the
 * last file is there; what was fetched by an attempt that was cut off is not fetched again. Null where nothing is
 * published there.
 *
 * @throws RestoreError when the other place does not answer, holds no sound tree, or keeps changing
 */
export async function restore(
  tree: Tree,
  read: TreeReader,
  pause: (ms: number) => Promise<unknown>,
): Promise<Restored | null> {
  const incoming = incomingFiles(tree.incoming)
  let fetched = 0
  for (let round = 1; round <= ROUNDS; round++) {
    const head = await headOf(read)
    if (head === null) return null
    if (head !== 'changing') {
      const { files, damaged, count } = await take(head.rows, read, incoming)
      fetched += count.fetched
      // A file that is not what the manifest says is damaged, or the manifest is no longer that of the site.
      if (damaged.length === 0 || (await read(LAYOUT.index, MOST_BYTES)) === head.index.text) {
        refuseRuin(damaged, head.rows.length)
        const last = [head.collector, head.manifest, head.index]
        for (const file of last) incoming.put(file, file.text)
        tree.adopt([...files, ...last])
        return { ...count, fetched, damaged: damaged.toSorted() }
      }
    }
    await pause(1000 * 2 ** round)
  }
  throw new RestoreError(
    'changing',
    `what is published there changed ${ROUNDS} times while it was read: try again later`,
  )
}

function refuseRuin(damaged: readonly string[], files: number): void {
  if (damaged.length * 100 <= files * MOST_DAMAGED_PERCENT) return
  throw new RestoreError(
    'damaged',
    `${damaged.length} of ${files} files there are missing or other than the manifest says, ${damaged[0]} among them: ` +
      'publish that tree again, or start anew without --from',
  )
}

/** The index with the two documents whose digests it holds; `changing` where they are not of one publication. */
async function headOf(read: TreeReader) {
  const index = await read(LAYOUT.index, MOST_BYTES)
  if (index === null) return null
  const told = parsed(IndexDigests, index, LAYOUT.index)
  const [manifest, collector] = await Promise.all([
    read(LAYOUT.manifest, MOST_BYTES),
    read(LAYOUT.collector, MOST_BYTES),
  ])
  if (manifest === null || collector === null) return 'changing'
  if (hashOf(manifest) !== told.sha256.manifest || hashOf(collector) !== told.sha256.collector) return 'changing'
  const of = (path: string, text: string) => ({ path, text, sha256: hashOf(text), timestamp: told.timestamp })
  const { rows } = parsed(PublishedManifest, manifest, LAYOUT.manifest)
  refuseUnfit(rows)
  return {
    rows,
    index: of(LAYOUT.index, index),
    manifest: of(LAYOUT.manifest, manifest),
    collector: of(LAYOUT.collector, collector),
  }
}

function parsed<Schema extends z.ZodType>(schema: Schema, text: string, file: string): z.infer<Schema> {
  const document = readJson(text, schema)
  if (document !== null) return document
  throw new RestoreError(
    'damaged',
    `${file} there is not a document of a published tree: publish that tree again, or start anew without --from`,
  )
}

/** Refuses a manifest that no folder could hold: files of one name, a file in place of a folder, names or files too long. */
function refuseUnfit(rows: readonly ManifestRow[]): void {
  const refuse = (what: string) => {
    throw new RestoreError(
      'damaged',
      `the manifest there lists ${what}: publish that tree again, or start anew without --from`,
    )
  }
  const files = new Set<string>([LAYOUT.index, LAYOUT.manifest, LAYOUT.collector])
  const folders = new Set([...files].flatMap(foldersOf))
  let bytes = 0
  for (const row of rows) {
    const short = row.path.slice(0, 100)
    if (row.path.split('/').some((name) => Buffer.byteLength(name) > MOST_NAME_BYTES))
      refuse(`a name too long, ${short}`)
    // Some file systems take names that differ in case alone for one.
    const path = row.path.toLowerCase()
    if (files.has(path)) refuse(`${short} twice`)
    files.add(path)
    for (const folder of foldersOf(path)) folders.add(folder)
    if (row.bytes > MOST_BYTES) refuse(`${short} with ${row.bytes} bytes, more than the ${MOST_BYTES} a file may have`)
    bytes += row.bytes
  }
  if (bytes > MOST_TREE_BYTES) refuse(`${bytes} bytes, more than the ${MOST_TREE_BYTES} a tree may have`)
  const clash = [...files].find((file) => folders.has(file))
  if (clash !== undefined) refuse(`${clash} as a file and as a folder`)
}

/** `a/b/c.json` -> `a`, `a/b` */
const foldersOf = (path: string): string[] =>
  path
    .split('/')
    .slice(0, -1)
    .map((_, depth, names) => names.slice(0, depth + 1).join('/'))

/** What one reading of the files of a manifest brought. */
interface Taken {
  readonly files: ManifestRow[]
  readonly damaged: string[]
  readonly count: { fetched: number; resumed: number; cut: number }
}

/** Brings every file of the manifest in: what is there stays, what can be cut is cut, the rest is fetched. */
async function take(rows: readonly ManifestRow[], read: TreeReader, incoming: IncomingFiles): Promise<Taken> {
  const { there = [], missing = [] } = Object.fromEntries(
    group(rows, (row) => (incoming.holds(row) ? 'there' : 'missing')),
  )
  const taken: Taken = { files: there, damaged: [], count: { fetched: 0, resumed: there.length, cut: 0 } }
  const known = new Set(rows.map(({ path }) => path))
  const isVariant = ({ path }: ManifestRow) => known.has(limitVariantOf(path)?.of ?? '')
  await fetchAll(
    missing.filter((row) => !isVariant(row)),
    read,
    incoming,
    taken,
  )
  await fetchAll(cutAll(missing.filter(isVariant), incoming, taken), read, incoming, taken)
  return taken
}

async function fetchAll(
  rows: readonly ManifestRow[],
  read: TreeReader,
  incoming: IncomingFiles,
  { files, damaged, count }: Taken,
): Promise<void> {
  const atOnce = pLimit({ concurrency: AT_ONCE, rejectOnClear: true })
  const failures: unknown[] = []
  const fetchOne = async (row: ManifestRow): Promise<void> => {
    const text = await read(row.path, row.bytes)
    if (text === null || hashOf(text) !== row.sha256) {
      damaged.push(row.path)
      return
    }
    incoming.put(row, text)
    files.push(row)
    count.fetched++
  }
  const alone = pLimit(1)
  const tasks = rows.map((row) =>
    atOnce(() =>
      (row.bytes > LARGE_BYTES ? alone(() => fetchOne(row)) : fetchOne(row)).catch((error: unknown) => {
        failures.push(error)
        // Those that have not begun need not; those that have are waited for, so that nothing goes on after the end.
        atOnce.clearQueue()
      }),
    ),
  )
  await Promise.allSettled(tasks)
  if (failures.length > 0) throw failures[0]
}

/** Cuts the `limit` variants of lists that are there, and returns those that differ from what cutting gives. */
function cutAll(
  rows: readonly ManifestRow[],
  incoming: IncomingFiles,
  { files, count }: Taken,
): readonly ManifestRow[] {
  const byList = group(rows, ({ path }) => limitVariantOf(path)?.of ?? '')
  return [...byList].flatMap(([list, own]) => {
    const full = incoming.text(list)
    return own.filter((row) => {
      const text = full === null ? null : cut(full, limitVariantOf(row.path)?.rows ?? 1)
      if (text === null || hashOf(text) !== row.sha256) return true
      incoming.put(row, text)
      files.push(row)
      count.cut++
      return false
    })
  })
}
