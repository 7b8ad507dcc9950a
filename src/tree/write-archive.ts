import { createHash } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { type FileHandle, open, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { constants, createBrotliCompress } from 'node:zlib'
import { group } from 'd3-array'
import { closesDay, closesFile } from '../contract/closes.ts'
import { readJson } from '../contract/read-json.ts'
import { STATE_VERSION } from '../contract/words.ts'
import { hashOf } from '../endpoints/compose.ts'
import { FILL_DAYS } from '../history/closes.ts'
import { type ArchivedMonth, ArchivePointer, type ArchiveParts, PART_BYTES, partsOf } from './archive-pointer.ts'
import { makeFolders } from './folders.ts'
import { ARCHIVE, LAYOUT, limitVariantOf } from './layout.ts'
import { PublishedIndex } from './published-documents.ts'
import { statsAt, textAt } from './reader.ts'
import { TreeError } from './tree-error.ts'
import type { Tree } from './tree.ts'

// Quality 3: 125 MiB of documents become 13.7 MiB in 1.0 s of CPU. 4 takes 3.1 s for 5 % fewer bytes, 5 takes 4.4 s for 8 %.
// A chunk is a trip to another thread, and back.
const BROTLI = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 3, [constants.BROTLI_PARAM_LGWIN]: 24 },
  chunkSize: 2 ** 18,
}
const CHUNK_CHARACTERS = 2 ** 20
const DAY_MS = 86_400_000

const Index = PublishedIndex.pick({ snapshotId: true, generatedAt: true })

/**
 * Writes the state archive of a published tree beside its documents and deletes the previous one. The pointer is renamed
 * into place after every part is flushed, so it never names a missing part. Equal trees give equal bytes.
 *
 * @throws TreeError `not_writable`; the documents stay published
 */
export async function writeArchive(tree: Tree): Promise<ArchivePointer> {
  const index = readJson(tree.read(LAYOUT.index), Index)
  if (index === null) throw new TreeError('not_writable', `${tree.root} has no index. Run npm run snapshot again.`)
  try {
    makeFolders(tree.root, [ARCHIVE.pointer])
    const path = join(tree.root, ARCHIVE.pointer)
    const past = pastMonths(tree.files)
    const months = await writeMonths(tree, past, readJson(textAt(path), ArchivePointer)?.months ?? [])
    const parts = await writeParts(tree, linesOf(tree, new Set([...past.values()].flat())))
    const bytes = partsOf({ parts, months }).reduce((sum, part) => sum + part.bytes, 0)
    const pointer = {
      stateVersion: STATE_VERSION,
      generatedAt: index.generatedAt,
      snapshotId: index.snapshotId,
      bytes,
      parts,
      months,
    }
    await writeFile(`${path}.new`, `${JSON.stringify(pointer, null, 1)}\n`)
    await rename(`${path}.new`, path)
    deleteOthers(tree.root, pointer)
    return pointer
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new TreeError(
      'not_writable',
      `${tree.root} is published, but its state archive could not be written: ${why}. Correct that and run again.`,
      { cause },
    )
  }
}

/** Writes the streams of months, or keeps those in the folder that have the same documents. */
async function writeMonths(
  tree: Tree,
  past: ReadonlyMap<string, readonly string[]>,
  before: readonly ArchivedMonth[],
): Promise<ArchivedMonth[]> {
  const months: ArchivedMonth[] = []
  for (const [month, files] of past) {
    const rows = files.flatMap((path) => tree.last(path)?.row() ?? [])
    const documents = hashOf(rows.map(({ path, sha256 }) => `${sha256} ${path}\n`).join(''))
    const standing = before.find((one) => one.month === month && one.documents === documents)
    const isHere = ({ file, bytes }: ArchiveParts[number]) =>
      statsAt(join(tree.root, ARCHIVE.folder, file))?.size === bytes
    if (standing?.parts.every(isHere)) months.push(standing)
    // eslint-disable-next-line no-await-in-loop -- one stream is compressed at a time
    else months.push({ month, documents, parts: await writeParts(tree, documentLines(tree, files)) })
  }
  return months
}

