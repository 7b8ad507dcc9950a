import { roundMoney, roundPrice } from '../contract/numbers.ts'
import { by, groupBy } from '../contract/order.ts'
import type { StockRow } from '../contract/market.ts'
import type { Report } from '../sources/collect.ts'
import { consensusOf, within } from './consensus.ts'
import { isHeard } from './health.ts'
import type { Rates } from './rates.ts'
import { centralMean, sum } from './statistics.ts'
import { venueWeights } from './weights.ts'

/** Returns the shares that at least two venues mark and agree on. Of each venue its largest pair counts. */
export function stocksOf(reports: readonly Report[], rates: Rates): StockRow[] {
  const markets = reports.filter(isHeard).flatMap(({ source: { id, label }, stocks }) => {
    const own = stocks.flatMap(({ base, quote, last, volume_24h_base, volume_24h_quote, trade_url }) => {
      const rate = rates.get(quote)?.price_usd
      if (last === null || rate === undefined) return []
      const volume = volume_24h_quote ?? (volume_24h_base === null ? null : volume_24h_base * last)
      const market = { exchange_id: id, exchange_name: label, pair: `${base}/${quote}`, trade_url }
      return [
        {
          symbol: base,
          market: {
            ...market,
            price_usd: roundPrice(last * rate),
            volume_24h_usd: volume === null ? null : roundMoney(volume * rate),
          },
        },
      ]
    })
    const largest = own.toSorted((a, b) => volumeOf(b.market) - volumeOf(a.market))
    return [...groupBy(largest, ({ symbol }) => symbol).values()].flatMap(([first]) => first ?? [])
  })
  return [...groupBy(markets, ({ symbol }) => symbol)]
    .flatMap(
      ([symbol, own]) =>
        rowOf(
          symbol,
          own.map(({ market }) => market),
        ) ?? [],
    )
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
