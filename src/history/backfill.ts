import type { Days, GridInterval, Interval } from '../contract/history.ts'
import type { CandleAsk } from '../sources/source.ts'
import { LENGTH_OF, barsFor } from './grid.ts'
import type { Gap } from './gaps.ts'

/** A place that may know past prices of an asset. */
export interface Candidate {
  readonly source_id: string
  readonly kind: 'exchange' | 'aggregator'
  /** The venue's own name of the pair, or an aggregator's id of the asset. */
  readonly market: string
  /** Currency the prices are in. The caller leaves out pairs whose rate of that time it does not know. */
  readonly quote: string
  readonly intervals: readonly Interval[]
  /** Most bars in one answer. */
  readonly most: number
}

/** An asset, what its series lack and who may know. */
export interface Wanted {
  readonly slug: string
  readonly rank: number | null
  readonly gaps: readonly Gap[]
  readonly candidates: readonly Candidate[]
}

export interface Budget {
  /** Most requests in this run, and of these most to one source. */
  readonly perRun: number
  readonly perSource: number
  /** A number that grows from run to run, such as the quarter hours since 1970. */
  readonly turn: number
}

/**
 * The requests for one gap, oldest bars first. They are made in this order and given up at the first that fails: what
 * lies behind the newest backfilled row counts as asked for.
 */
export interface Ask {
  readonly slug: string
  readonly days: Days
  /** Width of the buckets to fill. */
  readonly interval: GridInterval
  readonly source_id: string
  readonly market: string
  readonly quote: string
  readonly requests: readonly CandleAsk[]
}

/** Share of a run's requests that go round all gaps in turn, those that nobody could fill among them. */
export const ROUND_SHARE = 0.25

// Preferred in this order; another currency is as good as the rate it is converted with.
const DOLLARS = ['USD', 'USDT', 'USDC']
// An asset without a rank stands behind every one that has one.
const UNRANKED = 1_000_000

interface Errand {
  readonly wanted: Wanted
  readonly gap: Gap
}

/**
 * Which past prices a run asks for. Most requests go to what is most urgent: the largest gaps of the highest ranks that
 * were not asked for before. The rest go round all gaps, each run beginning where `turn` puts it and trying another
 * candidate, so that gaps which nobody fills neither hold up the others nor are given up. What one run fills is no gap
 * in the next, so that the next goes on where this one stopped.
 */
export function plan(wanted: readonly Wanted[], { perRun, perSource, turn }: Budget): readonly Ask[] {
  const asks: Ask[] = []
  const spentOn = new Map<string, number>()
  let spent = 0

  const take = ({ wanted: { slug, candidates }, gap }: Errand, shift: number, most: number): boolean => {
    const able = candidates.filter(({ intervals }) => intervals.includes(barsFor(gap.interval))).toSorted(byPreference)
    for (const candidate of rotate(able, shift)) {
      const { source_id, market, quote } = candidate
      const requests = requestsFor(candidate, gap)
      const spentHere = spentOn.get(source_id) ?? 0
      if (spent + requests.length > most || spentHere + requests.length > perSource) continue
      asks.push({ slug, days: gap.days, interval: gap.interval, source_id, market, quote, requests })
      spentOn.set(source_id, spentHere + requests.length)
      spent += requests.length
      return true
    }
    return false
  }

  // The 90 days are filled with the 365 of which they are the tail.
  const errands = wanted
    .flatMap((wanted) => wanted.gaps.filter(({ days }) => days !== 90).map((gap) => ({ wanted, gap })))
    .toSorted((a, b) => urgency(b) - urgency(a) || compare(a.wanted.slug, b.wanted.slug) || b.gap.days - a.gap.days)
  const taken = new Set<Errand>()
  const urgent = Math.ceil(perRun * (1 - ROUND_SHARE))
  for (const errand of errands) {
    if (spent >= urgent) break
    if (!errand.gap.asked && take(errand, 0, urgent)) taken.add(errand)
  }
  // Whatever the first part left unspent stays unspent: where nothing is urgent, nobody is asked with urgency.
  const most = spent + perRun - urgent
  const rest = errands.filter((errand) => !taken.has(errand))
  for (const errand of rotate(rest, turn * (perRun - urgent))) {
    if (spent >= most) break
    take(errand, turn, most)
  }
  return asks
}

/** A gap counts by its buckets, and half as much where the rank is squared: no rank shuts out the others. */
const urgency = ({ wanted: { rank }, gap }: Errand): number => gap.missing / Math.log2((rank ?? UNRANKED) + 1)

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const preference = ({ kind, quote }: Candidate): number => {
  const dollars = DOLLARS.indexOf(quote)
  return (kind === 'exchange' ? 0 : DOLLARS.length + 1) + (dollars < 0 ? DOLLARS.length : dollars)
}

const byPreference = (a: Candidate, b: Candidate): number =>
  preference(a) - preference(b) || compare(a.source_id, b.source_id) || compare(a.market, b.market)

function rotate<T>(list: readonly T[], by: number): readonly T[] {
  const start = list.length === 0 ? 0 : by % list.length
  return [...list.slice(start), ...list.slice(0, start)]
}

/** The bars of a gap, `most` at a time. */
function requestsFor({ kind, market, most }: Candidate, { interval: width, from, to }: Gap): readonly CandleAsk[] {
  const interval = barsFor(width)
  const length = LENGTH_OF[interval]
  const last = to + LENGTH_OF[width] - length
  // An aggregator's prices lie anywhere in their bucket.
  const beyond = kind === 'exchange' ? 0 : length - 1
  const requests: CandleAsk[] = []
  for (let at = from; at <= last; at += most * length) {
    requests.push({ market, interval, from: at, to: Math.min(at + (most - 1) * length, last) + beyond })
  }
  return requests
}
