import * as z from 'zod'
import { Count } from '../contract/words.ts'
import { PublishedIndex } from './published-documents.ts'

/** Maximum size of a part. The smallest file limit of a host is 25 MiB. */
export const PART_BYTES = 16 * 2 ** 20

const PartName = z.string().regex(/^[0-9a-f]{64}\.part$/)

/**
 * Names the parts of the newest state archive, files beside this document that are named by their SHA-256. Joined in this
 * order they are one brotli stream of lines `{"path": …, "text": …}`: the index, the manifest, the collector document, then
 * every document that is not a `limit` variant of another.
 */
export const ArchivePointer = z.object({
  generatedAt: PublishedIndex.shape.timestamp.describe('Of the publication that it holds.'),
  snapshotId: z.string(),
  bytes: Count,
  parts: z
    .array(z.object({ file: PartName, bytes: z.int().positive().max(PART_BYTES) }))
    .min(1)
    .max(256),
})
export type ArchivePointer = z.infer<typeof ArchivePointer>

/** Returns the SHA-256 in the name of a part. */
export const digestOfPart = (file: string): string => file.slice(0, 64)
