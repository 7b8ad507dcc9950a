import { join } from 'node:path'
import { Readable, pipeline } from 'node:stream'
import { createBrotliDecompress, inflateRawSync } from 'node:zlib'
import * as z from 'zod'
import { sha256Of } from '../contract/digest.ts'
import { readJson } from '../contract/read-json.ts'
import { mostDocumentBytes } from '../contract/snapshot-file.ts'
import { MOST_ENTRY_BYTES, contentOf, documentsOf, entriesIn, entryOf } from '../contract/zip.ts'
import { Checkpoint, type CheckpointParts, partsOf } from './checkpoint.ts'
import { CHECKPOINT } from './layout.ts'
import { bytesAt, textAt } from './reader.ts'

/** A path and its text. */
type CheckpointDocument = readonly [path: string, text: string]

const TOO_MUCH = 'it holds more than its length allows'

/**
 * Yields the documents of parts, in order.
 *
 * @param read returns the bytes of a part
 * @throws Error if a part is damaged, or holds more than its length allows
 */
export async function* documentsInParts(
  parts: CheckpointParts,
  read: (file: string) => Buffer,
): AsyncGenerator<CheckpointDocument> {
  if (parts.some(({ file }) => file.endsWith('.part'))) yield* documentsInStream(parts, read)
  else for (const { file } of parts) yield* documentsInZip(read(file))
}

/**
 * Yields the documents of a ZIP file.
 *
 * @param wanted paths; entries that have none of them are not unpacked
 * @throws Error if it is damaged
 */
export function* documentsInZip(bytes: Uint8Array, wanted?: readonly string[]): Generator<CheckpointDocument> {
  const entries = entriesIn(bytes, bytes.length)
  if (entries.reduce((sum, { size }) => sum + size, 0) > mostDocumentBytes(bytes.length)) throw new RangeError(TOO_MUCH)
  const chosen = wanted ? new Set(wanted.flatMap((path) => entryOf(entries, path) ?? [])) : entries
  for (const entry of chosen) {
    const deflated = contentOf(entry, bytes.subarray(entry.from, entry.to))
    const content = inflateRawSync(deflated, { maxOutputLength: Math.max(entry.size, 1) })
    yield* documentsOf(entry, content.toString('utf8'))
  }
}

const Line = z.object({ path: z.string(), text: z.string() })
const NEWLINE = 0x0a

/** Yields the documents of a brotli stream, a line of JSON each: checkpoints were one before they were ZIP files. */
async function* documentsInStream(
  parts: CheckpointParts,
  read: (file: string) => Buffer,
): AsyncGenerator<CheckpointDocument> {
  let left = mostDocumentBytes(parts.reduce((sum, { bytes }) => sum + bytes, 0))
  // One part at a time is all that is held.
  function* packed(): Generator<Buffer> {
    for (const { file } of parts) yield read(file)
  }
  const stream: AsyncIterable<Buffer> = pipeline(Readable.from(packed()), createBrotliDecompress(), () => {})
  let line: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    left -= chunk.length
    let from = 0
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      const document = readJson(Buffer.concat([...line, chunk.subarray(from, end)]).toString('utf8'), Line)
      if (document === null) throw new SyntaxError('a line of it is not a document')
      yield [document.path, document.text]
      line = []
      length = 0
      from = end + 1
    }
    line.push(chunk.subarray(from))
    length += chunk.length - from
    if (left < 0 || length > MOST_ENTRY_BYTES) throw new RangeError(TOO_MUCH)
  }
  if (length > 0) throw new SyntaxError('its last line is cut off')
}

/**
 * Returns those files that the checkpoint beside a tree holds, checked against their digests, which `lost` has by path. A
 * part that cannot be read holds none.
 */
export function filesInCheckpoint(root: string, lost: ReadonlyMap<string, string>): ReadonlyMap<string, Buffer> {
  const found = new Map<string, Buffer>()
  const checkpoint = readJson(textAt(join(root, CHECKPOINT.pointer)), Checkpoint)
  const read = (file: string) => bytesAt(join(root, CHECKPOINT.folder, file)) ?? Buffer.alloc(0)
  const parts = checkpoint === null ? [] : partsOf(checkpoint)
  for (const { file } of parts)
    try {
      for (const [path, text] of documentsInZip(read(file), [...lost.keys()]))
        if (sha256Of(text) === lost.get(path)) found.set(path, Buffer.from(text))
    } catch {
      // Missing, damaged or of an earlier version: its documents stay lost, and are reported so.
    }
  return found
}
