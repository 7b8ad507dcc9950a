import * as z from 'zod'
import { IndexMembers } from '../contract/api-index.ts'
import { sha256Of } from '../contract/digest.ts'
import { isPart, isSection } from '../contract/manifest-parts.ts'
import { type ListedRow, ManifestRow } from '../contract/manifest.ts'
import { readJson } from '../contract/read-json.ts'
import { STATE_VERSION, StateVersion } from '../contract/words.ts'
import { TreeError } from './tree-error.ts'

/** A valid date, because the modification times of files are set to it. */
const Time = ManifestRow.shape.timestamp.refine((text) => Number.isFinite(Date.parse(text)), 'is on no calendar')

/** The members of the index that the program reads back. */
export const PublishedIndex = z.object({
  ...IndexMembers,
  timestamp: Time,
})
export type PublishedIndex = z.infer<typeof PublishedIndex>

/** The digests in the index, those of the two documents that the manifest does not list, and the layout. */
export const IndexDigests = PublishedIndex.pick({ sha256: true, timestamp: true, layout: true })

const Rows = z.array(ManifestRow.extend({ timestamp: Time, from: z.string().optional() }))

/** The manifest. */
export const PublishedManifest = z.object({
  timestamp: Time,
  rowsDigest: z.string(),
  previous: z.string().nullable(),
  rows: Rows,
})
export type PublishedManifest = z.infer<typeof PublishedManifest>

export const PublishedPart = z.object({ rows: Rows })

/**
 * Returns everything that a manifest lists: its parts with their sections, and the files in them.
 *
 * @param textOf returns the text of a part; the rows of a part that is missing or damaged are left out, and it is in `lost`
 */
export function rowsListedBy(
  { rows }: Pick<PublishedManifest, 'rows'>,
  textOf: (part: string) => string | null,
): { readonly rows: readonly ListedRow[]; readonly lost: readonly ManifestRow[] } {
  const lost: ManifestRow[] = []
  const seen = new Set<string>()
  const listed = (row: ListedRow): readonly ListedRow[] => {
    if (!isPart(row.path)) return [row]
    // A part that is listed twice is no part of either.
    const text = seen.has(row.path) ? null : textOf(row.path)
    seen.add(row.path)
    const part = text !== null && sha256Of(text) === row.sha256 ? readJson(text, PublishedPart) : null
    if (part === null) lost.push(row)
    const own = part?.rows ?? []
    return [row, ...(isSection(row.path) ? own.flatMap(listed) : own)]
  }
  return { rows: rows.flatMap(listed), lost }
}

const Stated = z.looseObject({ stateVersion: StateVersion })

/** Returns the version of the state that a document states; null if it is missing or not JSON. */
export const versionIn = (text: string | null): number | null => readJson(text, Stated)?.stateVersion ?? null

/**
 * Refuses a publication of another version of the state. It may keep its past in a form that this program takes for damage.
 *
 * @param place folder or site of the publication
 * @param version null: it states none
 * @throws TreeError `other_state`
 */
export function refuseOther(place: string, version: number | null): void {
  if (version === null || version === STATE_VERSION) return
  const [age, step] =
    version > STATE_VERSION
      ? ['a newer', 'Update this program and run again.']
      : ['an earlier', 'Continue it with the commit that published it, or begin anew with --fresh.']
  throw new TreeError(
    'other_state',
    `${place} was published by ${age} version of this program: its state has version ${version}, and this program reads ` +
      `version ${STATE_VERSION}. Nothing was changed. ${step}`,
  )
}
