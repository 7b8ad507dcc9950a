import * as z from 'zod'
import { Count, Sha256, StateVersion } from '../contract/words.ts'
import { MOST_ENTRY_BYTES, contentOf, documentsOf, entriesIn, entryOf } from '../contract/zip.ts'
import { PublishedIndex } from './published-documents.ts'
import { join } from 'node:path'
import { Readable, pipeline } from 'node:stream'
import { createBrotliDecompress, inflateRawSync } from 'node:zlib'
import { sha256Of } from '../contract/digest.ts'
import { readJson } from '../contract/read-json.ts'
import { mostDocumentBytes } from '../contract/snapshot-file.ts'
import { CHECKPOINT } from './layout.ts'
import { bytesAt, textAt } from './reader.ts'

/** Length after which a part ends. The smallest file limit of a host is 25 MiB. */
export const PART_BYTES = 16 * 2 ** 20

/** A part named `.part` is of a brotli stream, as an earlier version wrote it. */
const PartName = z.string().regex(/^[0-9a-f]{64}\.(?:zip|part)$/)

const Part = z.object({
  file: PartName,
  bytes: z
    .int()
    .positive()
    .max(MOST_ENTRY_BYTES + PART_BYTES),
})

/** ZIP files, in order. */
const Parts = z.array(Part).min(1).max(256)
export type CheckpointParts = z.infer<typeof Parts>

/**
 * Documents that seldom change: the daily closes of a past month, and the daily bars of some listings. They have parts of
 * their own, so that no run writes them twice.
 */
const CheckpointMonth = z.object({
  month: z
    .string()
    .regex(/^(?:\d{4}-\d\d|daily-\d\d)$/)
    .describe('The month, or which of the listings.'),
  /** SHA-256 of the paths and digests of its documents. */
  documents: Sha256,
  parts: Parts,
})
export type CheckpointMonth = z.infer<typeof CheckpointMonth>

/**
 * The newest checkpoint: the publication that the next run goes on from, in ZIP files beside this document that are named by
 * their SHA-256. Their first entries are the index, the manifest, its parts and the collector document. Then follows every document that
 * is neither a `limit` variant of another nor in the parts of a month.
 */
export const Checkpoint = z.object({
  stateVersion: StateVersion.default(0),
  generatedAt: PublishedIndex.shape.timestamp.describe('Of the publication that it holds.'),
  snapshotId: z.string(),
  bytes: Count.describe('Of all parts.'),
  parts: Parts,
  months: z.array(CheckpointMonth).default([]),
})
export type Checkpoint = z.infer<typeof Checkpoint>

/** Returns the SHA-256 in the name of a part. */
export const digestOfPart = (file: string): string => file.slice(0, 64)

/** Returns all parts of a checkpoint. */
export const partsOf = ({ parts, months }: Pick<Checkpoint, 'parts' | 'months'>): CheckpointParts => [
  ...parts,
  ...months.flatMap((month) => month.parts),
]

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
