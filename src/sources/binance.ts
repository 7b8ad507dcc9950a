import * as z from 'zod'
import { BarRow } from './bar-row.ts'
import { marketPairs } from './market-pairs.ts'
import { optional } from './optional.ts'
import { rows, source, type Candles } from './source.ts'
import { Milliseconds, NonNegative, Percent, Positive, Text } from './wire.ts'
import { unread } from './rights.ts'
import { picked } from './slow-lists.ts'

/** Known quote currencies, in addition to those of the instruments. */
const QUOTES = [
  'USDT',
  'USDC',
  'FDUSD',
  'TUSD',
  'BUSD',
  'USD1',
  'USDP',
  'USDS',
  'UST',
  'PAX',
  'DAI',
  'VAI',
  'EURI',
  'IDRT',
  'BTC',
  'ETH',
  'BNB',
  'TRX',
  'XRP',
  'DOGE',
  'DOT',
  'SOL',
  'BIDR',
  'BKRW',
  'BVND',
  'EUR',
  'GBP',
  'TRY',
  'BRL',
  'ARS',
  'AUD',
  'COP',
  'CZK',
  'IDR',
  'JPY',
  'MXN',
  'NGN',
  'PLN',
  'RON',
  'RUB',
  'UAH',
  'ZAR',
]

const Named = z.object({ symbol: Text(64) })
const Instrument = Named.extend({ status: z.string(), baseAsset: Text(64), quoteAsset: Text(64) })

/** A row of `/ticker/24hr`. A pair given up stays in it, all zeros. */
const Ticker = Named.extend({
  lastPrice: Positive,
  bidPrice: Positive,
  askPrice: Positive,
  volume: NonNegative,
  quoteVolume: NonNegative,
  priceChangePercent: Percent,
  closeTime: Milliseconds,
})

const raw = z.unknown()

const candles: Candles = {
  intervals: ['15m', '1h', '4h', '1d'],
  most: 1000,
  async ask(http, { market, interval, from, to }) {
    const range = `startTime=${from}&endTime=${to}&limit=1000`
    const path = `/api/v3/klines?symbol=${encodeURIComponent(market)}&interval=${interval}&${range}`
    const bars = await http.json(path, z.array(raw))
    return bars.flatMap((bar) => BarRow.safeParse(bar).data ?? [])
  },
}

/** Binance. The whole list weighs 80 of 6,000 a minute and candles weigh 2 (developers.binance.com). */
export const binance = source({
  id: 'binance',
  label: 'Binance',
  type: 'exchange',
  host: 'api.binance.com',
  pace: { requests: 10, perSeconds: 1 },
  // Each of 3,500 instruments names the groups that may trade it, some 200.
  volume: { bytes: 48 * 2 ** 20, values: 1_500_000 },
  unavailableFrom: {
    countries: ['US'],
    evidence: 'https://github.com/ccxt/ccxt/issues/16044',
    // Its host for public market data alone.
    fallbackHost: 'data-api.binance.vision',
  },
  slow: [
    {
      path: '/api/v3/exchangeInfo',
      hours: 24,
      keep: z.object({ symbols: picked('symbol', 'status', 'baseAsset', 'quoteAsset') }),
    },
  ],
  rights: unread('https://www.binance.com/en/terms'),
  candles,

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
      const { status = 'TRADING' } = bySymbol.get(row.symbol) ?? {}
      if (status !== 'TRADING') return { kind: 'skipped', reason: 'not trading' }
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
        trade_url: `https://www.binance.com/en/trade/${encodeURIComponent(`${base}_${quote}`)}?type=spot`,
      }
    })
    yield* missing
  },
})
