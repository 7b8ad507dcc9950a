import * as z from 'zod'
import { currenciesOf } from './currencies.ts'
import { bars } from './bars.ts'
import { rows, source } from './source.ts'
import { NonNegative, OptionalText, Percent, Positive, Seconds, Text } from './wire.ts'
import { unread } from './rights.ts'

const Ticker = z.object({
  pair: Text(64).pipe(z.string().regex(/^[^/]+\/[^/]+$/, 'not a pair')),
  last: Positive,
  bid: Positive,
  ask: Positive,
  volume: NonNegative,
  percent_change_24: Percent,
  timestamp: Seconds,
  market_type: z.string().nullish(),
})

const Bars = z.object({ data: z.object({ ohlc: z.array(z.unknown()) }) })
const Currency = z.object({ currency: Text(64), name: OptionalText(200), type: z.string() })

/** Bitstamp. 400 requests a second, 10,000 in 10 minutes (bitstamp.net/api). */
export const bitstamp = source({
  id: 'bitstamp',
  label: 'Bitstamp',
  type: 'exchange',
  host: 'www.bitstamp.net',
  pace: { requests: 10, perSeconds: 1 },
  rights: unread('https://www.bitstamp.net/terms-of-use/'),
  candles: bars({
    // In seconds.
    widths: { '15m': 900, '1h': 3600, '4h': 14_400, '1d': 86_400 },
    most: 1000,
    path: ({ market, width, from, to }) =>
      `/api/v2/ohlc/${market}/?step=${width}&limit=1000&start=${from / 1000}&end=${to / 1000}`,
    rows: async (http, path) => (await http.json(path, Bars)).data.ohlc,
    time: Seconds,
    columns: {
      at: 'timestamp',
      open: 'open',
      high: 'high',
      low: 'low',
      close: 'close',
      volume_base: 'volume',
    },
  }),

  fetch: (http) => http.json('/api/v2/ticker/', z.array(z.unknown())),

  parse: (tickers) =>
    rows(Ticker, tickers, (row) => {
      const [base = '', quote = ''] = row.pair.toUpperCase().split('/')
      // A perpetual is BTC/USD-PERP, and says so in the newer member too.
      if (quote.includes('-') || (row.market_type ?? 'SPOT') !== 'SPOT')
        return { kind: 'skipped', reason: 'not a spot pair' }
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

  /** Bitstamp's currencies: names alone (bitstamp.net/api, currencies). */
  async currencies(http) {
    const list = await http.json('/api/v2/currencies/', z.array(z.unknown()))
    return currenciesOf('bitstamp', Currency, list, ({ currency, name, type }) =>
      type === 'crypto' ? { symbol: currency, name, contracts: [] } : null,
    )
  },
})
