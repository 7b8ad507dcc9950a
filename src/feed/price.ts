import { group } from 'd3-array'
import type { PriceBasis } from '../contract/asset.ts'
import type { Market } from '../contract/market.ts'
import { roundPrice, roundShare } from '../contract/numbers.ts'
import { median, sum } from './statistics.ts'

/** The numbers of the rule; published in `collector.methodology` from here, so what is said is what is done. */
export const PRICE = {
  rule:
    'Each venue has one opinion: the median of its eligible markets. A market is an outlier when it lies further from the ' +
    'median opinion than `deviations` median absolute deviations and than `floor_percent` of the median. From the quorum ' +
    'on, the price is the volume-weighted mean of the eligible markets that are no outliers, no venue above `venue_cap`; ' +
    'below it, the mean of the aggregators that agree with the first; without one, the same mean over the venues there ' +
    'are; without one, the deepest pool. Direct and aggregated prices are never mixed.',
  quorum: 3,
  deviations: 10,
  floor_percent: 2,
  venue_cap: 0.5,
  eligible_volume_usd: 100,
  eligible_spread_percent: 10,
  aggregator_tolerance_percent: 5,
  pool_liquidity_usd: 10_000,
} as const

/** What a price is made from, and what it is. */
export interface Priced {
  readonly price_usd: number | null
  readonly basis: PriceBasis
}

/** One opinion that is not a market of ours. */
export interface Opinion {
  readonly source_id: string
  readonly pair: string
  readonly price_usd: number
}

type Basis = PriceBasis['sources'][number]
type Excluded = PriceBasis['excluded'][number]

/**
 * Why a market may not take part in a price, or null. What it reads is all published, so that anyone can tell again.
 * `is_outlier` on the way in stands for a venue that is not believed.
 */
export function ineligible(market: Market): string | null {
  if (market.exchange_type === 'dex') return 'pool'
  if (market.price_usd === null) return 'no_price'
  if (market.is_stale) return 'stale'
  if ((market.volume_24h_usd ?? 0) < PRICE.eligible_volume_usd) return 'no_volume'
  if (market.bid !== null && market.ask !== null && market.bid > market.ask) return 'crossed_book'
  if ((market.spread_percent ?? 0) > PRICE.eligible_spread_percent) return 'wide_spread'
  return null
}

/** The markets whose price disagrees with the other venues; none where fewer venues than the quorum have an opinion. */
export function outliersOf(markets: readonly Market[]): ReadonlySet<Market> {
  const eligible = markets.filter((market) => !market.is_outlier && ineligible(market) === null)
  const venues = [...group(eligible, ({ exchange_id }) => exchange_id).values()]
  if (venues.length < PRICE.quorum) return new Set()
  const opinions = venues.map((own) => median(own.map(priceOf)))
  const middle = median(opinions)
  const spread = median(opinions.map((opinion) => Math.abs(opinion - middle)))
  const reach = Math.max(PRICE.deviations * spread, (middle * PRICE.floor_percent) / 100)
  // A market that is not eligible may still be told apart: a stale or thin one far off is an outlier too.
  return new Set(markets.filter((market) => market.price_usd !== null && Math.abs(priceOf(market) - middle) > reach))
}

const priceOf = ({ price_usd }: Market): number => price_usd ?? Number.NaN

/**
 * The price of an asset. `markets` come in order of publication and with their final `is_outlier`; `aggregators` in order
 * of preference.
 */
