import * as z from 'zod'
import { IndexMembers } from '../contract/api-index.ts'
import { ManifestRow } from '../contract/manifest.ts'

/** A valid date, because the modification times of files are set to it. */
const Time = ManifestRow.shape.timestamp.refine((text) => Number.isFinite(Date.parse(text)), 'is on no calendar')

/** The members of the index that the program reads back. */
export const PublishedIndex = z.object({
  ...IndexMembers,
  timestamp: Time,
  // What the first releases did not write has a default.
  layout: IndexMembers.layout.default(null),
  attributions: IndexMembers.attributions.default([]),
  stateVersion: IndexMembers.stateVersion.default(0),
})
export type PublishedIndex = z.infer<typeof PublishedIndex>

/** The digests in the index, those of the two documents that the manifest does not list, and the layout. */
export const IndexDigests = PublishedIndex.pick({ sha256: true, timestamp: true, layout: true })

/** The manifest. Members that early versions did not write have a default. */
export const PublishedManifest = z.object({
  timestamp: Time,
  rowsDigest: z.string().default(''),
  previous: z.string().nullable().default(null),
  rows: z.array(ManifestRow.extend({ timestamp: Time })),
})
export type PublishedManifest = z.infer<typeof PublishedManifest>
