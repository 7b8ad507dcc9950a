import pLimit from 'p-limit'
import * as z from 'zod'
import { group } from 'd3-array'
import { IndexMembers } from '../contract/api-index.ts'
import { ManifestRow } from '../contract/manifest.ts'
import { cut } from '../contract/text.ts'
import { PREFIX } from '../contract/words.ts'
import { hashOf } from '../endpoints/compose.ts'
import type { Elsewhere } from './remote.ts'
import { type IncomingFiles, incomingFiles } from './incoming-files.ts'
import { RestoreError } from './restore-error.ts'
import type { Tree } from './tree.ts'

const API = PREFIX.slice(1)
const INDEX = `${API}.json`
const MANIFEST = `${API}/manifest.json`
const COLLECTOR = `${API}/collector.json`

const AT_ONCE = 16
/** A site that is published anew while it is read is read again, so many times. */
const ROUNDS = 4
const MOST_BYTES = 64 * 2 ** 20
/** Of so many files in a hundred the content may be lost; more is no tree to go on from. */
const MOST_DAMAGED_PERCENT = 1

const Index = z.object({ sha256: IndexMembers.sha256, timestamp: ManifestRow.shape.timestamp })
const Manifest = z.object({ rows: z.array(ManifestRow) })

/** What taking a tree from elsewhere did, in files. */
export interface Restored {
  readonly fetched: number
  /** There from an earlier attempt that was cut off. */
  readonly resumed: number
  /** Cut out of longer ones instead of fetched. */
  readonly cut: number
  /** Not there, or other than the manifest says. What they held is made anew from the sources. */
  readonly damaged: readonly string[]
}

/**
 * Takes a whole published tree from elsewhere into a tree that has none: every file that is not a shorter form of
 * another is fetched, checked against the manifest, and the manifest against the index. Nothing is published before the
 * last file is there; what was fetched by an attempt that was cut off is not fetched again. Null where nothing is
 * published elsewhere.
 *
 * @throws RestoreError when elsewhere does not answer, holds what is no tree, or keeps changing
 */
export async function restore(
  tree: Tree,
  read: Elsewhere,
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
      if (damaged.length === 0 || (await read(INDEX, MOST_BYTES)) === head.index.text) {
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
async function headOf(read: Elsewhere) {
  const index = await read(INDEX, MOST_BYTES)
  if (index === null) return null
  const told = parsed(Index, index, INDEX)
  const [manifest, collector] = await Promise.all([read(MANIFEST, MOST_BYTES), read(COLLECTOR, MOST_BYTES)])
  if (manifest === null || collector === null) return 'changing'
  if (hashOf(manifest) !== told.sha256.manifest || hashOf(collector) !== told.sha256.collector) return 'changing'
  const of = (path: string, text: string) => ({ path, text, sha256: hashOf(text), timestamp: told.timestamp })
  return {
    rows: parsed(Manifest, manifest, MANIFEST).rows,
    index: of(INDEX, index),
    manifest: of(MANIFEST, manifest),
    collector: of(COLLECTOR, collector),
  }
}

function parsed<Schema extends z.ZodType>(schema: Schema, text: string, file: string): z.infer<Schema> {
  try {
    return schema.parse(JSON.parse(text))
  } catch (cause) {
    throw new RestoreError('damaged', `${file} there is not a document of a published tree`, { cause })
  }
}

/** What one reading of the files of a manifest brought. */
interface Taken {
  readonly files: ManifestRow[]
  readonly damaged: string[]
  readonly count: { fetched: number; resumed: number; cut: number }
}

/** Brings every file of the manifest in: what is there stays, what can be cut is cut, the rest is fetched. */
async function take(rows: readonly ManifestRow[], read: Elsewhere, incoming: IncomingFiles): Promise<Taken> {
  const { there = [], missing = [] } = Object.fromEntries(
    group(rows, (row) => (incoming.holds(row) ? 'there' : 'missing')),
  )
  const taken: Taken = { files: there, damaged: [], count: { fetched: 0, resumed: there.length, cut: 0 } }
  const known = new Set(rows.map(({ path }) => path))
  const isShorter = ({ path }: ManifestRow) => known.has(cutOf(path)?.of ?? '')
  const whole = missing.filter((row) => !isShorter(row))
  await fetchAll(whole, read, incoming, taken)
  await fetchAll(cutAll(missing.filter(isShorter), incoming, taken), read, incoming, taken)
  return taken
}

async function fetchAll(
  rows: readonly ManifestRow[],
  read: Elsewhere,
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
  const tasks = rows.map((row) =>
    atOnce(() =>
      fetchOne(row).catch((error: unknown) => {
        failures.push(error)
        // Those that have not begun need not; those that have are waited for, so that nothing goes on after the end.
        atOnce.clearQueue()
      }),
    ),
  )
  await Promise.allSettled(tasks)
  if (failures.length > 0) throw failures[0]
}

/** Makes the shorter forms of files that are there, and gives those that are not what cutting makes. */
function cutAll(
  rows: readonly ManifestRow[],
  incoming: IncomingFiles,
  { files, count }: Taken,
): readonly ManifestRow[] {
  const byLonger = group(rows, ({ path }) => cutOf(path)?.of ?? '')
  return [...byLonger].flatMap(([longer, own]) => {
    const full = incoming.text(longer)
    return own.filter((row) => {
      const text = full === null ? null : cut(full, cutOf(row.path)?.rows ?? 1)
      if (text === null || hashOf(text) !== row.sha256) return true
      incoming.put(row, text)
      files.push(row)
      count.cut++
      return false
    })
  })
}

/** `assets/limit=10.json` -> the first 10 rows of `assets.json` */
function cutOf(path: string): { readonly of: string; readonly rows: number } | null {
  const [, stem, rows] = /^(.+)\/[a-z]+=(\d+)\.json$/.exec(path) ?? []
  return stem === undefined ? null : { of: `${stem}.json`, rows: Number(rows) }
}