/** Returns the files of each month of daily closes that no run changes any more, oldest first. */
function pastMonths(files: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const days = files.flatMap((file) => closesDay(file) ?? []).toSorted()
  const newest = Date.parse(days.at(-1) ?? '')
  const isPast = (month: string) => newest > Date.parse(nextMonth(month)) + FILL_DAYS * DAY_MS
  const months = group(days, (day) => day.slice(0, 7))
  return new Map([...months].flatMap(([month, own]) => (isPast(month) ? [[month, own.map(closesFile)] as const] : [])))
}

/** `2026-12` -> `2027-01` */
const nextMonth = (month: string): string => {
  const next = new Date(`${month}-01T00:00:00Z`)
  next.setUTCMonth(next.getUTCMonth() + 1)
  return next.toISOString().slice(0, 7)
}

async function writeParts(tree: Tree, lines: Iterable<string>): Promise<ArchivePointer['parts']> {
  const writer = new PartWriter(join(tree.root, ARCHIVE.folder))
  try {
    await pipeline(chunksOf(lines), createBrotliCompress(BROTLI), async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) await writer.write(chunk)
    })
    return await writer.end()
  } catch (error) {
    await writer.abort()
    throw error
  }
}

/** Yields the documents of a tree except some as lines of JSON, beginning with those that have the digests of the others. */
function* linesOf(tree: Tree, except: ReadonlySet<string>): Generator<string> {
  const head = [LAYOUT.index, LAYOUT.manifest, LAYOUT.collector]
  const listed = new Set(tree.files)
  const isCut = (file: string): boolean => listed.has(limitVariantOf(file)?.of ?? '')
  const rest = tree.files.filter((file) => !head.includes(file) && !isCut(file) && !except.has(file)).toSorted()
  yield* documentLines(tree, [...head, ...rest])
}

function* documentLines(tree: Tree, files: readonly string[]): Generator<string> {
  for (const path of files) {
    const text = tree.read(path)
    // A damaged document is left out, as in a restore file by file.
    if (text !== null) yield `${JSON.stringify({ path, text })}\n`
  }
}

/** Yields the same text in pieces of about {@link CHUNK_CHARACTERS}. */
function* chunksOf(lines: Iterable<string>): Generator<string> {
  let chunk = ''
  for (const line of lines) {
    chunk += line
    if (chunk.length < CHUNK_CHARACTERS) continue
    yield chunk
    chunk = ''
  }
  if (chunk !== '') yield chunk
}

/** Writes a stream as files of at most {@link PART_BYTES}, each named by its SHA-256 when complete. */
class PartWriter {
  readonly #folder: string
  readonly #parts: ArchivePointer['parts'][number][] = []
  #open: { readonly file: FileHandle; readonly hash: ReturnType<typeof createHash>; bytes: number } | null = null

  constructor(folder: string) {
    this.#folder = folder
  }

  get #draft(): string {
    return join(this.#folder, '.part.new')
  }

  async write(chunk: Buffer): Promise<void> {
    let rest = chunk
    while (rest.length > 0) {
      this.#open ??= { file: await open(this.#draft, 'w'), hash: createHash('sha256'), bytes: 0 }
      const piece = rest.subarray(0, PART_BYTES - this.#open.bytes)
      await this.#open.file.write(piece)
      this.#open.hash.update(piece)
      this.#open.bytes += piece.length
      if (this.#open.bytes === PART_BYTES) await this.#close()
      rest = rest.subarray(piece.length)
    }
  }

  async end(): Promise<ArchivePointer['parts']> {
    await this.#close()
    return this.#parts
  }

  async abort(): Promise<void> {
    await this.#open?.file.close()
    this.#open = null
    rmSync(this.#draft, { force: true })
  }

  async #close(): Promise<void> {
    if (this.#open === null) return
    const { file, hash, bytes } = this.#open
    await file.sync()
    await file.close()
    this.#open = null
    const name = `${hash.digest('hex')}.part`
    await rename(this.#draft, join(this.#folder, name))
    this.#parts.push({ file: name, bytes })
  }
}

/** Deletes the parts that the pointer does not name. */
function deleteOthers(root: string, pointer: ArchivePointer): void {
  const named = new Set(partsOf(pointer).map(({ file }) => file))
  const folder = join(root, ARCHIVE.folder)
  for (const name of readdirSync(folder))
    if (/^([0-9a-f]{64}\.part|\.part\.new)$/.test(name) && !named.has(name))
      rmSync(join(folder, name), { recursive: true, force: true })
}
