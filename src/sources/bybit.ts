import * as z from 'zod'
import { bars } from './bars.ts'
import { marketPairs } from './market-pairs.ts'
import { explained } from './optional.ts'
import { rows, source, type Http } from './source.ts'
import { SourceError } from './source-error.ts'
import { Fraction, Milliseconds, NonNegative, Positive, Text } from './wire.ts'
import { unread } from './rights.ts'
import { picked } from './slow-lists.ts'

/** Known quote currencies, in addition to those of the instruments. */
const QUOTES = ['USDT', 'USDC', 'USDE', 'USDR', 'USD1', 'DAI', 'BTC', 'ETH', 'MNT', 'EUR', 'BRL', 'PLN', 'TRY']

const INSTRUMENTS = '/v5/market/instruments-info?category=spot'

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

const Instrument = z
  .object({
    symbol: Text(64),
    baseCoin: Text(64),
    quoteCoin: Text(64),
    status: z.string(),
    symbolType: z.string().default(''),
  })
  .transform(({ baseCoin: base, quoteCoin: quote, ...instrument }) => ({ ...instrument, base, quote }))

const Ticker = z.object({
  symbol: Text(64),
  lastPrice: Positive,
  bid1Price: Positive,
  ask1Price: Positive,
  volume24h: NonNegative,
  turnover24h: NonNegative,
  price24hPcnt: Fraction,
})

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
  slow: [{ path: INSTRUMENTS, hours: 24, keep: KEPT_INSTRUMENTS }],
  rights: unread('https://www.bybit.com/app/terms-service/information'),
  candles: bars({
    widths: { '15m': '15', '1h': '60', '4h': '240', '1d': 'D' },
    most: 1000,
    path: ({ market, width, from, to }) =>
      `/v5/market/kline?category=spot&symbol=${market}&interval=${width}&start=${from}&end=${to}&limit=1000`,
    rows: async (http, path) => (await listOf(http, path)).list,
    time: Milliseconds,
    columns: { at: 0, open: 1, high: 2, low: 3, close: 4, volume_base: 5, volume_quote: 6 },
  }),

  fetch: (http) =>
    explained(listOf(http, '/v5/market/tickers?category=spot'), {
      instruments: listOf(http, INSTRUMENTS).then(({ list }) => list),
    }),

  *parse({ tickers: { time, list }, known, missing }) {
    const skip = ({ status, symbolType }: z.infer<typeof Instrument>) =>
      // xstocks, mstocks, stock: shares of companies as tokens.
      status !== 'Trading' ? 'not trading' : /stocks?$/.test(symbolType) ? 'tokenized stock' : null
    const pairOf = marketPairs({ schema: Instrument, instruments: known, skip, quotes: QUOTES, tickers: list })
    yield* rows(Ticker, list, (row) => {
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
