import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { group } from 'd3-array'
import { sha256Of } from '../contract/digest.ts'
import { shardOf } from '../contract/blocks.ts'
import { closesDay } from '../contract/closes.ts'
import { isPart } from '../contract/manifest-parts.ts'
import { dailySlug } from '../contract/daily.ts'
import { readJson } from '../contract/read-json.ts'
import { STATE_VERSION } from '../contract/words.ts'
import { FILLING } from '../history/closes.ts'
import { Checkpoint, type CheckpointMonth, type CheckpointParts, PART_BYTES, partsOf } from './checkpoint.ts'
import { makeFolders, syncFiles } from './folders.ts'
import { CHECKPOINT, LAYOUT, UNLISTED, limitVariantOf } from './layout.ts'
import { PublishedIndex } from './published-documents.ts'
import { statsAt, textAt } from './reader.ts'
import { TreeError } from './tree-error.ts'
import type { Tree } from './tree.ts'
import { ZipFile, type ZipText, deflate, grouped } from './write-zip.ts'
import { DAY_MS, dayOf } from '../contract/time.ts'

const DRAFT = '.part.new'

const Index = PublishedIndex.pick({ snapshotId: true, generatedAt: true })

/**
 * Writes the checkpoint of a published tree beside its documents and deletes the previous one. The document that names the
 * parts is renamed into place after every part is flushed, so it never names a missing one. Equal trees give equal bytes.
 *
 * @throws TreeError `not_writable`; the documents stay published
 */
export function writeCheckpoint(tree: Tree): Checkpoint {
  const index = readJson(tree.read(LAYOUT.index), Index)
  if (index === null) throw new TreeError('not_writable', `${tree.root} has no index. Run npm run snapshot again.`)
  try {
    makeFolders(tree.root, [CHECKPOINT.pointer])
    const path = join(tree.root, CHECKPOINT.pointer)
    const past = lastingParts(tree.files)
    const months = writeMonths(tree, past, readJson(textAt(path), Checkpoint)?.months ?? [])
    const parts = writeParts(tree.root, entriesOf(tree, new Set([...past.values()].flat())))
    const bytes = partsOf({ parts, months }).reduce((sum, part) => sum + part.bytes, 0)
    const checkpoint = {
      stateVersion: STATE_VERSION,
      generatedAt: index.generatedAt,
      snapshotId: index.snapshotId,
      bytes,
      parts,
      months,
    }
    writeFileSync(`${path}.new`, `${JSON.stringify(checkpoint, null, 1)}\n`)
    renameSync(`${path}.new`, path)
    deleteOthers(tree.root, checkpoint)
    return checkpoint
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new TreeError(
      'not_writable',
      `${tree.root} is published, but its checkpoint could not be written: ${why}. Correct that and run again.`,
      { cause },
    )
  }
}

/** Writes the parts of months, or keeps those in the folder that have the same documents. */
function writeMonths(
  tree: Tree,
  past: ReadonlyMap<string, readonly string[]>,
  before: readonly CheckpointMonth[],
): CheckpointMonth[] {
  return [...past].map(([month, files]) => {
    const rows = files.flatMap((path) => tree.last(path)?.row() ?? [])
    const documents = sha256Of(rows.map(({ path, sha256 }) => `${sha256} ${path}\n`).join(''))
    const standing = before.find((one) => one.month === month && one.documents === documents)
    const isHere = ({ file, bytes }: CheckpointParts[number]) =>
      statsAt(join(tree.root, CHECKPOINT.folder, file))?.size === bytes
    if (standing?.parts.every(isHere)) return standing
    return { month, documents, parts: writeParts(tree.root, grouped(textsOf(tree, files))) }
  })
}

/** Number of parts that the daily bars are in: a run writes those of few listings. */
const DAILY_SHARDS = 32

/** Returns the files that seldom change, by part: closes of each month that no run fills any more, and daily bars by shard. */
function lastingParts(files: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const newest = files
    .flatMap((file) => closesDay(file) ?? [])
    .toSorted()
    .at(-1)
  const filled = newest === undefined ? '' : dayOf(Date.parse(newest) - FILLING.recent_days * DAY_MS - 1)
  const partOf = (file: string): string | null => {
    const month = closesDay(file)?.slice(0, 7)
    if (month !== undefined) return month < filled.slice(0, 7) ? month : null
    return dailySlug(file) === null ? null : `daily-${String(shardOf(file, DAILY_SHARDS)).padStart(2, '0')}`
  }
  const parts = [...group(files.toSorted(), partOf)]
  return new Map(parts.flatMap(([part, own]) => (part === null ? [] : [[part, own] as const])))
}

/** Yields the entries of a tree except some documents, beginning with those that have the digests of the others. */
function* entriesOf(tree: Tree, except: ReadonlySet<string>): Generator<ZipText> {
  // The head follows from the index.
  const first = [LAYOUT.index, LAYOUT.manifest, ...tree.files.filter(isPart), LAYOUT.collector]
  const listed = new Set(tree.files)
  const known = new Set([...UNLISTED, ...first, ...except])
  const isCut = (file: string): boolean => listed.has(limitVariantOf(file)?.of ?? '')
  yield* textsOf(tree, first)
  const rest = tree.files.filter((file) => !known.has(file) && !isCut(file))
  yield* grouped(textsOf(tree, rest.toSorted()))
}

function* textsOf(tree: Tree, files: readonly string[]): Generator<ZipText> {
  for (const path of files) {
    const text = tree.read(path)
    // A damaged document is left out, as in a restore file by file.
    if (text !== null) yield { path, text }
  }
}

/** Writes entries as ZIP files of about {@link PART_BYTES}, each named by its SHA-256. */
function writeParts(root: string, entries: Iterable<ZipText>): CheckpointParts {
  const parts: CheckpointParts = []
  let zip = new ZipFile()
  const close = (): void => {
    const bytes = zip.end()
    const file = `${sha256Of(bytes)}.zip`
    const draft = `${CHECKPOINT.folder}/${DRAFT}`
    writeFileSync(join(root, draft), bytes)
    syncFiles(root, [draft])
    renameSync(join(root, draft), join(root, CHECKPOINT.folder, file))
    parts.push({ file, bytes: bytes.length })
    zip = new ZipFile()
  }
  for (const text of entries) {
    const entry = deflate(text)
    if (zip.bytes > 0 && zip.bytes + entry.deflated.length > PART_BYTES) close()
    zip.add(entry)
  }
  close()
  return parts
}

function deleteOthers(root: string, checkpoint: Checkpoint): void {
  const named = new Set(partsOf(checkpoint).map(({ file }) => file))
  const folder = join(root, CHECKPOINT.folder)
  for (const name of readdirSync(folder))
    if ((/^[0-9a-f]{64}\.(zip|part)$/.test(name) || name === DRAFT) && !named.has(name))
      rmSync(join(folder, name), { recursive: true, force: true })
}
