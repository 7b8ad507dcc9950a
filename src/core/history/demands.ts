import { VENUES_OF_BAR } from '../contract/candles.ts'
import { DAILY } from '../contract/daily.ts'
import type { Days } from '../contract/history.ts'
import { by, compare } from '../contract/order.ts'
import { type Ms, DAY_MS, HOUR_MS, INTERVAL_MS } from '../contract/time.ts'
import { newestBar } from './bars.ts'
import { type Moment, barsFor, bucketOf, windowOf } from './grid.ts'
import { type ListingPast, type PastClock, noPast, pricesOf } from './past.ts'
import { type Buckets, type Demand, type PastMarket, byPreference, onePerVenue, requestsFor } from './plan.ts'

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

/** Returns the bars that are due, those of the largest listings first: each of up to {@link VENUES_OF_BAR} venues. */
export const candleDemands = (listings: readonly PastListing[], moment: Moment): readonly Demand[] =>
  listings
    .filter(({ rank }) => rank <= FOLLOWING.listings)
    .toSorted(by((row) => row.rank))
    .flatMap((listing) => dueBars(listing, moment))

const dueBars = ({ slug, candidates, past }: PastListing, { grid, now }: Moment): Demand[] =>
  WIDTHS.flatMap(({ days, reach, due }) => {
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
    return [{ slug, days, interval, from, to, asked: false, venues: VENUES_OF_BAR, least: 1, markets }]
  })

/** The first block of Bitcoin: no coin traded before. */
const FIRST_DAY = Date.UTC(2009, 0, 3)

/** How many ranks later days before the first are requested of other venues. */
const OTHERS_LATER = 50

/** The last day that is final, in ms since 1970. */
export const lastFinalDay = (now: Ms): number => Math.floor(now / DAY_MS - DAILY.final_days - 1) * DAY_MS

/** Whether an answer shows that a venue has no older bars than those of it. */
export const isEndOf = (oldest: number | undefined, askedFrom: number): boolean =>
  askedFrom <= FIRST_DAY || oldest === undefined || oldest - askedFrom > DAILY.end_days * DAY_MS

/** Returns the daily bars of the past that are to be requested next, those of the largest listings first. */
export const dailyDemands = (listings: readonly PastListing[], now: Ms): readonly Demand[] =>
  listings
    .flatMap((listing) => dueDays(listing, lastFinalDay(now)) ?? [])
    .toSorted((a, b) => a.urgency - b.urgency || compare(a.slug, b.slug))

function dueDays({ slug, rank, candidates, past }: PastListing, last: Ms) {
  const venues = venuesOf(candidates)
  if (venues.length === 0) return null
  const best = venues.slice(0, rank <= DAILY.compared_listings ? 2 : 1)
  const due = (
    markets: readonly PastMarket[],
    to: number,
    from = to - (DAILY.window_days - 1) * DAY_MS,
    later = 1,
  ): Demand & { readonly urgency: number } => ({
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
  if (past === undefined || past.asked.length === 0) return due(best, last)

  const askedOf = ({ source_id, market }: PastMarket) =>
    past.asked.find((one) => one.source_id === source_id && one.market === market)
  const newest = Math.max(...past.asked.map(({ to }) => Date.parse(to)))
  if (newest <= last - DAILY.refresh_days * DAY_MS) {
    const same = venues.filter((venue) => Date.parse(askedOf(venue)?.to ?? '') === newest)
    return due(same.length > 0 ? same : best, last, newest + DAY_MS)
  }
  const open = venues.flatMap((venue) => {
    const asked = askedOf(venue)
    return asked && !asked.complete ? [{ venue, from: Date.parse(asked.from) }] : []
  })
  if (open.length > 0) {
    const from = Math.max(...open.map((one) => one.from))
    const own = open.flatMap((one) => (one.from === from ? [one.venue] : []))
    return due(own, from - DAY_MS)
  }
  const other = venues.find((venue) => !askedOf(venue))
  const first = past.days.first('venues')
  const to = first === null ? last : first - DAY_MS
  return other && to >= FIRST_DAY ? due([other], to, undefined, OTHERS_LATER) : null
}

/** Returns the best market of each exchange: those that give a window in the fewest requests, then by volume. */
function venuesOf(candidates: readonly PastMarket[]): PastMarket[] {
  const cost = ({ most }: PastMarket) => Math.ceil(DAILY.window_days / most)
  return onePerVenue(candidates, '1d').toSorted((a, b) => cost(a) - cost(b))
}

/** A range of buckets of which `missing` have no value. */
export interface Gap extends Buckets {
  readonly days: Days
  readonly missing: number
  /** Whether it is older than the newest backfilled row: then a source was asked before and had no value. */
  readonly asked: boolean
}

/**
 * Returns at most two gaps of a range of a listing: one that was requested before and one that was not. Nothing known is all
 * gap.
 */
export function gapsOf(
  days: Days,
  past: ListingPast | undefined,
  { grid, latest }: Pick<PastClock, 'grid' | 'latest'>,
): readonly Gap[] {
  const { interval, columns, price } = pricesOf(past ?? noPast(), days, grid)
  const window = windowOf(days, interval, latest)
  const missing: number[] = []
  let reached = window.from
  for (let bucket = window.from; bucket < window.to; bucket += INTERVAL_MS[interval]) {
    if (!columns.has(price, bucket)) missing.push(bucket)
    else if (columns.at('origin', bucket) > 0) reached = bucket
  }
  return [true, false].flatMap((asked) => {
    const buckets = missing.filter((bucket) => bucket < reached === asked)
    const [from] = buckets
    const to = buckets.at(-1)
    return from === undefined || to === undefined ? [] : [{ days, interval, from, to, missing: buckets.length, asked }]
  })
}

/** A listing whose series have gaps. */
export interface Incomplete extends Omit<PastListing, 'past'> {
  readonly gaps: readonly Gap[]
}

/** Returns the gaps as demands, the largest of the highest ranks first. */
export const gapDemands = (listings: readonly Incomplete[]): readonly Demand[] =>
  listings
    .flatMap(({ gaps, ...listing }) => gaps.map((gap) => ({ ...listing, gap })))
    .toSorted((a, b) => urgency(b) - urgency(a) || compare(a.slug, b.slug) || b.gap.days - a.gap.days)
    .map(({ slug, candidates, gap }) => ({ ...gap, slug, venues: 1, least: 1, markets: bestFor(gap, candidates) }))

/** Missing buckets, weighted by the logarithm of the rank, so that no rank excludes the others. */
const urgency = ({ rank, gap }: { readonly rank: number; readonly gap: Gap }): number =>
  gap.missing / Math.log2(rank + 1)

/** Returns the candidates for a gap: exchanges before aggregators, and those first that give it in the fewest requests. */
function bestFor(gap: Gap, candidates: readonly PastMarket[]): readonly PastMarket[] {
  const isLast = ({ kind }: PastMarket): number => Number(kind === 'aggregator')
  return candidates
    .filter(({ intervals }) => intervals.includes(barsFor(gap.interval)))
    .map((candidate) => ({ candidate, cost: requestsFor(candidate, gap).length }))
    .toSorted(
      ({ candidate: a, cost }, { candidate: b, cost: other }) =>
        isLast(a) - isLast(b) || cost - other || byPreference(a, b),
    )
    .map(({ candidate }) => candidate)
}
