import { compare, by } from '../contract/order.ts'
import { DAY_MS, HOUR_MS, INTERVAL_MS } from '../contract/time.ts'
import { VENUES_OF_BAR } from '../contract/candles.ts'
import type { Days, Grid, GridInterval } from '../contract/history.ts'
import {
  type Budget,
  type Candidate,
  type GapRequest,
  ROTATION_SHARE,
  byPreference,
  requestsFor,
  rotate,
} from './backfill.ts'
import { barsFor, bucketOf, windowOf } from './grid.ts'

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

interface At {
  readonly grid: Grid
  /** In ms since 1970. */
  readonly now: number
}

/** A listing whose candles may be followed. */
export interface Followed {
  readonly slug: string
  readonly rank: number
  readonly candidates: readonly Candidate[]
  /** Returns the start of the newest bar of a range in ms since 1970; null if it has none. */
  readonly newest: (days: Days) => number | null
}

interface Due {
  readonly slug: string
  readonly days: Days
  readonly interval: GridInterval
  readonly from: number
  readonly to: number
  readonly candidates: readonly Candidate[]
}

/**
 * Returns the requests for the bars that are due: most of the budget for the largest listings, the rest for all in turn.
 * Each bar is requested at up to {@link VENUES_OF_BAR} venues, those with the largest volume.
 */
export function planCandles(listings: readonly Followed[], budget: Budget, moment: At): readonly GapRequest[] {
  const most = Math.floor(budget.perRun * FOLLOWING.share)
  const urgent = Math.ceil(most * (1 - ROTATION_SHARE))
  const due = listings.toSorted(by((row) => row.rank)).flatMap((listing) => dueOf(listing, moment))
  const planned: GapRequest[] = []
  const spending = new Spending(budget)
  const left: Due[] = []
  for (const one of due) {
    const requests = spending.take(one, urgent)
    if (requests.length === 0) left.push(one)
    planned.push(...requests)
  }
  for (const one of rotate(left, budget.turn * Math.max(1, most - urgent))) planned.push(...spending.take(one, most))
  return planned
}

/** Requests that are planned so far, in all and by source. */
class Spending {
  readonly #budget: Budget
  readonly #bySource = new Map<string, number>()
  #spent = 0

  constructor(budget: Budget) {
    this.#budget = budget
  }

  /** Plans the bars of a listing at as many venues as the budgets allow; none if they do not fit within `most`. */
  take({ slug, days, interval, from, to, candidates }: Due, most: number): GapRequest[] {
    const gap = { days, interval, from, to, missing: 0, asked: false }
    const venues: GapRequest[] = []
    let count = 0
    for (const candidate of candidates) {
      if (venues.length === VENUES_OF_BAR) break
      const { source_id, market, quote } = candidate
      const requests = requestsFor(candidate, gap)
      if ((this.#bySource.get(source_id) ?? 0) + requests.length > this.#mostOf(source_id)) continue
      venues.push({ slug, days, interval, source_id, market, quote, requests })
      count += requests.length
    }
    if (this.#spent + count > most) return []
    this.#spent += count
    for (const { source_id, requests } of venues)
      this.#bySource.set(source_id, (this.#bySource.get(source_id) ?? 0) + requests.length)
    return venues
  }

  #mostOf(source_id: string): number {
    const { perSource, most } = this.#budget
    return Math.ceil(Math.min(perSource, most?.(source_id) ?? perSource) * FOLLOWING.sourceShare)
  }
}

/** The widths of a listing whose newest bars are due. */
function dueOf({ slug, candidates, newest }: Followed, { grid, now }: At): Due[] {
  return WIDTHS.flatMap(({ days, reach, due }) => {
    const [interval, coarse] = [grid[days], grid[reach]]
    const venues = onePerVenue(candidates.filter(({ intervals }) => intervals.includes(barsFor(interval))))
    const to = bucketOf(now, interval) - INTERVAL_MS[interval]
    const known = [days, reach].map(newest)
    const oldest = known.includes(null) ? null : Math.min(...known.map((at) => at ?? 0))
    if (venues.length === 0 || (oldest !== null && to - (newest(days) ?? 0) < due)) return []
    // A range ends with the newest closed bucket, one before that of the window.
    const window = windowOf(reach, coarse, now).from - INTERVAL_MS[coarse]
    // One bucket more than is new: its last bars may have come late.
    const from = oldest === null ? window : Math.max(window, bucketOf(oldest, coarse) - INTERVAL_MS[coarse])
    return [{ slug, days, interval, from, to, candidates: venues }]
  })
}

/** Returns the best market of each exchange, those with the largest volume first. */
export function onePerVenue(candidates: readonly Candidate[]): Candidate[] {
  const best = new Map<string, Candidate>()
  for (const candidate of candidates.filter(({ kind }) => kind === 'exchange')) {
    const known = best.get(candidate.source_id)
    if (!known || byPreference(candidate, known) < 0) best.set(candidate.source_id, candidate)
  }
  return [...best.values()].toSorted(
    (a, b) => (b.volume_24h_usd ?? 0) - (a.volume_24h_usd ?? 0) || compare(a.source_id, b.source_id),
  )
}
