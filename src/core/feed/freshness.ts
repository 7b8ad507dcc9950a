import type { Market } from '../contract/market.ts'
import { type Ms, HOUR_MS, hoursSince, isoOf } from '../contract/time.ts'
import { LIMITS } from './methodology.ts'

/** Minutes after its build from which on the feed is stale. */
export const FEED_MINUTES = 90

/** The time since when a market must have moved not to stand still; null unless most markets moved since. */
export function movedSince(markets: readonly Market[], now: Ms): string | null {
  const since = isoOf(now - LIMITS.unchanged_hours * HOUR_MS)
  const dated = markets.filter(({ unchanged_since }) => unchanged_since !== null)
  const moved = dated.filter(({ unchanged_since }) => (unchanged_since ?? '') >= since)
  return moved.length * 2 > dated.length ? since : null
}

export interface Aged<T> {
  readonly value: T
  readonly seenAt: string
  /** Id of the source that it comes from; null: it was computed from several. */
  readonly source: string | null
}

export interface SourceHealth {
  readonly now: Ms
  /** Whether a source of the feed gave no usable answer in this run: it failed, gave an old answer or was not asked. */
  readonly isSilent: (source: string) => boolean
  /** Returns when a source last answered before this run, as published; null: never. */
  readonly lastHeard: (source: string) => string | null
}

/**
 * Returns a value of an earlier run if it may be published in place of one that this run lacks, otherwise null. It must be
 * recent enough, and its source must be silent: one that answered without it no longer knows it.
 */
export function carried<T>(
  last: Aged<T> | null,
  { now, isSilent }: Pick<SourceHealth, 'now' | 'isSilent'>,
  hours: number = LIMITS.carry_hours,
): Aged<T> | null {
  if (last === null || hoursSince(last.seenAt, now) > hours) return null
  return last.source === null || isSilent(last.source) ? last : null
}

/** Returns the carried ones of the last values. A fresh value replaces a carried one with the same key. */
export function carriedBeside<T>(
  { fresh, last, keyOf }: { fresh: readonly T[]; last: readonly Aged<T>[]; keyOf: (value: T) => string },
  hearing: Pick<SourceHealth, 'now' | 'isSilent'>,
): T[] {
  const known = new Set(fresh.map(keyOf))
  return last.flatMap((one) => (known.has(keyOf(one.value)) || carried(one, hearing) === null ? [] : [one.value]))
}
