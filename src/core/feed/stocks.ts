import { roundMoney, roundPrice } from '../contract/numbers.ts'
import { by, groupBy } from '../contract/order.ts'
import { isoOf } from '../contract/time.ts'
import type { StockRow } from '../contract/market.ts'
import type { Report } from '../sources/collect.ts'
import { consensusOf, within } from './consensus.ts'
import { hasAnswered } from './health.ts'
import { marketOf } from './market-rows.ts'
import type { Rates } from './rates.ts'
import { centralMean, sum } from './statistics.ts'
import { venueWeights } from './weights.ts'

/** Returns the shares that at least two venues mark and agree on. Of each venue its largest pair counts. */
export function stocksOf(reports: readonly Report[], rates: Rates): StockRow[] {
  const markets = reports.filter(hasAnswered).flatMap(({ source: { id, label }, attemptedAt: now, stocks }) => {
    const origin = { id, label, now, collected_at: isoOf(now) }
    const own = stocks.flatMap((quote) => {
      // A share is matched to no listing.
      const { price_usd, ...market } = marketOf(quote, origin, { matched_by: null, matched_at: null }, rates)
      return price_usd === null ? [] : [{ ...market, price_usd }]
    })
    const largest = own.toSorted((a, b) => volumeOf(b) - volumeOf(a))
    return [...groupBy(largest, ({ base_symbol }) => base_symbol).values()].flatMap(([first]) => first ?? [])
  })
  return [...groupBy(markets, ({ base_symbol }) => base_symbol)]
    .flatMap(([symbol, own]) => rowOf(symbol, own) ?? [])
    .toSorted(by(({ symbol }) => symbol))
}

const volumeOf = ({ volume_24h_usd }: Pick<StockRow, 'volume_24h_usd'>): number => volume_24h_usd ?? 0

function rowOf(symbol: string, markets: StockRow['venues']): StockRow | null {
  const consensus = consensusOf(markets.map(({ price_usd }) => price_usd))
  const venues = markets
    .filter(({ price_usd }) => within(consensus, price_usd))
    .toSorted((a, b) => volumeOf(b) - volumeOf(a))
  if (venues.length < 2 || !consensus.majority) return null
  const weights = venueWeights(venues.map(volumeOf))
  const price_usd = centralMean(venues.map((one, index) => ({ value: one.price_usd, weight: weights[index] ?? 0 })))
  const volumes = venues.flatMap(({ volume_24h_usd }) => volume_24h_usd ?? [])
  return {
    symbol,
    price_usd: roundPrice(price_usd),
    volume_24h_usd: volumes.length === 0 ? null : roundMoney(sum(volumes)),
    venues,
  }
}
