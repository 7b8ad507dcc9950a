import { INTERVAL_MS } from '../contract/time.ts'
import { compare } from '../contract/order.ts'
import type { GridInterval, Interval } from '../contract/history.ts'
import type { PastRow } from '../contract/observations.ts'
import type { CandleRequest } from '../sources/source.ts'
import { barsFor } from './grid.ts'

/** A market or an aggregator that may have past prices of an asset. */
export interface PastMarket {
  readonly source_id: string
  readonly kind: 'exchange' | 'aggregator'
  /** The venue's own name of the pair, or an aggregator's id of the asset. */
  readonly market: string
  /** Currency of the prices. The caller leaves out currencies without past rates. */
  readonly quote: string
  readonly intervals: readonly Interval[]
  readonly most: number
  /** Volume of the market in US dollars; null: unknown. */
  readonly volume_24h_usd?: number | null
}

export interface RequestBudget {
  readonly perRun: number
  /** Returns the most requests of a source. */
  readonly most: (source_id: string) => number
  /** Number of the run: it grows by one from run to run, and is 0 for the first. */
  readonly turn: number
}

/** The buckets to fill: `from` and `to` are the starts of the first and the last, in ms since 1970. */
export interface Buckets {
  readonly interval: GridInterval
  readonly from: number
  readonly to: number
}

/** Bars of a listing that a run would request. */
export interface Demand extends Buckets {
  readonly slug: string
  readonly days: PastRow['days']
  /** Whether they were requested before, in vain: then they only take part in the rotation. */
  readonly asked: boolean
  /** Number of markets that are asked; where fewer than `least` are within their budget, none is. */
  readonly venues: number
  readonly least: number
  /** Those that have such bars, the best first. In the rotation each comes first in turn, where one is asked. */
  readonly markets: readonly PastMarket[]
}

/**
 * The requests that fill the buckets of one demand at one market, oldest bars first. They must be sent in this order and stop
 * at the first failure, because everything older than the newest backfilled row counts as already requested.
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

/** Share of a run's requests that rotate through all demands, including those that no source could fill so far. */
const ROTATION_SHARE = 0.25

/** In order of preference. Prices in another currency are only as good as its past rates. */
const DOLLARS = ['USD', 'USDT', 'USDC']
/** Rank of an asset without one, below every ranked asset. */
export const UNRANKED = 1_000_000

/** The number of requests that are planned. */
export const countRequests = (planned: readonly GapRequest[]): number =>
  planned.reduce((sum, { requests }) => sum + requests.length, 0)

/**
 * Returns the requests of a run, for demands in the order of their urgency: most of them for the first that fit, the rest for
 * all in turn, so that what no source can fill neither blocks the others nor is given up. A filled bucket is in no demand of
 * the next run, which therefore continues where this one stopped.
 */
export function plan(demands: readonly Demand[], { perRun, most: mostOf, turn }: RequestBudget): readonly GapRequest[] {
  const planned: GapRequest[] = []
  const spentOn = new Map<string, number>()
  let spent = 0
  const take = (demand: Demand, most: number, shift: number): boolean => {
    if (spent >= most) return false
    const { slug, days, interval, venues, markets } = demand
    const chosen: GapRequest[] = []
    for (const candidate of venues === 1 ? rotate(markets, shift) : markets) {
      if (chosen.length === venues) break
      const { source_id, market, quote } = candidate
      const requests = requestsFor(candidate, demand)
      const isOver = chosen.length === 0 && spent + requests.length > most
      if (isOver || requests.length > mostOf(source_id) - (spentOn.get(source_id) ?? 0)) continue
      chosen.push({ slug, days, interval, source_id, market, quote, requests })
    }
    const count = countRequests(chosen)
    if (chosen.length < demand.least || spent + count > most) return false
    for (const { source_id, requests } of chosen)
      spentOn.set(source_id, (spentOn.get(source_id) ?? 0) + requests.length)
    planned.push(...chosen)
    spent += count
    return true
  }
  const urgent = Math.ceil(perRun * (1 - ROTATION_SHARE))
  // A market that had nothing left no trace: in one run of four another one comes first.
  const shift = turn % 4 === 0 ? turn / 4 : 0
  const left = demands.filter((demand) => demand.asked || !take(demand, urgent, shift))
  // What the urgent ones leave is not spent on what was requested in vain.
  const mostAsked = spent + perRun - urgent
  for (const demand of rotate(left, turn * Math.max(1, perRun - urgent)))
    take(demand, demand.asked ? mostAsked : perRun, turn)
  return planned
}

const preference = ({ kind, quote }: PastMarket): number => {
  const dollars = DOLLARS.indexOf(quote)
  return (kind === 'exchange' ? 0 : DOLLARS.length + 1) + (dollars < 0 ? DOLLARS.length : dollars)
}

/** Compares candidates: exchanges first, then by how close their currency is to the dollar. */
export const byPreference = (a: PastMarket, b: PastMarket): number =>
  preference(a) - preference(b) || compare(a.source_id, b.source_id) || compare(a.market, b.market)

/** Returns the best market of each exchange with bars of a width, those with the largest volume first. */
export function onePerVenue(candidates: readonly PastMarket[], interval: GridInterval): PastMarket[] {
  const best = new Map<string, PastMarket>()
  for (const candidate of candidates) {
    if (candidate.kind !== 'exchange' || !candidate.intervals.includes(barsFor(interval))) continue
    const known = best.get(candidate.source_id)
    if (!known || byPreference(candidate, known) < 0) best.set(candidate.source_id, candidate)
  }
  return [...best.values()].toSorted(
    (a, b) => (b.volume_24h_usd ?? 0) - (a.volume_24h_usd ?? 0) || compare(a.source_id, b.source_id),
  )
}

/** Returns a list that begins with another item, so that each comes first in turn. */
function rotate<T>(list: readonly T[], by: number): readonly T[] {
  const start = list.length === 0 ? 0 : by % list.length
  return [...list.slice(start), ...list.slice(0, start)]
}

/** Returns the requests for the bars of some buckets, `most` at a time. */
export function requestsFor(
  { kind, market, most }: PastMarket,
  { interval: width, from, to }: Buckets,
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
