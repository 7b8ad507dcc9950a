import { max, range, sort } from 'd3-array'
import { DAILY } from '../contract/daily.ts'
import { DAYS, type Days } from '../contract/history.ts'
import { type Ms, DAY_MS, HOUR_MS, INTERVAL_MS } from '../contract/time.ts'
import { newestBar } from './bars.ts'
import { type Moment, barsFor, bucketOf, windowOf } from './grid.ts'
import { type ListingPast, type PastClock, noPast, pricesOf } from './past.ts'
import { type Demand, type PastMarket, PREFERENCE, onePerVenue, requestsFor } from './plan.ts'

/** A listing whose past may be requested. */
export interface PastListing {
  readonly slug: string
  readonly rank: number
  readonly past: ListingPast | undefined
  readonly candidates: readonly PastMarket[]
}

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

const VENUES_OF_BAR = 3

/** Returns the bars of a listing that are due: each of up to {@link VENUES_OF_BAR} venues. */
export function candleDemands({ slug, rank, candidates, past }: PastListing, { grid, now }: Moment): readonly Demand[] {
  if (rank > FOLLOWING.listings) return []
  return WIDTHS.flatMap(({ days, reach, due }): Demand[] => {
    const [interval, coarse] = [grid[days], grid[reach]]
    const markets = onePerVenue(candidates, interval)
    const to = bucketOf(now, interval) - INTERVAL_MS[interval]
    const [newest, oldest] = [newestBar(past, days, grid), newestBar(past, reach, grid)]
    const known = newest === null || oldest === null ? null : Math.min(newest, oldest)
    if (markets.length === 0 || (known !== null && to - (newest ?? 0) < due)) return []
    // A range ends with the newest closed bucket, one before that of the window.
    const window = windowOf(reach, coarse, now).from - INTERVAL_MS[coarse]
    // One bucket more than is new: its last bars may have come late.
    const from = known === null ? window : Math.max(window, bucketOf(known, coarse) - INTERVAL_MS[coarse])
    const of = { slug, days, interval, from, to, urgency: rank, asked: false }
    return [{ venues: VENUES_OF_BAR, least: 1, markets, ...of }]
  })
}

/** The first block of Bitcoin: no coin traded before. */
const FIRST_DAY = Date.UTC(2009, 0, 3)

/** How many ranks later days before the first are requested of other venues. */
const OTHERS_LATER = 50

/** The last day that is final, in ms since 1970. */
export const lastFinalDay = (now: Ms): number => Math.floor(now / DAY_MS - DAILY.final_days - 1) * DAY_MS

/** Whether an answer shows that a venue has no older bars than those of it. */
export const isEndOf = (oldest: number | undefined, askedFrom: number): boolean =>
  askedFrom <= FIRST_DAY || oldest === undefined || oldest - askedFrom > DAILY.end_days * DAY_MS

/** Returns the daily bars of the past of a listing that are to be requested next; null: none are. */
export function dailyDemand({ slug, rank, candidates, past }: PastListing, now: Ms): Demand | null {
  const last = lastFinalDay(now)
  // Those that give a window in the fewest requests, then by volume.
  const venues = sort(onePerVenue(candidates, '1d'), ({ most }) => Math.ceil(DAILY.window_days / most))
  if (venues.length === 0) return null
  const best = venues.slice(0, rank <= DAILY.compared_listings ? 2 : 1)
  const due = (
    markets: readonly PastMarket[],
    to: number,
    from = to - (DAILY.window_days - 1) * DAY_MS,
    later = 1,
  ): Demand => ({
    slug,
    days: 'all',
    interval: '1d',
    urgency: rank * later,
    from: Math.max(from, FIRST_DAY),
    to,
    asked: false,
    venues: markets.length,
    least: markets.length,
    markets,
  })
  const { asked = [], days } = past ?? {}
  const newest = max(asked, (one) => one.to)
  if (newest === undefined) return due(best, last)
  const askedOf = ({ source_id, market }: PastMarket) =>
    asked.find((one) => one.source_id === source_id && one.market === market)
  if (Date.parse(newest) <= last - DAILY.refresh_days * DAY_MS) {
    const same = venues.filter((venue) => askedOf(venue)?.to === newest)
    return due(same.length > 0 ? same : best, last, Date.parse(newest) + DAY_MS)
  }
  const open = venues.filter((venue) => askedOf(venue)?.complete === false)
  const from = max(open, (venue) => askedOf(venue)?.from)
  if (from !== undefined) {
    const own = open.filter((venue) => askedOf(venue)?.from === from)
    return due(own, Date.parse(from) - DAY_MS)
  }
  const other = venues.find((venue) => !askedOf(venue))
  const first = days?.first('venues') ?? null
  const to = first === null ? last : first - DAY_MS
  return other && to >= FIRST_DAY ? due([other], to, undefined, OTHERS_LATER) : null
}

/** The ranges whose gaps are filled, from the longest on: that of 90 days is the end of that of 365. */
const GAP_RANGES = DAYS.filter((days) => days !== 90).toReversed()

/**
 * Returns the gaps of the series of a listing, at most two of each range: one that was requested before and one that was not.
 * Nothing known is all gap.
 */
export const gapDemands = (listing: PastListing, clock: Pick<PastClock, 'grid' | 'latest'>): readonly Demand[] =>
  listing.candidates.length === 0 ? [] : GAP_RANGES.flatMap((days) => gapsOf(days, listing, clock))

function gapsOf(days: Days, listing: PastListing, { grid, latest }: Pick<PastClock, 'grid' | 'latest'>): Demand[] {
  const { interval, columns, price } = pricesOf(listing.past ?? noPast(), days, grid)
  const window = windowOf(days, interval, latest)
  const closed = range(window.from, window.to, INTERVAL_MS[interval])
  const missing = closed.filter((bucket) => !columns.has(price, bucket))
  const reached = closed.findLast((bucket) => columns.at('origin', bucket) > 0) ?? window.from
  return [true, false].flatMap((asked) => {
    const buckets = missing.filter((bucket) => bucket < reached === asked)
    const [from] = buckets
    const to = buckets.at(-1)
    if (from === undefined || to === undefined) return []
    return [gapDemand(listing, { days, interval, from, to, asked }, buckets.length)]
  })
}

/** @param missing number of its buckets without a value, weighted by the logarithm of the rank, so that no rank excludes the others */
export const gapDemand = (
  { slug, rank, candidates }: PastListing,
  gap: Pick<Demand, 'days' | 'interval' | 'from' | 'to' | 'asked'>,
  missing: number,
): Demand => ({
  slug,
  urgency: -missing / Math.log2(rank + 1),
  venues: 1,
  least: 1,
  // Exchanges before aggregators, and those first that give it in the fewest requests.
  markets: sort(
    candidates.filter(({ intervals }) => intervals.includes(barsFor(gap.interval))),
    ({ kind }) => kind === 'aggregator',
    (candidate) => requestsFor(candidate, gap).length,
    ...PREFERENCE,
  ),
  ...gap,
})
