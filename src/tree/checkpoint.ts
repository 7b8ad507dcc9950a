import * as z from 'zod'
import { Count, Sha256, StateVersion } from '../contract/words.ts'
import { MOST_ENTRY_BYTES, contentOf, documentsOf, entriesIn, entryOf } from '../contract/zip.ts'
import { PublishedIndex } from './published-documents.ts'
import { join } from 'node:path'
import { inflateRawSync } from 'node:zlib'
import { sha256Of } from '../contract/digest.ts'
import { readJson } from '../contract/read-json.ts'
import { CHECKPOINT } from './layout.ts'
import { bytesAt, textAt } from './reader.ts'

/** Length after which a part ends. The smallest file limit of a host is 25 MiB. */
export const PART_BYTES = 16 * 2 ** 20

const Part = z.object({
  file: z.string().regex(/^[0-9a-f]{64}\.zip$/),
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
  stateVersion: StateVersion,
  generatedAt: PublishedIndex.shape.timestamp.describe('Of the publication that it holds.'),
  snapshotId: z.string(),
  bytes: Count.describe('Of all parts.'),
  parts: Parts,
  months: z.array(CheckpointMonth),
})
export type Checkpoint = z.infer<typeof Checkpoint>

/** Returns the SHA-256 in the name of a part. */
export const digestOfPart = (file: string): string => file.slice(0, 64)

/** Returns all parts of a checkpoint. */
export const partsOf = ({ parts, months }: Pick<Checkpoint, 'parts' | 'months'>): CheckpointParts => [
  ...parts,
  ...months.flatMap((month) => month.parts),
]

/** Bytes of documents per byte of a part, at most, and what documents may always take: they are some 7 times larger. */
const GROWTH = { most: 50, least: 16 * 2 ** 20 }

type CheckpointDocument = readonly [path: string, text: string]

/**
 * Yields the documents of a ZIP file.
 *
 * @param wanted paths; entries that have none of them are not unpacked
 * @throws Error if it is damaged
 */
export function* documentsInZip(bytes: Uint8Array, wanted?: readonly string[]): Generator<CheckpointDocument> {
  const entries = entriesIn(bytes, bytes.length)
  if (entries.reduce((sum, { size }) => sum + size, 0) > GROWTH.most * bytes.length + GROWTH.least)
    throw new RangeError('it holds more than its length allows')
  const chosen = wanted ? new Set(wanted.flatMap((path) => entryOf(entries, path) ?? [])) : entries
  for (const entry of chosen) {
    const deflated = contentOf(entry, bytes.subarray(entry.from, entry.to))
    const content = inflateRawSync(deflated, { maxOutputLength: Math.max(entry.size, 1) })
    yield* documentsOf(entry, content.toString('utf8'))
  }
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
      // Missing or damaged: its documents stay lost, and are reported so.
    }
  return found
}
