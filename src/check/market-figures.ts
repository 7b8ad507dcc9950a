import { hoursSince } from '../contract/time.ts'
import type { DexPair } from '../contract/dex-pair.ts'
import type { Market } from '../contract/market.ts'
import { roundMoney, roundPercent, roundPrice } from '../contract/numbers.ts'
import { API_FOLDER } from '../contract/prefix.ts'
import { isFrozen } from '../feed/carry.ts'
import { STALENESS } from '../feed/freshness.ts'
import type { Listing } from '../feed/listing.ts'
import { heldPrice, marketOrder } from '../feed/market-rows.ts'
import { poolMarket } from '../feed/pools.ts'
import { qualityOf } from '../feed/quality.ts'
import { implausibleVolumes } from '../feed/credible-volume.ts'
import type { CompareMembers, Comparison } from './deviation.ts'
import { type RunFacts, poolKey } from './run-facts.ts'

type Compare = CompareMembers<Market>

/** Compares each market row of a listing with the values computed from its members, the reference rates and the pools. */
export function compareMarkets({ asset: { slug }, markets }: Listing, facts: RunFacts, comparison: Comparison): void {
  const document = `${API_FOLDER}/assets/${slug}/markets.json`
  const implausible = implausibleVolumes(markets)
  for (const [row, market] of markets.entries()) {
    const compare = comparison.membersOf(document, market, `rows[${row}]`)
    if (market.exchange_type === 'dex') comparePool(slug, market, facts, compare)
    else compareQuote(market, facts, compare)
    compareAge(market, facts, compare)
    if (isFrozen(market, markets, facts.now) || isOld(market, facts.now))
      compare({ is_stale: true }, 'its last trade is too old, or its price is unchanged while others move')
    const { quality, quality_score, quality_reasons } = qualityOf(market, implausible.has(market.exchange_id))
    compare({ quality, quality_score, quality_reasons }, 'quality: 100 points less the points of each reason')
  }
  compareOrder(document, markets, comparison)
}

const isOld = ({ last_traded_at, exchange_type }: Market, now: number): boolean =>
  exchange_type === 'cex' &&
  last_traded_at !== null &&
  hoursSince(last_traded_at, now) > STALENESS.market_hours + SECOND

/** In hours. Times are published in whole seconds, but the rule was applied to milliseconds. */
const SECOND = 1 / 3600

/** Compares the age of a row with the last answer of its source. */
function compareAge({ source_label, collected_at }: Market, { byLabel, at }: RunFacts, compare: Compare): void {
  const source = byLabel.get(source_label)
  if (!source) {
    compare({ source_label: null }, 'a source of the feed')
    return
  }
  const { error, last_success } = source
  if (error !== null || last_success !== at) compare({ is_stale: true }, 'its source did not answer')
  if (collected_at > (last_success ?? '')) compare({ collected_at: last_success }, 'the last answer of its source')
}

/** Compares the row of an exchange: its price and volume in US dollars by the reference rate, and its spread. */
function compareQuote(market: Market, { rates, sources }: RunFacts, compare: Compare): void {
  const { price, quote_usd, volume_24h_quote: volume, bid, ask, last_price: last } = market
  const spread =
    bid === null || ask === null || bid > ask ? null : roundPercent(((ask - bid) / ((ask + bid) / 2)) * 100)
  compare({ spread_percent: spread }, '(ask - bid) / mid x 100')
  if (last !== null) compare({ price: heldPrice({ last, bid, ask }) }, 'last_price held within the book')
  const inDollars = (value: number | null, round: (dollars: number) => number | null) =>
    value === null || quote_usd === null ? null : round(value * quote_usd)
  compare({ price_usd: inDollars(price, roundPrice) }, 'price x quote_usd')
  compare({ volume_24h_usd: inDollars(volume, roundMoney) }, 'volume_24h_quote x quote_usd')
  if ((sources.get(market.exchange_id)?.error ?? null) === null)
    compare(
      { quote_usd: rates.get(market.quote_symbol)?.price_usd ?? null },
      `reference rate of ${market.quote_symbol} in collector`,
    )
}

/** Compares the row of a pool with the pool in `dex-pairs`. */
function comparePool(slug: string, { chain, contract_address }: Market, { pools }: RunFacts, compare: Compare): void {
  const pair = pools.get(poolKey(slug, chain, contract_address))
  const rule = 'the pool in dex-pairs'
  if (!pair) {
    compare({ contract_address: null }, rule)
    return
  }
  const { price_usd, volume_24h_usd, liquidity_usd, volume_24h_base, price, collected_at, is_stale } = poolMarket(pair)
  compare({ price, price_usd, volume_24h_base, volume_24h_usd, liquidity_usd, collected_at, is_stale }, rule)
}

function compareOrder(document: string, markets: readonly Market[], comparison: Comparison): void {
  const name = ({ exchange_id, pair, contract_address }: Market) => `${exchange_id} ${pair} ${contract_address ?? ''}`
  const rule = 'rows by volume, flagged ones last, then by venue and pair'
  comparison.deep(document, 'rows', {
    published: markets.map(name),
    recomputed: markets.toSorted(marketOrder).map(name),
    rule,
  })
}

/** Compares the number of pools with that of their ids. */
export function comparePools(pairs: readonly DexPair[], comparison: Comparison): void {
  const recomputed = new Set(pairs.map(({ pair_id }) => pair_id)).size
  comparison.same(`${API_FOLDER}/dex-pairs.json`, 'rows', {
    published: pairs.length,
    recomputed,
    rule: 'each pool once',
  })
}
