import * as z from 'zod'
import { marketPairs } from './market-pairs.ts'
import { explained } from './optional.ts'
import { type Http, type Observation, rows, type Skipped } from './source.ts'
import { Milliseconds, NonNegative, type Percent, Positive, Text } from './wire.ts'

const List = z.array(z.unknown())

const Instrument = z
  .object({
    symbol: Text(64),
    status: z.string(),
    baseAsset: Text(64),
    quoteAsset: Text(64),
    conceptPlates: z.array(z.string()).catch([]),
  })
  .transform(({ baseAsset: base, quoteAsset: quote, conceptPlates: groups, ...rest }) => ({
    ...rest,
    base,
    quote,
    groups,
  }))

/** What differs between the venues that have the spot API of Binance. */
interface Variant {
  /** Known quote currencies, in addition to those of the instruments. */
  readonly quotes: readonly string[]
  /** States of an instrument that trades. */
  readonly open: readonly string[]
  /** Whether the base of a pair is a share of a company. `groups` are those that the venue shows the pair in. */
  readonly isStock: (base: string, groups: readonly string[]) => boolean
  /** How a change is written. */
  readonly change: typeof Percent
  /** Page of a pair, `BTC_USDT`, encoded. */
  readonly page: (pair: string) => string
}

/** The list of a venue with the spot API of Binance (developers.binance.com), which others copied. */
export function binanceApi({ quotes, open, isStock, change, page }: Variant) {
  /** A row of `/ticker/24hr`. A pair given up stays in it, all zeros. */
  const Ticker = z.object({
    symbol: Text(64),
    lastPrice: Positive,
    bidPrice: Positive,
    askPrice: Positive,
    volume: NonNegative,
    quoteVolume: NonNegative,
    priceChangePercent: change,
    closeTime: Milliseconds,
  })
  return {
    fetch: (http: Http) =>
      explained(http.json('/api/v3/ticker/24hr', List), {
        instruments: http.json('/api/v3/exchangeInfo', z.object({ symbols: List })).then(({ symbols }) => symbols),
      }),

    *parse({ tickers, known, missing }: Explained): Generator<Observation> {
      const skip = ({ status, base, groups }: z.infer<typeof Instrument>) =>
        !open.includes(status) ? 'not trading' : isStock(base, groups) ? 'tokenized stock' : null
      const pairOf = marketPairs({ schema: Instrument, instruments: known, skip, quotes, tickers })
      yield* rows(Ticker, tickers, (row) => {
        const pair = pairOf(row.symbol)
        if ('kind' in pair) return pair
        return {
          kind: 'quote',
          market: row.symbol,
          ...pair,
          last: row.lastPrice,
          bid: row.bidPrice,
          ask: row.askPrice,
          volume_24h_base: row.volume,
          volume_24h_quote: row.quoteVolume,
          percent_change_24h: row.priceChangePercent,
          at: row.closeTime,
          trade_url: page(encodeURIComponent(`${pair.base}_${pair.quote}`)),
        }
      })
      yield* missing
    },
  }
}

interface Explained {
  readonly tickers: readonly unknown[]
  readonly known: readonly unknown[]
  readonly missing: readonly Skipped[]
}
