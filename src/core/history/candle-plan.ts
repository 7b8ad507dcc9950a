import { by } from '../contract/order.ts'
import { type Ms, DAY_MS, HOUR_MS, INTERVAL_MS } from '../contract/time.ts'
import { VENUES_OF_BAR } from '../contract/candles.ts'
import type { Days } from '../contract/history.ts'
import { type Moment, bucketOf, windowOf } from './grid.ts'
import { type PastMarket, type Demand, onePerVenue } from './plan.ts'

/** Which listings have candles, and how far they are followed. */
export const FOLLOWING = {
  /** Listings by market cap that bars are requested for. */
  listings: 250,
  /** Listings that fell below this rank lose their candles, which bounds the files of a tree. */
  kept: 500,
  /** Share of a run's requests for past prices. */
  share: 0.25,
  /** Share of one source's requests. The largest listings trade at the same few venues. */
  sourceShare: 0.5,
} as const

/**
 * What is requested at a venue: bars of the grid of `days`, for a window of `reach` days in buckets of `grid`. Newer bars
 * are due `due` ms after the newest one. Hourly bars serve the ranges of 7 and 30 days, daily ones those of 90 and 365.
 */
const WIDTHS: readonly { readonly days: Days; readonly reach: Days; readonly due: number }[] = [
  { days: 365, reach: 365, due: DAY_MS },
  { days: 7, reach: 30, due: 4 * HOUR_MS },
  { days: 1, reach: 1, due: 2 * HOUR_MS },
]

/** A listing whose candles may be followed. */
export interface Followed {
  readonly slug: string
  readonly rank: number
  readonly candidates: readonly PastMarket[]
  /** Returns the start of the newest bar of a range; null if it has none. */
  readonly newest: (days: Days) => Ms | null
}

/** Returns the bars that are due, those of the largest listings first: each of up to {@link VENUES_OF_BAR} venues. */
export const candleDemands = (listings: readonly Followed[], moment: Moment): readonly Demand[] =>
  listings.toSorted(by((row) => row.rank)).flatMap((listing) => dueOf(listing, moment))

function dueOf({ slug, candidates, newest }: Followed, { grid, now }: Moment): Demand[] {
  return WIDTHS.flatMap(({ days, reach, due }) => {
    const [interval, coarse] = [grid[days], grid[reach]]
    const venues = onePerVenue(candidates, interval)
    const to = bucketOf(now, interval) - INTERVAL_MS[interval]
    const known = [days, reach].map(newest)
    const oldest = known.includes(null) ? null : Math.min(...known.map((at) => at ?? 0))
    if (venues.length === 0 || (oldest !== null && to - (newest(days) ?? 0) < due)) return []
    // A range ends with the newest closed bucket, one before that of the window.
    const window = windowOf(reach, coarse, now).from - INTERVAL_MS[coarse]
    // One bucket more than is new: its last bars may have come late.
    const from = oldest === null ? window : Math.max(window, bucketOf(oldest, coarse) - INTERVAL_MS[coarse])
    const markets = () => venues
    return [{ slug, days, interval, from, to, asked: false, venues: VENUES_OF_BAR, least: 1, markets }]
  })
}
