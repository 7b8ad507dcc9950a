import * as z from 'zod'
import { Count, StateVersion } from '../contract/words.ts'
import { PublishedIndex } from './published-documents.ts'

/** Maximum size of a part. The smallest file limit of a host is 25 MiB. */
export const PART_BYTES = 16 * 2 ** 20

const PartName = z.string().regex(/^[0-9a-f]{64}\.part$/)

const Part = z.object({ file: PartName, bytes: z.int().positive().max(PART_BYTES) })

/** Parts of one stream, in order. */
const Parts = z.array(Part).min(1).max(256)
export type ArchiveParts = z.infer<typeof Parts>

/** The daily closes of a past month, which never change again: a stream of its own, so that no run writes it twice. */
const ArchivedMonth = z.object({
  month: z.string().regex(/^\d{4}-\d\d$/),
  /** SHA-256 of the paths and digests of its documents. */
  documents: z.string().regex(/^[0-9a-f]{64}$/),
  parts: Parts,
})
export type ArchivedMonth = z.infer<typeof ArchivedMonth>

/**
 * Names the parts of the newest state archive, files beside this document that are named by their SHA-256. Joined in this
 * order they are one brotli stream of lines `{"path": …, "text": …}`: the index, the manifest, the collector document, then
 * every document that is neither a `limit` variant of another nor in the stream of a month.
 */
export const ArchivePointer = z.object({
  stateVersion: StateVersion.default(0),
  generatedAt: PublishedIndex.shape.timestamp.describe('Of the publication that it holds.'),
  snapshotId: z.string(),
  bytes: Count.describe('Of all parts.'),
  parts: Parts,
  months: z.array(ArchivedMonth).default([]),
})
export type ArchivePointer = z.infer<typeof ArchivePointer>

/** A line of a stream: a document. */
export const ArchiveLine = z.object({ path: z.string(), text: z.string() })
export type ArchiveLine = z.infer<typeof ArchiveLine>

/** Returns the SHA-256 in the name of a part. */
export const digestOfPart = (file: string): string => file.slice(0, 64)

/** Returns all parts of an archive. */
export const partsOf = ({ parts, months }: Pick<ArchivePointer, 'parts' | 'months'>): ArchiveParts => [
  ...parts,
  ...months.flatMap((month) => month.parts),
]
