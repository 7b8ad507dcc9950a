import pLimit from 'p-limit'
import { group } from 'd3-array'
import type { ManifestRow } from '../contract/manifest.ts'
import { cut } from '../contract/text.ts'
import { hashOf } from '../endpoints/compose.ts'
import { type IncomingFiles, incomingFiles } from './incoming-files.ts'
import { LAYOUT, limitVariantOf } from './layout.ts'
import { MOST_DOCUMENT_BYTES, publishedHead } from './published-head.ts'
import type { TreeReader } from './reader.ts'
import { RestoreError } from './restore-error.ts'
import type { Tree } from './tree.ts'

const AT_ONCE = 16
/** Larger files are fetched one at a time, so that {@link AT_ONCE} of them never fill the memory. */
const LARGE_BYTES = 4 * 2 ** 20
/** A site that is published anew while it is read is read again, so many times. */
const ROUNDS = 4
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
 * Restores a whole published tree, file by file, into a folder that has none: every file that is not a `limit` variant
 * of a list is fetched, checked against the manifest, and the manifest against the index. Nothing is published before the
 * last file is there; what was fetched by an attempt that was cut off is not fetched again.
 *
 * @throws RestoreError when the other place does not answer, holds no sound tree, or keeps changing
 */
export async function restore(
  tree: Tree,
  read: TreeReader,
  pause: (ms: number) => Promise<unknown>,
): Promise<Restored> {
  const incoming = incomingFiles(tree.incoming)
  let fetched = 0
  for (let round = 1; round <= ROUNDS; round++) {
    const head = await publishedHead(read)
    if (head === null) throw new RestoreError('damaged', `there is no ${LAYOUT.index}`)
    if (head !== 'changing') {
      const { files, damaged, count } = await take(head.rows, read, incoming)
      fetched += count.fetched
      // A file that is not what the manifest says is damaged, or the manifest is no longer that of the site.
      if (damaged.length === 0 || (await read(LAYOUT.index, MOST_DOCUMENT_BYTES)) === head.index.text) {
        refuseRuin(damaged, head.rows.length)
        const last = [head.collector, head.manifest, head.index]
        for (const file of last) incoming.put(file, file.text)
        tree.adopt([...files, ...last])
        return { ...count, fetched, damaged: damaged.toSorted() }
      }
    }
    await pause(1000 * 2 ** round)
  }
  throw new RestoreError('changing', `its snapshot changed ${ROUNDS} times while it was read`)
}

function refuseRuin(damaged: readonly string[], files: number): void {
  if (damaged.length * 100 <= files * MOST_DAMAGED_PERCENT) return
  throw new RestoreError(
    'damaged',
    `${damaged.length} of ${files} files are missing or differ from the manifest, ${damaged[0]} among them`,
  )
}

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