export function price(markets: readonly Market[], aggregators: readonly Opinion[]): Priced {
  const reasons = markets.map((market) => ({ market, reason: market.is_outlier ? 'outlier' : ineligible(market) }))
  const direct = reasons.flatMap(({ market, reason }) => (reason === null ? [market] : []))
  const left = reasons.flatMap(({ market: { exchange_id, pair }, reason }) =>
    reason === null ? [] : [{ source_id: exchange_id, pair, reason }],
  )
  const venues = new Set(direct.map(({ exchange_id }) => exchange_id)).size
  if (venues >= PRICE.quorum) return meanOf('exchanges', weigh(direct), [...left, ...unused(aggregators, 'not_direct')])

  const quorum = unused(
    direct.map(({ exchange_id, pair, price_usd }) => ({ source_id: exchange_id, pair, price_usd: price_usd ?? 0 })),
    'below_quorum',
  )
  const [first] = aggregators
  if (first) {
    const agrees = ({ price_usd }: Opinion) =>
      Math.abs(price_usd / first.price_usd - 1) <= PRICE.aggregator_tolerance_percent / 100
    const heard = aggregators.filter(agrees)
    const sources = heard.map((opinion) => ({ ...opinion, weight: roundShare(1 / heard.length) }))
    const unheard = unused(
      aggregators.filter((opinion) => !agrees(opinion)),
      'disagrees',
    )
    return meanOf('aggregators', sources, [...left, ...quorum, ...unheard])
  }
  if (direct.length > 0) return meanOf('exchanges_below_quorum', weigh(direct), left)
  const deepest = deepestPool(markets)
  if (deepest)
    return meanOf(
      'dex',
      [{ ...deepest, weight: 1 }],
      left.filter(({ pair, source_id }) => pair !== deepest.pair || source_id !== deepest.source_id),
    )
  return { price_usd: null, basis: { method: 'none', sources: [], excluded: left } }
}

function deepestPool(markets: readonly Market[]): Opinion | null {
  const [deepest] = markets
    .filter(
      ({ exchange_type, is_stale, is_outlier, liquidity_usd, price_usd }) =>
        exchange_type === 'dex' &&
        !is_stale &&
        !is_outlier &&
        price_usd !== null &&
        (liquidity_usd ?? 0) >= PRICE.pool_liquidity_usd,
    )
    .toSorted((a, b) => (b.liquidity_usd ?? 0) - (a.liquidity_usd ?? 0))
  return deepest ? { source_id: deepest.exchange_id, pair: deepest.pair, price_usd: priceOf(deepest) } : null
}

const unused = (opinions: readonly Opinion[], reason: string): Excluded[] =>
  opinions.map(({ source_id, pair }) => ({ source_id, pair, reason }))

function meanOf(method: PriceBasis['method'], sources: Basis[], excluded: Excluded[]): Priced {
  const basis = { method, sources, excluded }
  return { price_usd: recompute(basis), basis }
}

/** The price that a basis stands for: the sum of price x weight over the sum of the weights, 8 significant digits. */
export function recompute({ sources }: { readonly sources: readonly Basis[] }): number | null {
  const total = sources.reduce((sum, { weight }) => sum + weight, 0)
  if (total === 0) return null
  return roundPrice(sources.reduce((sum, { price_usd, weight }) => sum + price_usd * weight, 0) / total)
}

/** Shares of the volume. What a venue has above the cap goes to the others in proportion, until none is above it. */
function weigh(markets: readonly Market[]): Basis[] {
  const volumes = new Map(
    [...group(markets, ({ exchange_id }) => exchange_id)].map(
      ([venue, own]) => [venue, sum(own.map(volumeOf))] as const,
    ),
  )
  const cap = Math.max(PRICE.venue_cap, 1 / volumes.size)
  const capped = new Set<string>()
  const shareOf = (venue: string): number => {
    if (capped.has(venue)) return cap
    const free = sum([...volumes].flatMap(([name, volume]) => (capped.has(name) ? [] : [volume])))
    return ((1 - cap * capped.size) * (volumes.get(venue) ?? 0)) / free
  }
  for (;;) {
    const heaviest = [...volumes.keys()].find((venue) => !capped.has(venue) && shareOf(venue) > cap + 1e-12)
    if (heaviest === undefined) break
    capped.add(heaviest)
  }
  return markets.map((market) => ({
    source_id: market.exchange_id,
    pair: market.pair,
    price_usd: priceOf(market),
    weight: roundShare((shareOf(market.exchange_id) * volumeOf(market)) / (volumes.get(market.exchange_id) ?? 1)),
  }))
}

const volumeOf = ({ volume_24h_usd }: Market): number => volume_24h_usd ?? 0
