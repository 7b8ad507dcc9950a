import { isoOf, HOUR_MS } from '../contract/time.ts'
import type { QuarantineRow } from '../contract/quarantine.ts'
import type { Listing } from './listing.ts'

/** A figure that a rule holds back in this run. */
export type Hold = Omit<QuarantineRow, 'since' | 'releases_at'>

/**
 * Returns the row of a figure that is held back, with the time since which it is; null when it was offered for long enough.
 *
 * @param before the last publication of the listing, whose rows have the time since which a figure is held back
 * @param hours how long the figure must be offered to be published without a witness; null: however long
 * @param isSame whether a value that was held back is the one that is offered now; given the one published meanwhile too
 */
export function heldRow(
  hold: Hold,
  before: Listing | null,
  {
    now,
    hours,
    isSame,
  }: {
    readonly now: number
    readonly hours: number | null
    readonly isSame: (offered: QuarantineRow['offered_value'], held: QuarantineRow['held_value']) => boolean
  },
): QuarantineRow | null {
  const same = before?.asset.held.find(
    ({ field, offered_value, held_value }) => field === hold.field && isSame(offered_value, held_value),
  )
  const since = same?.since ?? isoOf(now)
  const releases = hours === null ? null : Date.parse(since) + hours * HOUR_MS
  if (releases !== null && now >= releases) return null
  const { slug, field, held_value, rule, source_ids, reason, release } = hold
  const offered_value = same ? same.offered_value : hold.offered_value
  const releases_at = releases === null ? null : isoOf(releases)
  return { slug, field, held_value, offered_value, rule, source_ids, reason, since, releases_at, release }
}
