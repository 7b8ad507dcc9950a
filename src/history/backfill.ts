import { INTERVAL_MS } from '../contract/time.ts'
import { compare } from '../contract/order.ts'
import type { GridInterval, Interval } from '../contract/history.ts'
import type { PastRow } from '../contract/observations.ts'
import type { CandleRequest } from '../sources/source.ts'
import { barsFor } from './grid.ts'
import type { Gap } from './gaps.ts'

/** A market or an aggregator that may have past prices of an asset. */
export interface Candidate {
  readonly source_id: string
  readonly kind: 'exchange' | 'aggregator'
  /** The venue's own name of the pair, or an aggregator's id of the asset. */
  readonly market: string
  /** Currency of the prices. The caller leaves out currencies without past rates. */
  readonly quote: string
  readonly intervals: readonly Interval[]
  /** Maximum number of bars in one answer. */
  readonly most: number
  /** Volume of the market in US dollars; null: unknown. */
  readonly volume_24h_usd?: number | null
}

/** An asset whose series have gaps, and where its past prices may be found. */
export interface Incomplete {
  readonly slug: string
  readonly rank: number | null
  readonly gaps: readonly Gap[]
  readonly candidates: readonly Candidate[]
}

/** Limits on the requests of one run. */
export interface Budget {
  readonly perRun: number
  readonly perSource: number
  /** The most of one source, where it is less than `perSource`. */
  readonly most?: (source_id: string) => number
  /** A number that grows from run to run, such as the quarter hours since 1970. It rotates the gaps and candidates. */
  readonly turn: number
}

/**
 * The requests that fill one gap, oldest bars first. They must be sent in this order and stop at the first failure, because
 * everything older than the newest backfilled row counts as already requested.
 */
export interface GapRequest {
  readonly slug: string
  readonly days: PastRow['days']
  /** Width of the buckets to fill. */
  readonly interval: GridInterval
  readonly source_id: string
  readonly market: string
  readonly quote: string
  readonly requests: readonly CandleRequest[]
}

/** Share of a run's requests that rotate through all gaps, including those that no source could fill so far. */
export const ROTATION_SHARE = 0.25

/** In order of preference. Prices in another currency are only as good as its past rates. */
const DOLLARS = ['USD', 'USDT', 'USDC']
/** Rank of an asset without one, below every ranked asset. */
export const UNRANKED = 1_000_000

interface AssetGap {
  readonly asset: Incomplete
  readonly gap: Gap
}

/**
 * Returns the requests for past prices of a run. Most of them go to the most urgent gaps: the largest of the highest ranks
 * that were not requested before. The rest rotate through all gaps and their candidates by `turn`, so that gaps which no
 * source can fill neither block the others nor are given up. A filled gap is none in the next run, which therefore
 * continues where this one stopped.
 */
export function plan(
  assets: readonly Incomplete[],
  { perRun, perSource, most: mostOf, turn }: Budget,
): readonly GapRequest[] {
  const planned: GapRequest[] = []
  const spentOn = new Map<string, number>()
  let spent = 0

  const take = ({ asset: { slug, candidates }, gap }: AssetGap, shift: number, most: number): boolean => {
    const able = candidates
      .filter(({ intervals }) => intervals.includes(barsFor(gap.interval)))
      .map((candidate) => ({ candidate, requests: requestsFor(candidate, gap) }))
      .toSorted((a, b) => byCost(a, b) || byPreference(a.candidate, b.candidate))
    for (const { candidate, requests } of rotate(able, shift)) {
      const { source_id, market, quote } = candidate
      const spentHere = spentOn.get(source_id) ?? 0
      const limit = Math.min(perSource, mostOf?.(source_id) ?? perSource)
      if (spent + requests.length > most || spentHere + requests.length > limit) continue
      planned.push({ slug, days: gap.days, interval: gap.interval, source_id, market, quote, requests })
      spentOn.set(source_id, spentHere + requests.length)
      spent += requests.length
      return true
    }
    return false
  }

  // The 90-day series is the tail of the 365-day series, so the gaps of the latter cover it.
  const gaps = assets
    .flatMap((asset) => asset.gaps.filter(({ days }) => days !== 90).map((gap) => ({ asset, gap })))
    .toSorted((a, b) => urgency(b) - urgency(a) || compare(a.asset.slug, b.asset.slug) || b.gap.days - a.gap.days)
  const taken = new Set<AssetGap>()
  const urgent = Math.ceil(perRun * (1 - ROTATION_SHARE))
  for (const gap of gaps) {
    if (spent >= urgent) break
    if (!gap.gap.asked && take(gap, 0, urgent)) taken.add(gap)
  }
  // Requests left over from the urgent share are not spent on gaps that are not urgent.
  const most = spent + perRun - urgent
  const rest = gaps.filter((gap) => !taken.has(gap))
  for (const gap of rotate(rest, turn * (perRun - urgent))) {
    if (spent >= most) break
    take(gap, turn, most)
  }
  return planned
}

/** Missing buckets, weighted by the logarithm of the rank, so that no rank excludes the others. */
const urgency = ({ asset: { rank }, gap }: AssetGap): number => gap.missing / Math.log2((rank ?? UNRANKED) + 1)

const preference = ({ kind, quote }: Candidate): number => {
  const dollars = DOLLARS.indexOf(quote)
  return (kind === 'exchange' ? 0 : DOLLARS.length + 1) + (dollars < 0 ? DOLLARS.length : dollars)
}

interface Offer {
  readonly candidate: Candidate
  readonly requests: readonly CandleRequest[]
}

/** Exchanges before aggregators, and those first that give the whole gap in the fewest requests. */
const byCost = (a: Offer, b: Offer): number =>
  Number(a.candidate.kind === 'aggregator') - Number(b.candidate.kind === 'aggregator') ||
  a.requests.length - b.requests.length

/** Compares candidates: exchanges first, then by how close their currency is to the dollar. */
export const byPreference = (a: Candidate, b: Candidate): number =>
  preference(a) - preference(b) || compare(a.source_id, b.source_id) || compare(a.market, b.market)

/** Returns a list that begins with another item, so that each comes first in turn. */
export function rotate<T>(list: readonly T[], by: number): readonly T[] {
  const start = list.length === 0 ? 0 : by % list.length
  return [...list.slice(start), ...list.slice(0, start)]
}

/** Returns the requests for the bars of a gap, `most` at a time. */
export function requestsFor(
  { kind, market, most }: Candidate,
  { interval: width, from, to }: Gap,
): readonly CandleRequest[] {
  const interval = barsFor(width)
  const length = INTERVAL_MS[interval]
  const last = to + INTERVAL_MS[width] - length
  // An aggregator's prices may be of any time in their bucket.
  const beyond = kind === 'exchange' ? 0 : length - 1
  const requests: CandleRequest[] = []
  for (let at = from; at <= last; at += most * length) {
    requests.push({ market, interval, from: at, to: Math.min(at + (most - 1) * length, last) + beyond })
  }
  return requests
}
