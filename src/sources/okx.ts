import * as z from 'zod'
import { BarRow } from './bar-row.ts'
import type { Interval } from '../contract/history.ts'
import { changeOf, rows, source, type Candles } from './source.ts'
import { Milliseconds, NonNegative, Positive, Text } from './wire.ts'
import { unread } from './rights.ts'

/** `1D` begins at midnight in Hong Kong. */
const BARS: Readonly<Record<Interval, string>> = { '15m': '15m', '1h': '1H', '4h': '4H', '1d': '1Dutc' }

const raw = z.unknown()

/** Errors have HTTP status 200 and are reported in `code`. */
const Answer = z.object({ code: z.literal('0'), data: z.array(raw) })

const Ticker = z.object({
  instId: Text(64).pipe(z.string().regex(/^[^-]+-[^-]+/)),
  last: Positive,
  askPx: Positive,
  bidPx: Positive,
  open24h: Positive,
  vol24h: NonNegative,
  volCcy24h: NonNegative,
  ts: Milliseconds,
})

const candles: Candles = {
  intervals: ['15m', '1h', '4h', '1d'],
  most: 300,
  async ask(http, { market, interval, from, to }) {
    // Named from the newest bar back, and neither end is among those it gives.
    const range = `after=${to + 1}&before=${from - 1}&limit=300`
    const path = `/api/v5/market/candles?instId=${encodeURIComponent(market)}&bar=${BARS[interval]}&${range}`
    const { data } = await http.json(path, Answer)
    return data.flatMap((bar) => BarRow.safeParse(bar).data ?? [])
  },
}

/** OKX. 20 requests in 2 seconds for tickers, 40 for candles (okx.com/docs-v5). */
export const okx = source({
  id: 'okx',
  label: 'OKX',
  type: 'exchange',
  host: 'www.okx.com',
  pace: { requests: 5, perSeconds: 1 },
  rights: unread('https://www.okx.com/help/terms-of-service'),
  candles,

  fetch: async (http) => (await http.json('/api/v5/market/tickers?instType=SPOT', Answer)).data,

  parse: (tickers) =>
    rows(Ticker, tickers, (row) => {
      const [base = '', quote = '', contract] = row.instId.toUpperCase().split('-')
      if (contract !== undefined) return { kind: 'skipped', reason: 'not a spot pair' }
      return {
        kind: 'quote',
        market: row.instId,
        base,
        quote,
        last: row.last,
        bid: row.bidPx,
        ask: row.askPx,
        volume_24h_base: row.vol24h,
        volume_24h_quote: row.volCcy24h,
        percent_change_24h: changeOf(row.open24h, row.last),
        at: row.ts,
        trade_url: `https://www.okx.com/trade-spot/${encodeURIComponent(row.instId.toLowerCase())}`,
      }
    }),
})
