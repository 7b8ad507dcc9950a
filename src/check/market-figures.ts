import { hoursSince } from '../contract/time.ts'
import type { Market } from '../contract/market.ts'
import { roundMoney, roundPercent, roundPrice } from '../contract/numbers.ts'
import { isFrozen } from '../feed/carry.ts'
import { STALENESS } from '../feed/freshness.ts'
import { heldPrice, marketOrder } from '../feed/market-rows.ts'
import { poolMarket } from '../feed/pools.ts'
import { qualityOf } from '../feed/quality.ts'
import { implausibleVolumes } from '../feed/credible-volume.ts'
import type { Comparison } from './deviation.ts'
import { API_FOLDER } from '../contract/prefix.ts'
import { type RunFacts, poolKey } from './run-facts.ts'

/** Compares each market row of a listing with the values computed from its members, the reference rates and the pools. */
export function compareMarkets(
  slug: string,
  markets: readonly Market[],
  facts: RunFacts,
  comparison: Comparison,
): void {
  const document = `${API_FOLDER}/assets/${slug}/markets.json`
  const implausible = implausibleVolumes(markets)
  for (const [row, market] of markets.entries()) {
    const place = (member: string) => ({ document, member: `rows[${row}].${member}` })
    if (market.exchange_type === 'dex') comparePool(slug, market, facts, { place, comparison })
    else compareQuote(market, facts, { place, comparison })
    if (isFrozen(market, markets, facts.now) || isOld(market, facts.now))
      comparison.same(place('is_stale'), {
        published: market.is_stale,
        recomputed: true,
        rule: 'its last trade is too old, or its price is unchanged while others move',
      })
    const { quality, quality_score, quality_reasons } = qualityOf(market, implausible.has(market.exchange_id))
    const rule = 'quality: 100 points less the points of each reason'
    comparison.same(place('quality'), { published: market.quality, recomputed: quality, rule })
    comparison.same(place('quality_score'), { published: market.quality_score, recomputed: quality_score, rule })
    comparison.same(place('quality_reasons'), { published: market.quality_reasons, recomputed: quality_reasons, rule })
  }
  compareOrder(document, markets, comparison)
}

const isOld = ({ last_traded_at, exchange_type }: Market, now: number): boolean =>
  exchange_type === 'cex' &&
  last_traded_at !== null &&
  hoursSince(last_traded_at, now) > STALENESS.market_hours + SECOND

/** In hours. Times are published in whole seconds, but the rule was applied to milliseconds. */
const SECOND = 1 / 3600

interface Row {
  readonly place: (member: string) => { readonly document: string; readonly member: string }
  readonly comparison: Comparison
}

/** Compares the row of an exchange: its price and volume in US dollars by the reference rate, and its spread. */
function compareQuote(market: Market, { rates, sources }: RunFacts, { place, comparison }: Row): void {
  const { price, price_usd, quote_usd, volume_24h_quote, volume_24h_usd, bid, ask } = market
  comparison.same(place('spread_percent'), {
    published: market.spread_percent,
    recomputed:
      bid === null || ask === null || bid > ask ? null : roundPercent(((ask - bid) / ((ask + bid) / 2)) * 100),
    rule: '(ask - bid) / mid x 100',
  })
  comparison.same(place('price'), {
    published: price,
    recomputed: market.last_price === null ? price : heldPrice({ last: market.last_price, bid, ask }),
    rule: 'last_price held within the book',
  })
  comparison.same(place('price_usd'), {
    published: price_usd,
    recomputed: price === null || quote_usd === null ? null : roundPrice(price * quote_usd),
    rule: 'price x quote_usd',
  })
  comparison.same(place('volume_24h_usd'), {
    published: volume_24h_usd,
    recomputed: volume_24h_quote === null || quote_usd === null ? null : roundMoney(volume_24h_quote * quote_usd),
    rule: 'volume_24h_quote x quote_usd',
  })
  const isCarried = (sources.get(market.exchange_id)?.error ?? null) !== null
  if (isCarried)
    comparison.same(place('is_stale'), {
      published: market.is_stale,
      recomputed: true,
      rule: 'its venue did not answer',
    })
  else
    comparison.same(place('quote_usd'), {
      published: quote_usd,
      recomputed: rates.get(market.quote_symbol)?.price_usd ?? null,
      rule: `reference rate of ${market.quote_symbol} in collector`,
    })
}

/** Compares the row of a pool with the pool in `dex-pairs`. */
function comparePool(slug: string, market: Market, { pools }: RunFacts, { place, comparison }: Row): void {
  const pair = pools.get(poolKey(slug, market.chain, market.contract_address))
  const rule = 'the pool in dex-pairs'
  if (!pair) {
    comparison.same(place('contract_address'), { published: market.contract_address, recomputed: null, rule })
    return
  }
  const { price_usd, volume_24h_usd, liquidity_usd, volume_24h_base, price } = poolMarket(pair)
  const recomputed = { price, price_usd, volume_24h_base, volume_24h_usd, liquidity_usd }
  for (const [member, value] of Object.entries(recomputed))
    comparison.same(place(member), { published: Reflect.get(market, member), recomputed: value, rule })
}

function compareOrder(document: string, markets: readonly Market[], comparison: Comparison): void {
  const name = ({ exchange_id, pair, contract_address }: Market) => `${exchange_id} ${pair} ${contract_address ?? ''}`
  const published = markets.map(name)
  const recomputed = markets.toSorted(marketOrder).map(name)
  const at = recomputed.findIndex((one, place) => one !== published[place])
  comparison.same(
    { document, member: at < 0 ? 'rows' : `rows[${at}]` },
    {
      published: at < 0 ? null : published[at],
      recomputed: at < 0 ? null : recomputed[at],
      rule: 'rows by volume, flagged ones last, then by venue and pair',
    },
  )
}
