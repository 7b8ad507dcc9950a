import * as z from 'zod'
import { Count, Sha256, StateVersion } from '../contract/words.ts'
import { MOST_ENTRY_BYTES } from '../contract/zip.ts'
import { PublishedIndex } from './published-documents.ts'

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
