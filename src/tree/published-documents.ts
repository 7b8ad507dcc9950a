import * as z from 'zod'
import { IndexMembers } from '../contract/api-index.ts'
import { sha256Of } from '../contract/digest.ts'
import { isPart } from '../contract/manifest-parts.ts'
import { ManifestRow } from '../contract/manifest.ts'
import { readJson } from '../contract/read-json.ts'

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

const Rows = z.array(ManifestRow.extend({ timestamp: Time }))

/** The manifest. Members that early versions did not write have a default. */
export const PublishedManifest = z.object({
  timestamp: Time,
  rowsDigest: z.string().default(''),
  previous: z.string().nullable().default(null),
  rows: Rows,
})
export type PublishedManifest = z.infer<typeof PublishedManifest>

const PublishedPart = z.object({ rows: Rows })

/**
 * Returns everything that a manifest lists: its parts, and the files in them, or the files alone in a tree of version 1.
 *
 * @param textOf returns the text of a part; the rows of a part that is missing or damaged are left out, and it is in `lost`
 */
export function rowsListedBy(
  { rows }: Pick<PublishedManifest, 'rows'>,
  textOf: (part: string) => string | null,
): { readonly rows: readonly ManifestRow[]; readonly lost: readonly ManifestRow[] } {
  const lost: ManifestRow[] = []
  const all = rows.flatMap((row) => {
    if (!isPart(row.path)) return row
    const text = textOf(row.path)
    const part = text !== null && sha256Of(text) === row.sha256 ? readJson(text, PublishedPart) : null
    if (part === null) lost.push(row)
    return [row, ...(part?.rows ?? [])]
  })
  return { rows: all, lost }
}
