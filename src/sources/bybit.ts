import * as z from 'zod'
import type { Interval } from '../contract/history.ts'
import { marketPairs } from './market-pairs.ts'
import { optional } from './optional.ts'
import { rows, source, type Candle, type Candles, type Http } from './source.ts'
import { SourceError } from './source-error.ts'
import { Fraction, Milliseconds, NonNegative, Positive, Text } from './wire.ts'
import { unread } from './rights.ts'
import { picked } from './slow-lists.ts'

const BARS: Readonly<Record<Interval, string>> = { '15m': '15', '1h': '60', '4h': '240', '1d': 'D' }

/** Known quote currencies, in addition to those of the instruments. */
const QUOTES = ['USDT', 'USDC', 'USDE', 'USDR', 'USD1', 'DAI', 'BTC', 'ETH', 'MNT', 'EUR', 'BRL', 'PLN', 'TRY']

const raw = z.unknown()
const Answer = z.object({
  retCode: z.number(),
  time: Milliseconds,
  result: z.object({ list: z.array(raw).optional() }),
})

// "Too many visits" (bybit-exchange.github.io/docs/v5/error).
const TOO_MANY = 10006

/** Returns the result of an answer. Bybit reports errors with HTTP status 200. @throws SourceError */
async function listOf(http: Http, path: string) {
  const { retCode, time, result } = await http.json(path, Answer)
  if (retCode === 0 && result.list) return { time, list: result.list }
  const code = retCode === TOO_MANY ? 'source_rate_limited' : 'source_invalid'
  throw new SourceError(code, `api.bybit.com: code ${retCode} in a 200`)
}

const Named = z.object({ symbol: Text(64) })
const Instrument = Named.extend({
  baseCoin: Text(64),
  quoteCoin: Text(64),
  status: z.string(),
  symbolType: z.string().optional(),
})

const Ticker = Named.extend({
  lastPrice: Positive,
  bid1Price: Positive,
  ask1Price: Positive,
  volume24h: NonNegative,
  turnover24h: NonNegative,
  price24hPcnt: Fraction,
})

/** Time, open, high, low, close, base volume, turnover. */
const Bar = z
  .tuple(
    [Milliseconds.pipe(z.number()), Positive, Positive, Positive, Positive.pipe(z.number()), NonNegative, NonNegative],
    raw,
  )
  .transform(([at, open, high, low, close, volume_base, volume_quote]): Candle => ({
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
    const range = `interval=${BARS[interval]}&start=${from}&end=${to}&limit=1000`
    const { list } = await listOf(http, `/v5/market/kline?category=spot&symbol=${encodeURIComponent(market)}&${range}`)
    return list.flatMap((bar) => Bar.safeParse(bar).data ?? [])
  },
}

const KEPT_INSTRUMENTS = z.object({
  retCode: z.literal(0),
  time: raw,
  result: z.object({ list: picked('symbol', 'baseCoin', 'quoteCoin', 'status', 'symbolType') }),
})

/** Bybit. 600 requests in 5 seconds, then 403 for ten minutes (bybit-exchange.github.io/docs/v5/rate-limit). */
export const bybit = source({
  id: 'bybit',
  label: 'Bybit',
  type: 'exchange',
  host: 'api.bybit.com',
  pace: { requests: 10, perSeconds: 1 },
  unavailableFrom: { countries: ['US', 'CN'], evidence: 'https://bybit-exchange.github.io/docs/v5/guide' },
  slow: [{ path: '/v5/market/instruments-info?category=spot', hours: 24, keep: KEPT_INSTRUMENTS }],
  rights: unread('https://www.bybit.com/app/terms-service/information'),
  candles,

  async fetch(http) {
    const [tickers, instruments] = await Promise.all([
      listOf(http, '/v5/market/tickers?category=spot'),
      optional([{ what: 'instruments', answer: listOf(http, '/v5/market/instruments-info?category=spot') }]),
    ])
    return { tickers, instruments: instruments.answers.flatMap(({ list }) => list), missing: instruments.missing }
  },

  *parse({ tickers: { time, list }, instruments, missing }) {
    const known = instruments.flatMap((row) => Instrument.safeParse(row).data ?? [])
    const bySymbol = new Map(known.map((instrument) => [instrument.symbol, instrument]))
    const pairs = known.map(({ symbol, baseCoin: base, quoteCoin: quote }) => [symbol, { base, quote }] as const)
    const pairOf = marketPairs({ known: new Map(pairs), quotes: QUOTES, tickers: list })

    yield* rows(Ticker, list, (row) => {
      const { status = 'Trading', symbolType = '' } = bySymbol.get(row.symbol) ?? {}
      if (status !== 'Trading') return { kind: 'skipped', reason: 'not trading' }
      // xstocks, mstocks: shares of companies as tokens.
      if (symbolType.endsWith('stocks')) return { kind: 'skipped', reason: 'tokenized stock' }
      const pair = pairOf(row.symbol)
      if ('kind' in pair) return pair
      const { base, quote } = pair
      return {
        kind: 'quote',
        market: row.symbol,
        base,
        quote,
        last: row.lastPrice,
        bid: row.bid1Price,
        ask: row.ask1Price,
        volume_24h_base: row.volume24h,
        volume_24h_quote: row.turnover24h,
        percent_change_24h: row.price24hPcnt,
        at: time,
        trade_url: `https://www.bybit.com/en/trade/spot/${encodeURIComponent(base)}/${encodeURIComponent(quote)}`,
      }
    })
    yield* missing
  },
})
