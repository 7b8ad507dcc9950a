import * as z from 'zod'
import { bars } from './bars.ts'
import { explained } from './optional.ts'
import { picked } from './slow-lists.ts'
import { changeOf, rows, source } from './source.ts'
import { Milliseconds, NonNegative, Positive, Text } from './wire.ts'
import { unread } from './rights.ts'

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

const INSTRUMENTS = '/api/v5/public/instruments?instType=SPOT'

/**
 * What is traded, `3` for shares of companies, and the currencies that settle a trade. A book in USD that USDC settles too
 * is one of stablecoins. Other categories than 3 are no reason to leave a pair out: gold is one, and a coin.
 */
const Instrument = z.object({
  instId: z.string(),
  instCategory: z.string().default(''),
  tradeQuoteCcyList: z.array(z.string()).default([]),
})

/** OKX. 20 requests in 2 seconds for tickers, 40 for candles (okx.com/docs-v5). */
export const okx = source({
  id: 'okx',
  label: 'OKX',
  type: 'exchange',
  host: 'www.okx.com',
  pace: { requests: 5, perSeconds: 1 },
  slow: [
    {
      path: INSTRUMENTS,
      hours: 24,
      keep: Answer.extend({ data: picked('instId', 'instCategory', 'tradeQuoteCcyList') }),
    },
  ],
  rights: unread('https://www.okx.com/help/terms-of-service'),
  candles: bars({
    // `1D` begins at midnight in Hong Kong.
    widths: { '15m': '15m', '1h': '1H', '4h': '4H', '1d': '1Dutc' },
    most: 300,
    // Named from the newest bar back, and neither end is among those it gives.
    path: ({ market, width, from, to }) =>
      `/api/v5/market/candles?instId=${market}&bar=${width}&after=${to + 1}&before=${from - 1}&limit=300`,
    rows: async (http, path) => (await http.json(path, Answer)).data,
    time: Milliseconds,
    columns: { at: 0, open: 1, high: 2, low: 3, close: 4, volume_base: 5, volume_quote: 7 },
  }),

  fetch: (http) =>
    explained(
      http.json('/api/v5/market/tickers?instType=SPOT', Answer).then(({ data }) => data),
      { instruments: http.json(INSTRUMENTS, Answer).then(({ data }) => data) },
    ),

  *parse({ tickers, known, missing }) {
    const instruments = new Map(
      known.flatMap((row) => Instrument.safeParse(row).data ?? []).map((one) => [one.instId, one]),
    )
    yield* rows(Ticker, tickers, (row) => {
      const [base = '', named = '', contract] = row.instId.toUpperCase().split('-')
      if (contract !== undefined) return { kind: 'skipped', reason: 'not a spot pair' }
      const { instCategory, tradeQuoteCcyList } = instruments.get(row.instId) ?? {}
      if (instCategory === '3') return { kind: 'skipped', reason: 'tokenized stock' }
      const quote = named === 'USD' && tradeQuoteCcyList?.includes('USDC') ? 'USDC' : named
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
    })
    yield* missing
  },
})
