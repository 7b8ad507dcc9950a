import * as z from 'zod'
import { IndexMembers } from '../contract/api-index.ts'
import { ManifestRow } from '../contract/manifest.ts'

/** A time that is on the calendar, too: files are given the times that a manifest lists. */
const Time = ManifestRow.shape.timestamp.refine((text) => Number.isFinite(Date.parse(text)), 'is on no calendar')

/** The index, as far as a tree is read back by it. */
export const PublishedIndex = z.object({ ...IndexMembers, timestamp: Time })
export type PublishedIndex = z.infer<typeof PublishedIndex>

/** The digests that the index lists: of the two documents that no manifest does. */
export const IndexDigests = PublishedIndex.pick({ sha256: true, timestamp: true })

/** The manifest. What the first releases did not write has a default. */
export const PublishedManifest = z.object({
  timestamp: Time,
  rowsDigest: z.string().default(''),
  previous: z.string().nullable().default(null),
  rows: z.array(ManifestRow.extend({ timestamp: Time })),
})
export type PublishedManifest = z.infer<typeof PublishedManifest>
