import { compare } from '../contract/order.ts'
import { INTERVAL_MS } from '../contract/time.ts'
import type { Days } from '../contract/history.ts'
import { barsFor, windowOf } from './grid.ts'
import { type ListingPast, type PastClock, noPast, pricesOf } from './past.ts'
import { type Buckets, type PastMarket, type Demand, UNRANKED, byPreference, requestsFor, rotate } from './plan.ts'

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
export function gapsOf(days: Days, past: ListingPast | undefined, { grid, latest }: GapClock): readonly Gap[] {
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

/** The grid, and the latest time of any run in ms since 1970. */
type GapClock = Pick<PastClock, 'grid' | 'latest'>

/** An asset whose series have gaps, and where its past prices may be found. */
export interface Incomplete {
  readonly slug: string
  readonly rank: number | null
  readonly gaps: readonly Gap[]
  readonly candidates: readonly PastMarket[]
}

/** Returns the gaps as demands, the largest of the highest ranks first. In the rotation the candidates take turns too. */
export const gapDemands = (assets: readonly Incomplete[]): readonly Demand[] =>
  assets
    .flatMap((asset) => asset.gaps.map((gap) => ({ asset, gap })))
    .toSorted((a, b) => urgency(b) - urgency(a) || compare(a.asset.slug, b.asset.slug) || b.gap.days - a.gap.days)
    .map(({ asset: { slug, candidates }, gap }) => ({
      ...gap,
      slug,
      venues: 1,
      least: 1,
      markets: (turn) => rotate(bestFor(gap, candidates), turn),
    }))

/** Missing buckets, weighted by the logarithm of the rank, so that no rank excludes the others. */
const urgency = ({ asset: { rank }, gap }: { readonly asset: Incomplete; readonly gap: Gap }): number =>
  gap.missing / Math.log2((rank ?? UNRANKED) + 1)

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
