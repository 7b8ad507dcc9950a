import type { Market } from '../contract/market.ts'
import { type Ms, HOUR_MS, MINUTE_MS, hoursSince, isoOf } from '../contract/time.ts'
import { LIMITS } from './methodology.ts'

/** Time after a publication from which on the feed is stale: 90 minutes, or two runs. */
export const staleMsOf = (cadence: Ms): Ms => Math.max(90 * MINUTE_MS, 2 * cadence)

/** The time since when a market must have moved not to stand still; null unless most markets moved since. */
export function movedSince(markets: readonly Market[], now: Ms): string | null {
  const since = isoOf(now - LIMITS.unchanged_hours * HOUR_MS)
  const dated = markets.filter(({ unchanged_since }) => unchanged_since !== null)
  const moved = dated.filter(({ unchanged_since }) => (unchanged_since ?? '') >= since)
  return moved.length * 2 > dated.length ? since : null
}

export interface SourceHealth {
  readonly now: Ms
  /** Whether a source of the feed gave no usable answer in this run: it failed, gave an old answer or was not asked. */
  readonly isSilent: (source: string) => boolean
  /** Returns when a source last answered before this run, as published; null: never. */
  readonly lastHeard: (source: string) => string | null
}

/**
 * Returns the last rows that may be published beside the fresh ones: recent, and of a source that is silent. One that answered
 * without a row no longer knows it.
 */
export function carriedBeside<Row extends { readonly collected_at: string }>(
  fresh: readonly Row[],
  last: readonly Row[],
  { keyOf, sourceOf }: { keyOf: (row: Row) => string; sourceOf: (row: Row) => string | undefined },
  { now, isSilent }: Pick<SourceHealth, 'now' | 'isSilent'>,
): Row[] {
  const known = new Set(fresh.map(keyOf))
  return last.filter((row) => {
    const source = sourceOf(row)
    if (source === undefined || !isSilent(source) || known.has(keyOf(row))) return false
    return hoursSince(row.collected_at, now) <= LIMITS.carry_hours
  })
}
