import { compare } from '../contract/order.ts'
import { INTERVAL_MS } from '../contract/time.ts'
import type { Days, GridInterval } from '../contract/history.ts'
import { barsFor, timestampOf, windowOf } from './grid.ts'
import { backfillsOf } from './label.ts'
import { type Buckets, type Candidate, type Demand, UNRANKED, byPreference, requestsFor, rotate } from './plan.ts'
import type { Series } from './series.ts'

/** A range of buckets of which `missing` have no value. */
export interface Gap extends Buckets {
  readonly days: Days
  readonly missing: number
  /** Whether it is older than the newest backfilled row: then a source was asked before and had no value. */
  readonly asked: boolean
}

/** Returns at most two gaps of a series: one that was requested before and one that was not. A null series is all gap. */
export function gapsOf(days: Days, interval: GridInterval, series: Series | null, now: number): readonly Gap[] {
  const last = series === null || series.to === null ? now : Date.parse(series.to)
  const window = windowOf(days, interval, Math.max(now, last))
  const present = new Set(series?.rows.map(({ timestamp }) => timestamp))
  // Only backfilled rows have no volume.
  const isBackfilled = series !== null && backfillsOf(series.sourceLabel).length > 0
  const newest = isBackfilled ? series.rows.findLast(({ volume_24h_usd }) => volume_24h_usd === null) : undefined
  const reached = newest === undefined ? window.from : Date.parse(newest.timestamp)

  const missing: number[] = []
  for (let bucket = window.from; bucket < window.to; bucket += INTERVAL_MS[interval]) {
    if (!present.has(timestampOf(bucket))) missing.push(bucket)
  }
  return [true, false].flatMap((asked) => {
    const buckets = missing.filter((bucket) => bucket < reached === asked)
    const [from] = buckets
    const to = buckets.at(-1)
    return from === undefined || to === undefined ? [] : [{ days, interval, from, to, missing: buckets.length, asked }]
  })
}

/** An asset whose series have gaps, and where its past prices may be found. */
export interface Incomplete {
  readonly slug: string
  readonly rank: number | null
  readonly gaps: readonly Gap[]
  readonly candidates: readonly Candidate[]
}

/**
 * Returns the gaps as demands, the largest of the highest ranks first. In the rotation the candidates take turns too. The
 * 90-day series is the tail of the 365-day series, so the gaps of the latter cover it.
 */
export const gapDemands = (assets: readonly Incomplete[]): readonly Demand[] =>
  assets
    .flatMap((asset) => asset.gaps.filter(({ days }) => days !== 90).map((gap) => ({ asset, gap })))
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
function bestFor(gap: Gap, candidates: readonly Candidate[]): readonly Candidate[] {
  const isLast = ({ kind }: Candidate): number => Number(kind === 'aggregator')
  return candidates
    .filter(({ intervals }) => intervals.includes(barsFor(gap.interval)))
    .map((candidate) => ({ candidate, cost: requestsFor(candidate, gap).length }))
    .toSorted(
      ({ candidate: a, cost }, { candidate: b, cost: other }) =>
        isLast(a) - isLast(b) || cost - other || byPreference(a, b),
    )
    .map(({ candidate }) => candidate)
}
