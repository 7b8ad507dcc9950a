import { type Ms, DAY_MS } from '../contract/time.ts'
import { compare } from '../contract/order.ts'
import { DAILY, type DailySource } from '../contract/daily.ts'
import { type PastMarket, type Demand, onePerVenue } from './plan.ts'

/** The first block of Bitcoin: no coin traded before. */
const FIRST_DAY = Date.UTC(2009, 0, 3)

/** How many ranks later days before the first are requested of other venues. */
const OTHERS_LATER = 50

/** A listing whose whole past may be requested. */
export interface DailyListing {
  readonly slug: string
  readonly rank: number
  readonly candidates: readonly PastMarket[]
  /** What is published of its daily bars; null: nothing. */
  readonly known: { readonly from: string | null; readonly sources: readonly DailySource[] } | null
}

interface Due extends Demand {
  readonly urgency: number
}

/** The last day that is final, in ms since 1970. */
export const lastFinalDay = (now: Ms): number => Math.floor(now / DAY_MS - DAILY.final_days - 1) * DAY_MS

/** Whether an answer shows that a venue has no older bars than those of it. */
export const isEndOf = (oldest: number | undefined, askedFrom: number): boolean =>
  askedFrom <= FIRST_DAY || oldest === undefined || oldest - askedFrom > DAILY.end_days * DAY_MS

/** Returns the daily bars of the past that are to be requested next, those of the largest listings first. */
export const dailyDemands = (listings: readonly DailyListing[], now: Ms): readonly Demand[] =>
  listings
    .flatMap((listing) => dueOf(listing, lastFinalDay(now)) ?? [])
    .toSorted((a, b) => a.urgency - b.urgency || compare(a.slug, b.slug))

function dueOf({ slug, rank, candidates, known }: DailyListing, last: number): Due | null {
  const venues = venuesOf(candidates)
  if (venues.length === 0) return null
  const best = venues.slice(0, rank <= DAILY.compared_listings ? 2 : 1)
  const due = (
    own: readonly PastMarket[],
    to: number,
    from = to - (DAILY.window_days - 1) * DAY_MS,
    later = 1,
  ): Due => ({
    slug,
    days: 'all',
    interval: '1d',
    urgency: rank * later,
    from: Math.max(from, FIRST_DAY),
    to,
    asked: false,
    venues: own.length,
    least: own.length,
    markets: () => own,
  })
  if (known === null || known.sources.length === 0) return due(best, last)

  const askedOf = ({ source_id, market }: PastMarket) =>
    known.sources.find((one) => one.source_id === source_id && one.market === market)
  const newest = Math.max(...known.sources.map(({ to }) => Date.parse(to)))
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
  const to = known.from === null ? last : Date.parse(known.from) - DAY_MS
  return other && to >= FIRST_DAY ? due([other], to, undefined, OTHERS_LATER) : null
}

/** Returns the best market of each exchange: those that give a window in the fewest requests, then by volume. */
function venuesOf(candidates: readonly PastMarket[]): PastMarket[] {
  const cost = ({ most }: PastMarket) => Math.ceil(DAILY.window_days / most)
  return onePerVenue(candidates, '1d').toSorted((a, b) => cost(a) - cost(b))
}
