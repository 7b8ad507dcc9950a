import * as z from 'zod'
import { Count } from '../contract/words.ts'
import { PublishedIndex } from './published-documents.ts'

/** A part never exceeds what hosts take in one file: 25 MiB is the least that one of them allows. */
export const PART_BYTES = 16 * 2 ** 20

const PartName = z.string().regex(/^[0-9a-f]{64}\.part$/)

/**
 * Names the newest state archive: parts that lie beside this document, each named by its SHA-256. Joined in this order
 * they are one brotli stream of lines `{"path": …, "text": …}`: the index, the manifest, the collector document, then
 * every document that cannot be cut from another.
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

/** SHA-256 that the name of a part states. */
export const digestOfPart = (file: string): string => file.slice(0, 64)
