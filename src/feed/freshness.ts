import { DAY_MS, MINUTE_MS, dayOf, hoursSince } from '../contract/time.ts'

export const STALENESS = {
  rule:
    'A market is stale when the time that the venue gives of its row or of its last trade is older than `market_hours`; ' +
    'when its price, book and volume have been the same to the last digit for `unchanged_hours` while a market of the ' +
    'asset at another venue moved; and when its row is carried from an earlier run. A venue whose newest row is older than ' +
    '`venue_hours` gave an old answer: none of it is used. An aggregator’s price older than `price_hours` is unknown. ' +
    'Values of a source that gave no answer are carried with the time at which they were observed, unless another source ' +
    'reports them: markets, pools, prices, rates, changes, highs, lows and volumes for `carry_hours`, supplies and all-time ' +
    'highs for `fact_hours`; after that they are dropped or null. A carried pool is stale, and no price is made of it. ' +
    'Nothing is carried of a source that is no longer configured. A listing that no source names is delisted after ' +
    '`delist_hours`. The feed is stale `feed_minutes` after its build.',
  market_hours: 4,
  unchanged_hours: 1.5,
  venue_hours: 1,
  price_hours: 24,
  carry_hours: 24,
  fact_hours: 336,
  delist_hours: 72,
  feed_minutes: 90,
} as const

/**
 * Whether a publication came after a gap: the last one became stale, and more than one run was missed.
 *
 * @param last the last publication, and when the next one was due
 * @param now in ms since 1970
 */
export function isAfterGap(last: { readonly at: string; readonly nextAt: string }, now: number): boolean {
  const cadence = Date.parse(last.nextAt) - Date.parse(last.at)
  return now - Date.parse(last.at) > Math.max(STALENESS.feed_minutes * MINUTE_MS, 2 * cadence)
}

/** Returns the minutes of each day, UTC, between two times in ms since 1970, rounded. */
export function minutesByDay(from: number, to: number): ReadonlyMap<string, number> {
  const minutes = new Map<string, number>()
  for (let start = from, end; start < to; start = end) {
    end = Math.min(to, (Math.floor(start / DAY_MS) + 1) * DAY_MS)
    minutes.set(dayOf(start), Math.round((end - start) / MINUTE_MS))
  }
  return minutes
}

export interface Aged<T> {
  readonly value: T
  /** When it was observed, as published. */
  readonly seenAt: string
  /** Id of the source that it comes from; null: it was computed from several. */
  readonly source: string | null
}

export interface Hearing {
  /** Time of the run in ms since 1970. */
  readonly now: number
  /** Whether a source of the feed gave no usable answer in this run: it failed, gave an old answer or was not asked. */
  readonly isSilent: (source: string) => boolean
  /** Returns when a source last answered before this run, as published; null: never. */
  readonly lastHeard: (source: string) => string | null
}

/**
 * Returns a value of an earlier run if it may be published in place of one that this run lacks, otherwise null. It must be
 * recent enough, and its source must be silent: one that answered without it no longer knows it.
 *
 * @param hours how long it is carried
 */
export function carried<T>(
  last: Aged<T> | null,
  { now, isSilent }: Pick<Hearing, 'now' | 'isSilent'>,
  hours: number = STALENESS.carry_hours,
): Aged<T> | null {
  if (last === null || hoursSince(last.seenAt, now) > hours) return null
  return last.source === null || isSilent(last.source) ? last : null
}

/** Returns the carried ones of the last values. A fresh value replaces a carried one with the same key. */
export function carriedBeside<T>(
  { fresh, last, keyOf }: { fresh: readonly T[]; last: readonly Aged<T>[]; keyOf: (value: T) => string },
  hearing: Pick<Hearing, 'now' | 'isSilent'>,
): T[] {
  const known = new Set(fresh.map(keyOf))
  return last.flatMap((one) => (known.has(keyOf(one.value)) || carried(one, hearing) === null ? [] : [one.value]))
}
