import { group, sort, sum } from 'd3-array'
import { type Ms, INTERVAL_MS } from '../contract/time.ts'
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

/** Bars of a listing that a run would request: those of the buckets from the one that starts at `from` to that at `to`. */
export interface Demand extends Pick<PastRow, 'slug' | 'days' | 'interval'> {
  readonly from: Ms
  readonly to: Ms
  /** The lowest is the first in the plan. */
  readonly urgency: number
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
export type GapRequest = Omit<PastRow, 'asked' | 'bars'> & { readonly requests: readonly CandleRequest[] }

/** Share of a run's requests that rotate through all demands, including those that no source could fill so far. */
const ROTATION_SHARE = 0.25

/** The coins that past prices are quoted in beside the dollar, by symbol, the preferred one first. */
export const REFERENCES: ReadonlyMap<string, string> = new Map([
  ['USDT', 'tether'],
  ['USDC', 'usd-coin'],
])
const DOLLARS = ['USD', ...REFERENCES.keys()]

/** Whether a listing is a coin that the past prices of others are quoted in. */
export const isReference = (slug: string): boolean => [...REFERENCES.values()].includes(slug)

/** Rank of an asset without one, below every ranked asset. */
export const UNRANKED = 1_000_000

export const countRequests = (planned: readonly GapRequest[]): number => sum(planned, ({ requests }) => requests.length)

/**
 * Returns the requests of a run, for demands in the order of their urgency, and before each those of the coins that it may be
 * quoted in: most of them for the first that fit, the rest for all in turn, so that what no source can fill neither blocks the
 * others nor is given up. A filled bucket is in no demand of the next run, which therefore continues where this one stopped.
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
      // In the order of the schema: the digest of an answer depends on it.
      chosen.push({ source_id, kind: 'past', slug, days, interval, market, quote, requests })
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
  const left = inOrder(demands).filter((demand) => demand.asked || !take(demand, urgent, shift))
  // What the urgent ones leave is not spent on what was requested in vain.
  const mostAsked = spent + perRun - urgent
  for (const demand of rotate(left, turn * Math.max(1, perRun - urgent)))
    take(demand, demand.asked ? mostAsked : perRun, turn)
  return planned
}

function inOrder(unsorted: readonly Demand[]): readonly Demand[] {
  const demands = sort(
    unsorted,
    ({ urgency }) => urgency,
    ({ slug }) => slug,
  )
  const references = demands.filter(({ slug }) => isReference(slug))
  const before = ({ markets }: Demand) =>
    references.filter(({ slug }) => markets.some(({ quote }) => REFERENCES.get(quote) === slug))
  return references.length === 0 ? demands : [...new Set(demands.flatMap((one) => [...before(one), one]))]
}

/** Sorts candidates: exchanges first, then by how close their currency is to the dollar: others are as good as their rates. */
export const PREFERENCE = [
  ({ kind }: PastMarket) => kind === 'aggregator',
  ({ quote }: PastMarket) => (DOLLARS.includes(quote) ? DOLLARS.indexOf(quote) : DOLLARS.length),
  ({ source_id }: PastMarket) => source_id,
  ({ market }: PastMarket) => market,
] as const

/** Returns the best market of each exchange with bars of a width, those with the largest volume first. */
export function onePerVenue(candidates: readonly PastMarket[], interval: GridInterval): PastMarket[] {
  const able = candidates.filter(({ kind, intervals }) => kind === 'exchange' && intervals.includes(barsFor(interval)))
  const byVenue = group(sort(able, ...PREFERENCE), ({ source_id }) => source_id)
  const best = [...byVenue.values()].flatMap(([first]) => first ?? [])
  return sort(
    best,
    ({ volume_24h_usd }) => -(volume_24h_usd ?? 0),
    ({ source_id }) => source_id,
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
  { interval: width, from, to }: Pick<Demand, 'interval' | 'from' | 'to'>,
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
