import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress } from 'node:zlib'
import type { ManifestRow } from '../contract/manifest.ts'
import { readJson } from '../contract/read-json.ts'
import { hashOf } from '../endpoints/compose.ts'
import { ArchiveLine, type ArchivePointer, digestOfPart, partsOf } from './archive-pointer.ts'
import { type IncomingFiles, incomingFiles } from './incoming-files.ts'
import { ARCHIVE, LAYOUT, WORK } from './layout.ts'
import type { Place } from './place.ts'
import { MOST_DOCUMENT_BYTES, MOST_TREE_BYTES, publishedHead } from './published-head.ts'
import { folderReader } from './reader.ts'
import { type Restored, restore } from './restore.ts'
import { RestoreError } from './restore-error.ts'
import { asTreeError } from './tree-error.ts'
import type { Tree } from './tree.ts'

/** Maximum length of a document as a line, in which JSON escapes quotes and line ends. */
const MOST_LINE_BYTES = 2 * MOST_DOCUMENT_BYTES

/**
 * Restores a tree from a state archive. All parts are downloaded and checked against their digests before the first is
 * unpacked, and every document is checked against the manifest in the archive.
 *
 * @throws RestoreError if a part is missing or damaged, or the archive is of another publication than its pointer
 * @throws TreeError if the folder cannot be written
 */
export async function restoreArchive(tree: Tree, place: Place, pointer: ArchivePointer): Promise<Restored> {
  const parts = join(tree.root, WORK.parts)
  try {
    rmSync(parts, { recursive: true, force: true })
    mkdirSync(parts)
    for (const part of partsOf(pointer)) await download(place, part, join(parts, part.file))
    const streams = [pointer, ...pointer.months].map((stream) => stream.parts.map(({ file }) => join(parts, file)))
    const fetched = await unpack(tree, linesInAll(streams), pointer)
    const pauseNever = () => Promise.reject(new RestoreError('damaged', 'the archive is inconsistent'))
    return { ...(await restore(tree, folderReader(tree.incoming), pauseNever)), fetched, resumed: 0 }
  } catch (error) {
    throw error instanceof RestoreError ? error : (asTreeError(tree.root, error) ?? asDamage(error))
  } finally {
    rmSync(parts, { recursive: true, force: true })
  }
}

const asDamage = (cause: unknown): RestoreError =>
  new RestoreError('damaged', `the archive cannot be unpacked: ${cause instanceof Error ? cause.message : 'unknown'}`, {
    cause,
  })

async function download(place: Place, { file, bytes }: ArchivePointer['parts'][number], to: string): Promise<void> {
  const name = `${ARCHIVE.folder}/${file}`
  const answer = await place.ask(name, async (body) => {
    const hash = createHash('sha256')
    let taken = 0
    await pipeline(
      body,
      async function* (chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          taken += chunk.byteLength
          if (taken > bytes) throw new RestoreError('damaged', `${name} is longer than its pointer says`)
          hash.update(chunk)
          yield chunk
        }
      },
      createWriteStream(to),
    )
    return hash.digest('hex')
  })
  if ('why' in answer) throw new RestoreError('unreachable', `${name} ${answer.why}`, { cause: answer.cause })
  if (answer.value !== digestOfPart(file)) throw new RestoreError('damaged', `${name} is damaged or incomplete`)
}

async function* linesInAll(streams: readonly (readonly string[])[]): AsyncGenerator<ArchiveLine> {
  for (const paths of streams) yield* linesIn(paths)
}

/** Yields the lines of files that together are one brotli stream. */
async function* linesIn(paths: readonly string[]): AsyncGenerator<ArchiveLine> {
  async function* bytes() {
    for (const path of paths) yield* createReadStream(path)
  }
  const unpacked = createBrotliDecompress()
  const packed = pipeline(bytes(), unpacked)
  // The loop below throws the same error.
  packed.catch(() => {})
  let begun: Buffer[] = []
  let length = 0
  let total = 0
  const chunks: AsyncIterable<Buffer> = unpacked
  for await (const chunk of chunks) {
    total += chunk.length
    if (total > 2 * MOST_TREE_BYTES) throw new RestoreError('damaged', 'the archive is longer than a tree may be')
    let from = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      yield lineOf(Buffer.concat([...begun, chunk.subarray(from, end)]))
      begun = []
      length = 0
      from = end + 1
    }
    begun.push(chunk.subarray(from))
    length += chunk.length - from
    if (length > MOST_LINE_BYTES) throw new RestoreError('damaged', 'a line of the archive is too long')
  }
  if (length > 0) throw new RestoreError('damaged', 'the archive ends within a line')
}

function lineOf(bytes: Buffer): ArchiveLine {
  const line = readJson(bytes.toString('utf8'), ArchiveLine)
  if (line === null) throw new RestoreError('damaged', 'a line of the archive is not a document')
  return line
}

/** Writes the documents of an archive to the folder of incoming files. Returns their number. */
async function unpack(tree: Tree, lines: AsyncIterable<ArchiveLine>, { generatedAt }: ArchivePointer): Promise<number> {
  const incoming = incomingFiles(tree.incoming)
  const first = new Map<string, string>()
  let rows: ReadonlyMap<string, ManifestRow> | null = null
  let count = 0
  for await (const { path, text } of lines) {
    count++
    if (rows === null) {
      first.set(path, text)
      if (first.has(LAYOUT.collector) || first.size > 3) rows = await headIn(first, generatedAt, incoming)
      continue
    }
    const row = rows.get(path)
    if (row === undefined || hashOf(text) !== row.sha256)
      throw new RestoreError('damaged', `${path.slice(0, 100)} in the archive does not match its manifest`)
    incoming.put(row, text)
  }
  if (rows === null) throw new RestoreError('damaged', 'the archive is empty')
  return count
}

async function headIn(
  first: ReadonlyMap<string, string>,
  generatedAt: string,
  incoming: IncomingFiles,
): Promise<ReadonlyMap<string, ManifestRow>> {
  const head = await publishedHead(async (file) => first.get(file) ?? null)
  if (head === null || head === 'changing' || head.generatedAt !== generatedAt)
    throw new RestoreError('damaged', 'the archive belongs to another publication than its pointer')
  for (const file of [head.index, head.manifest, head.collector]) incoming.put(file, file.text)
  return new Map(head.rows.map((row) => [row.path, row]))
}
