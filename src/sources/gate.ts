import * as z from 'zod'
import { bars } from './bars.ts'
import { currenciesOf } from './currencies.ts'
import { isLeveraged } from './market-pairs.ts'
import { explained } from './optional.ts'
import { rows, source } from './source.ts'
import { NonNegative, OptionalText, Percent, Positive, Seconds, Text } from './wire.ts'
import { unread } from './rights.ts'
import { picked } from './slow-lists.ts'

const raw = z.unknown()

const Pair = z.object({ id: z.string(), trade_status: z.string(), type: z.string().nullish() })

/** The list of currencies as it is kept: the categories of a currency alone tell that it is a share of a company. */
const CURRENCIES = '/api/v4/spot/currencies'
const Categories = z.object({ currency: Text(64), category: z.array(z.string()) })
const isStock = (category: readonly string[]): boolean => category.some((one) => one.endsWith('stocks'))

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

/** Until 2024 there was one row for each coin and chain, without `chains`; those rows are unreadable. */
const Currency = z.object({
  currency: Text(64),
  name: OptionalText(200),
  delisted: z.boolean(),
  chain: z.string().nullish(),
  chains: z.array(z.object({ name: z.string(), addr: z.string().nullish() })),
  category: z.array(z.string()).nullish(),
})

/** Gate. 200 requests in 10 seconds for each endpoint (gate.com/docs/developers/apiv4). */
export const gate = source({
  id: 'gate',
  label: 'Gate',
  type: 'exchange',
  host: 'api.gateio.ws',
  pace: { requests: 5, perSeconds: 1 },
  slow: [
    { path: '/api/v4/spot/currency_pairs', hours: 24, keep: picked('id', 'trade_status', 'type') },
    {
      path: CURRENCIES,
      hours: 24,
      keep: picked('currency', 'name', 'delisted', 'chain', 'chains', 'category'),
    },
  ],
  rights: unread('https://www.gate.com/user-agreement'),
  candles: bars({
    widths: { '15m': '15m', '1h': '1h', '4h': '4h', '1d': '1d' },
    most: 1000,
    path: ({ market, width, from, to }) =>
      `/api/v4/spot/candlesticks?currency_pair=${market}&interval=${width}&from=${from / 1000}&to=${to / 1000}`,
    rows: (http, path) => http.json(path, z.array(raw)),
    time: Seconds,
    columns: { at: 0, volume_quote: 1, close: 2, high: 3, low: 4, open: 5, volume_base: 6 },
  }),

  fetch: (http) =>
    explained(http.json('/api/v4/spot/tickers', z.array(raw)), {
      pairs: http.json('/api/v4/spot/currency_pairs', z.array(raw)),
      currencies: http.json(CURRENCIES, z.array(raw)),
    }),

  *parse({ tickers, known, missing }) {
    const pairs = new Map(known.flatMap((row) => Pair.safeParse(row).data ?? []).map((pair) => [pair.id, pair]))
    const stocks = new Set(
      known
        .flatMap((row) => Categories.safeParse(row).data ?? [])
        .flatMap(({ currency, category }) => (isStock(category) ? [currency] : [])),
    )
    const bases = new Set(tickers.flatMap((row) => Named.safeParse(row).data?.currency_pair.split('_')[0] ?? []))
    yield* rows(Ticker, tickers, (row) => {
      const [base = '', quote = ''] = row.currency_pair.split('_')
      const { trade_status, type } = pairs.get(row.currency_pair) ?? {}
      if (trade_status === 'untradable') return { kind: 'skipped', reason: 'not trading' }
      if (type === 'premarket') return { kind: 'skipped', reason: 'not issued yet' }
      if (stocks.has(base)) return { kind: 'skipped', reason: 'tokenized stock' }
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
        trade_url: `https://www.gate.com/trade/${encodeURIComponent(row.currency_pair)}`,
      }
    })
    yield* missing
  },

  /** Gate's currencies (gate.com/docs/developers/apiv4, List all currencies' details). Tokenised shares are left out. */
  async currencies(http) {
    const list = await http.json(CURRENCIES, z.array(raw))
    return currenciesOf('gate', Currency, list, ({ currency, name, delisted, chain, chains, category }) => {
      if (delisted || isStock(category ?? [])) return null
      // The coin of its own chain: what stands under other chains is a wrapped form, such as BTCB under BTC.
      const isNative = chains.some((one) => one.name === chain && !one.addr)
      const contracts = chains.map((one) => ({ platform: one.name, address: one.addr }))
      return { symbol: currency, name, contracts: isNative ? [] : contracts }
    })
  },
})
