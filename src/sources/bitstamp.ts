import * as z from 'zod'
import { bitstampCurrencies } from './bitstamp-currencies.ts'
import type { Interval } from '../contract/history.ts'
import { rows, source, type Candle, type Candles } from './source.ts'
import { NonNegative, Percent, Positive, Seconds, Text } from './wire.ts'
import { unread } from './rights.ts'

const STEP_SECONDS: Readonly<Record<Interval, number>> = { '15m': 900, '1h': 3600, '4h': 14_400, '1d': 86_400 }

const Ticker = z.object({
  pair: Text(64).pipe(z.string().regex(/^[^/]+\/[^/]+$/, 'not a pair')),
  last: Positive,
  bid: Positive,
  ask: Positive,
  volume: NonNegative,
  percent_change_24: Percent,
  timestamp: Seconds,
})

const Bars = z.object({ data: z.object({ ohlc: z.array(z.unknown()) }) })
const Bar = z
  .object({
    timestamp: Seconds.pipe(z.number()),
    open: Positive,
    high: Positive,
    low: Positive,
    close: Positive.pipe(z.number()),
    volume: NonNegative,
  })
  .transform(({ timestamp, open, high, low, close, volume }): Candle => ({
    at: timestamp,
    open,
    high,
    low,
    close,
    volume_base: volume,
    volume_quote: null,
  }))

const candles: Candles = {
  intervals: ['15m', '1h', '4h', '1d'],
  most: 1000,
  async ask(http, { market, interval, from, to }) {
    const range = `start=${Math.floor(from / 1000)}&end=${Math.floor(to / 1000)}`
    const path = `/api/v2/ohlc/${encodeURIComponent(market)}/?step=${STEP_SECONDS[interval]}&limit=1000&${range}`
    const { data } = await http.json(path, Bars)
    return data.ohlc.flatMap((bar) => Bar.safeParse(bar).data ?? [])
  },
}

/** Bitstamp. 400 requests a second, 10,000 in 10 minutes (bitstamp.net/api). */
export const bitstamp = source({
  id: 'bitstamp',
  label: 'Bitstamp',
  type: 'exchange',
  host: 'www.bitstamp.net',
  pace: { requests: 10, perSeconds: 1 },
  rights: unread('https://www.bitstamp.net/terms-of-use/'),
  candles,
  currencies: bitstampCurrencies,

  fetch: (http) => http.json('/api/v2/ticker/', z.array(z.unknown())),

  parse: (tickers) =>
    rows(Ticker, tickers, (row) => {
      const [base = '', quote = ''] = row.pair.toUpperCase().split('/')
      // Perpetuals stand in the list as BTC/USD-PERP.
      if (quote.includes('-')) return { kind: 'skipped', reason: 'not a spot pair' }
      return {
        kind: 'quote',
        market: `${base}${quote}`.toLowerCase(),
        base,
        quote,
        last: row.last,
        bid: row.bid,
        ask: row.ask,
        volume_24h_base: row.volume,
        volume_24h_quote: null,
        percent_change_24h: row.percent_change_24,
        // The time of the answer, not of a trade.
        at: row.timestamp,
        trade_url: `https://www.bitstamp.net/trade/${encodeURIComponent(base.toLowerCase())}/${encodeURIComponent(quote.toLowerCase())}/`,
      }
    }),
})
