import * as z from 'zod'
import { mexcCurrencies } from './mexc-currencies.ts'
import { marketPairs } from './market-pairs.ts'
import { optional } from './optional.ts'
import { rows, source } from './source.ts'
import { Fraction, Milliseconds, NonNegative, Positive, Text } from './wire.ts'
import { unread } from './rights.ts'
import { picked } from './slow-lists.ts'

const QUOTES = ['USDT', 'USDC', 'USDE', 'USD1', 'TUSD', 'BTC', 'ETH', 'MX', 'EUR', 'BRL']

const raw = z.unknown()

const Named = z.object({ symbol: Text(64) })
/** `status` was ENABLED, then 1. */
const Instrument = Named.extend({ status: z.string(), baseAsset: Text(64), quoteAsset: Text(64) })
const OPEN = new Set(['ENABLED', '1'])

/** As Binance's, but that the change called a percent is a fraction. */
const Ticker = Named.extend({
  lastPrice: Positive,
  bidPrice: Positive,
  askPrice: Positive,
  volume: NonNegative,
  quoteVolume: NonNegative,
  priceChangePercent: Fraction,
  closeTime: Milliseconds,
})

/** MEXC. 500 weight in 10 seconds, the whole list weighs 40 (mexcdevelop.github.io/apidocs). */
export const mexc = source({
  id: 'mexc',
  label: 'MEXC',
  type: 'exchange',
  host: 'api.mexc.com',
  pace: { requests: 5, perSeconds: 1 },
  slow: [
    {
      path: '/api/v3/exchangeInfo',
      hours: 24,
      keep: z.object({ symbols: picked('symbol', 'status', 'baseAsset', 'quoteAsset', 'fullName') }),
    },
  ],
  rights: unread('https://www.mexc.com/terms'),
  currencies: mexcCurrencies,

  async fetch(http) {
    const [tickers, instruments] = await Promise.all([
      http.json('/api/v3/ticker/24hr', z.array(raw)),
      optional([
        { what: 'instruments', answer: http.json('/api/v3/exchangeInfo', z.object({ symbols: z.array(raw) })) },
      ]),
    ])
    return { tickers, instruments: instruments.answers.flatMap(({ symbols }) => symbols), missing: instruments.missing }
  },

  *parse({ tickers, instruments, missing }) {
    const known = instruments.flatMap((row) => Instrument.safeParse(row).data ?? [])
    const bySymbol = new Map(known.map((instrument) => [instrument.symbol, instrument]))
    const pairs = known.map(({ symbol, baseAsset: base, quoteAsset: quote }) => [symbol, { base, quote }] as const)
    const pairOf = marketPairs({ known: new Map(pairs), quotes: QUOTES, tickers })
    yield* rows(Ticker, tickers, (row) => {
      const instrument = bySymbol.get(row.symbol)
      if (instrument && !OPEN.has(instrument.status)) return { kind: 'skipped', reason: 'not trading' }
      const pair = pairOf(row.symbol)
      if ('kind' in pair) return pair
      const { base, quote } = pair
      return {
        kind: 'quote',
        market: row.symbol,
        base,
        quote,
        last: row.lastPrice,
        bid: row.bidPrice,
        ask: row.askPrice,
        volume_24h_base: row.volume,
        volume_24h_quote: row.quoteVolume,
        percent_change_24h: row.priceChangePercent,
        at: row.closeTime,
        trade_url: `https://www.mexc.com/exchange/${encodeURIComponent(`${base}_${quote}`)}`,
      }
    })
    yield* missing
  },
})
