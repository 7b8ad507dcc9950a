import pLimit from 'p-limit'
import { group } from 'd3-array'
import { sha256Of } from '../contract/digest.ts'
import type { ManifestRow } from '../contract/manifest.ts'
import { limitEntries } from '../contract/text.ts'
import { type IncomingFiles, incomingFiles } from './incoming-files.ts'
import { LAYOUT, limitVariantOf } from './layout.ts'
import { MOST_DOCUMENT_BYTES, publishedHead } from './published-head.ts'
import type { TreeReader } from './reader.ts'
import { inParallel } from './remote.ts'
import { RestoreError } from './tree-error.ts'
import type { Tree } from './tree.ts'

const AT_ONCE = 16
/** Larger files are fetched one at a time, to bound memory. */
const LARGE_BYTES = 4 * 2 ** 20
/** Maximum number of attempts while the site publishes a new snapshot during each. */
const ROUNDS = 4
/** Maximum percentage of missing or damaged files. */
const MOST_DAMAGED_PERCENT = 1

/** The result of a restore, in files. */
export type Restored = Awaited<ReturnType<typeof restore>>

/**
 * Restores a published tree file by file into an empty one. Every file except `limit` variants of lists is fetched and
 * checked against the manifest, and the manifest against the index. Nothing is published before the last file is complete.
 * Resumes an interrupted attempt.
 *
 * @throws RestoreError if the place does not answer, has no consistent tree, or keeps changing
 */
export async function restore(tree: Tree, read: TreeReader, pause: (ms: number) => Promise<unknown>) {
  const incoming = incomingFiles(tree.incoming)
  let fetched = 0
  for (let round = 1; round <= ROUNDS; round++) {
    const head = await publishedHead(read)
    if (head === null) throw new RestoreError('damaged', `there is no ${LAYOUT.index}`)
    if (head !== 'changing') {
      const { files, damaged, count } = await take(head.rows, read, incoming)
      fetched += count.fetched
      // A file that differs from the manifest is damaged, unless the site has published meanwhile.
      if (damaged.length === 0 || (await read(LAYOUT.index, MOST_DOCUMENT_BYTES)) === head.index) {
        refuseRuin(damaged, head.rows.length)
        for (const file of head.covering) incoming.put(file, file.text)
        tree.adopt([...files, ...head.covering])
        return { ...count, fetched, damaged: damaged.toSorted() }
      }
    }
    await pause(1000 * 2 ** round)
  }
  throw new RestoreError('changing', `its snapshot changed ${ROUNDS} times while it was read`)
}

const isRuin = (damaged: readonly string[], files: number): boolean =>
  damaged.length * 100 > files * MOST_DAMAGED_PERCENT

function refuseRuin(damaged: readonly string[], files: number): void {
  if (!isRuin(damaged, files)) return
  throw new RestoreError(
    'damaged',
    `at least ${damaged.length} of ${files} files are missing or differ from the manifest, ${damaged[0]} among them`,
  )
}

interface Taken {
  /** Number of files in the manifest. */
  readonly listed: number
  readonly files: ManifestRow[]
  readonly damaged: string[]
  /** `resumed`: complete from an interrupted attempt. `cut`: `limit` variants, cut from their lists instead of fetched. */
  readonly count: { fetched: number; resumed: number; cut: number }
}

/** Collects every file of the manifest: keeps complete ones, cuts `limit` variants from their lists, and fetches the rest. */
async function take(rows: readonly ManifestRow[], read: TreeReader, incoming: IncomingFiles): Promise<Taken> {
  const { there = [], missing = [] } = Object.fromEntries(
    group(rows, (row) => (incoming.holds(row) ? 'there' : 'missing')),
  )
  const taken: Taken = {
    listed: rows.length,
    files: there,
    damaged: [],
    count: { fetched: 0, resumed: there.length, cut: 0 },
  }
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
  { listed, files, damaged, count }: Taken,
): Promise<void> {
  const alone = pLimit(1)
  const fetchOne = async (row: ManifestRow): Promise<void> => {
    // Nothing is restored then, so no more is fetched.
    if (isRuin(damaged, listed)) return
    const text = await read(row.path, row.bytes)
    if (text === null || sha256Of(text) !== row.sha256) {
      damaged.push(row.path)
      return
    }
    incoming.put(row, text)
    files.push(row)
    count.fetched++
  }
  await inParallel(rows, AT_ONCE, (row) => (row.bytes > LARGE_BYTES ? alone(() => fetchOne(row)) : fetchOne(row)))
}

/** Cuts `limit` variants from their complete lists. Returns those that differ from the manifest and must be fetched. */
function cutAll(
  rows: readonly ManifestRow[],
  incoming: IncomingFiles,
  { files, count }: Taken,
): readonly ManifestRow[] {
  const byList = group(rows, ({ path }) => limitVariantOf(path)?.of ?? '')
  return [...byList].flatMap(([list, own]) => {
    const full = incoming.text(list)
    return own.filter((row) => {
      const text = full === null ? null : limitEntries(full, limitVariantOf(row.path)?.rows ?? 1)
      if (text === null || sha256Of(text) !== row.sha256) return true
      incoming.put(row, text)
      files.push(row)
      count.cut++
      return false
    })
  })
}
