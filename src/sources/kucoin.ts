import * as z from 'zod'
import { kucoinCurrencies } from './kucoin-currencies.ts'
import type { Interval } from '../contract/history.ts'
import { isLeveraged } from './leveraged.ts'
import { rows, source, type Candle, type Candles } from './source.ts'
import { Fraction, Milliseconds, NonNegative, Positive, Seconds, Text } from './wire.ts'
import { unread } from './rights.ts'

const BARS: Readonly<Record<Interval, string>> = { '15m': '15min', '1h': '1hour', '4h': '4hour', '1d': '1day' }

const raw = z.unknown()

/** Errors have HTTP status 200 and are reported in `code`. */
const answer = <Members extends z.ZodType>(members: Members) => z.object({ code: z.literal('200000'), data: members })

const PairName = Text(64).pipe(z.string().regex(/^[^-]+-[^-]+$/))

/** `symbol` keeps the names that currencies had when they were listed; `symbolName` has today's. */
const Named = z.object({ symbol: PairName, symbolName: PairName.optional() })

/** A row of `allTickers`. */
const Ticker = Named.extend({
  last: Positive,
  buy: Positive,
  sell: Positive,
  vol: NonNegative,
  volValue: NonNegative,
  changeRate: Fraction,
})

/** Time, open, close, high, low, base volume, turnover. */
const Bar = z
  .tuple(
    [Seconds.pipe(z.number()), Positive, Positive.pipe(z.number()), Positive, Positive, NonNegative, NonNegative],
    raw,
  )
  .transform(([at, open, close, high, low, volume_base, volume_quote]): Candle => ({
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
  most: 1500,
  async ask(http, { market, interval, from, to }) {
    // The bar that begins at `endAt` is left out.
    const range = `type=${BARS[interval]}&startAt=${from / 1000}&endAt=${to / 1000 + 1}`
    const path = `/api/v1/market/candles?symbol=${encodeURIComponent(market)}&${range}`
    const { data } = await http.json(path, answer(z.array(raw)))
    return data.flatMap((bar) => Bar.safeParse(bar).data ?? [])
  },
}

/** KuCoin. 2,000 in 30 seconds, of which the list weighs 15 and candles 3 (kucoin.com/docs, rate limit). */
export const kucoin = source({
  id: 'kucoin',
  label: 'KuCoin',
  type: 'exchange',
  host: 'api.kucoin.com',
  pace: { requests: 10, perSeconds: 1 },
  rights: unread('https://www.kucoin.com/legal/terms-of-use'),
  candles,
  currencies: kucoinCurrencies,

  fetch: async (http) =>
    (await http.json('/api/v1/market/allTickers', answer(z.object({ time: Milliseconds, ticker: z.array(raw) })))).data,

  *parse({ time, ticker }) {
    const bases = new Set(
      ticker.flatMap((row) => {
        const { data } = Named.safeParse(row)
        return data ? [pairOf(data).base] : []
      }),
    )
    yield* rows(Ticker, ticker, (row) => {
      const { base, quote } = pairOf(row)
      if (isLeveraged(base, bases)) return { kind: 'skipped', reason: 'leveraged token' }
      return {
        kind: 'quote',
        market: row.symbol,
        base,
        quote,
        last: row.last,
        bid: row.buy,
        ask: row.sell,
        volume_24h_base: row.vol,
        volume_24h_quote: row.volValue,
        percent_change_24h: row.changeRate,
        at: time,
        trade_url: `https://www.kucoin.com/trade/${encodeURIComponent(row.symbol)}`,
      }
    })
  },
})

function pairOf({ symbol, symbolName = symbol }: z.infer<typeof Named>): { base: string; quote: string } {
  const [base = '', quote = ''] = symbolName.toUpperCase().split('-')
  return { base, quote }
}
