import * as z from 'zod'
import { gateCurrencies } from './gate-currencies.ts'
import { isLeveraged } from './leveraged.ts'
import { optional } from './optional.ts'
import { rows, source, type Candle, type Candles } from './source.ts'
import { NonNegative, Percent, Positive, Seconds, Text } from './wire.ts'
import { unread } from './rights.ts'
import { picked } from './slow-lists.ts'

const raw = z.unknown()

const Pair = z.object({ id: z.string(), trade_status: z.string() })

const Named = z.object({ currency_pair: Text(64).pipe(z.string().regex(/^[^_]+_[^_]+$/, 'not a pair')) })

/** A row of `/spot/tickers`. A side of the book without an order is `""`; `etf_*` members stand on leveraged tokens. */
const Ticker = Named.extend({
  last: Positive,
  highest_bid: Positive,
  lowest_ask: Positive,
  base_volume: NonNegative,
  quote_volume: NonNegative,
  change_percentage: Percent,
  etf_leverage: raw.optional(),
})

/** Time, quote volume, close, high, low, open, base volume, closed. */
const Bar = z
  .tuple(
    [Seconds.pipe(z.number()), NonNegative, Positive.pipe(z.number()), Positive, Positive, Positive, NonNegative],
    raw,
  )
  .transform(([at, volume_quote, close, high, low, open, volume_base]): Candle => ({
    at,
    open,
    high,
    low,
    close,
    volume_base,
    volume_quote,
  }))

const candles: Candles = {
  intervals: ['15m', '1h', '4h', '1d'],
  most: 1000,
  async ask(http, { market, interval, from, to }) {
    const range = `from=${Math.floor(from / 1000)}&to=${Math.floor(to / 1000)}`
    const path = `/api/v4/spot/candlesticks?currency_pair=${encodeURIComponent(market)}&interval=${interval}&${range}`
    const bars = await http.json(path, z.array(raw))
    return bars.flatMap((bar) => Bar.safeParse(bar).data ?? [])
  },
}

/** Gate. 200 requests in 10 seconds for each endpoint (gate.io/docs/developers/apiv4). */
export const gate = source({
  id: 'gate',
  label: 'Gate',
  type: 'exchange',
  host: 'api.gateio.ws',
  pace: { requests: 5, perSeconds: 1 },
  slow: [{ path: '/api/v4/spot/currency_pairs', hours: 24, keep: picked('id', 'trade_status') }],
  rights: unread('https://www.gate.io/user-agreement'),
  candles,
  currencies: gateCurrencies,

  async fetch(http) {
    const [tickers, pairs] = await Promise.all([
      http.json('/api/v4/spot/tickers', z.array(raw)),
      optional([{ what: 'pairs', answer: http.json('/api/v4/spot/currency_pairs', z.array(raw)) }]),
    ])
    return { tickers, pairs: pairs.answers.flat(), missing: pairs.missing }
  },

  *parse({ tickers, pairs, missing }) {
    const status = new Map(
      pairs.flatMap((row) => Pair.safeParse(row).data ?? []).map((pair) => [pair.id, pair.trade_status]),
    )
    const bases = new Set(tickers.flatMap((row) => Named.safeParse(row).data?.currency_pair.split('_')[0] ?? []))
    yield* rows(Ticker, tickers, (row) => {
      const [base = '', quote = ''] = row.currency_pair.split('_')
      if (status.get(row.currency_pair) === 'untradable') return { kind: 'skipped', reason: 'not trading' }
      if (row.etf_leverage !== undefined || isLeveraged(base, bases))
        return { kind: 'skipped', reason: 'leveraged token' }
      return {
        kind: 'quote',
        market: row.currency_pair,
        base: base.toUpperCase(),
        quote: quote.toUpperCase(),
        last: row.last,
        bid: row.highest_bid,
        ask: row.lowest_ask,
        volume_24h_base: row.base_volume,
        volume_24h_quote: row.quote_volume,
        percent_change_24h: row.change_percentage,
        at: null,
        trade_url: `https://www.gate.io/trade/${encodeURIComponent(row.currency_pair)}`,
      }
    })
    yield* missing
  },
})
