import * as z from 'zod'
import { DailyMembers } from '../../src/core/contract/daily.ts'
import { gridOf } from '../../src/core/contract/history.ts'
import type { RightsClass } from '../../src/core/contract/rights.ts'
import type { PastBar } from '../../src/core/contract/observations.ts'
import { type PastAnswer, packed } from '../../src/core/history/answers.ts'
import { bucketOf } from '../../src/core/history/grid.ts'
import { type ListingPast, type PastClock, noPast } from '../../src/core/history/past.ts'
import { clipPoints, observe } from '../../src/core/history/points.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR
export const NOON = Date.UTC(2024, 5, 10, 12)
/** Of runs every half hour. */
export const GRID = gridOf(30 * MINUTE)

/** The daily bars of a listing as they are published: each column has a value for each day. */
export const Daily = z.object(DailyMembers).refine(({ from, to, columns }) => {
  const days = (Date.parse(to) - Date.parse(from)) / DAY + 1
  return Object.values(columns).every(({ length }) => length === days)
})

export const seen = (price_usd: number, volume_24h_usd: number | null = null, rights: RightsClass = 'open') => ({
  price_usd,
  volume_24h_usd,
  market_cap_usd: null,
  rights,
})

export const clockAt = (now: number, last: number | null = null): PastClock => ({
  grid: GRID,
  now,
  latest: Math.max(now, last ?? now),
  lateBefore: last === null ? -Infinity : bucketOf(last, GRID[1]),
  added: bucketOf(now, '1d'),
})

/** What a venue answered, in dollars. */
export const answerOf = (
  bars: readonly PastBar[],
  given: Partial<Omit<PastAnswer, 'bars' | 'width'>> = {},
  width: PastAnswer['width'] = 7,
): PastAnswer => ({
  bars: packed(bars, width),
  width,
  source_id: 'kraken',
  kind: 'past',
  slug: 'acme',
  days: 7,
  interval: '1h',
  market: 'ACMEUSD',
  quote: 'USD',
  label: 'Kraken',
  rights: 'open',
  isRolling: false,
  rateAt: () => 1,
  ...given,
})

/** What a source answered that has a price at each of some times, from 7 dollars on. */
export const pricesAt = (interval: PastAnswer['interval'], times: readonly number[], label = 'Kraken'): PastAnswer =>
  answerOf(
    times.map((at, place) => [at, 7 + place, null, null]),
    { interval, label, isRolling: true },
    2,
  )

export interface Run {
  readonly now: number
  readonly price: number | null
}

export function pointsAfter(runs: readonly Run[], past: ListingPast = noPast()) {
  let latest: number | null = null
  for (const { now, price } of runs) {
    const clock = clockAt(now, latest)
    clipPoints(past, clock)
    if (price !== null) observe(past, seen(price), clock)
    latest = clock.latest
  }
  return { past, latest: latest ?? Number.NaN }
}
