import * as z from 'zod'
import { coinbaseCurrencies } from './coinbase-currencies.ts'
import type { Interval } from '../contract/history.ts'
import { changeOf, rows, source, type Candle, type Candles } from './source.ts'
import { Id, NonNegative, Positive, Seconds, Text } from './wire.ts'
import { unread } from './rights.ts'
import { picked } from './slow-lists.ts'

/** Bar sizes by their seconds; there is no bar of four hours. */
const GRANULARITIES: Readonly<Partial<Record<Interval, number>>> = { '15m': 900, '1h': 3600, '1d': 86400 }

const raw = z.unknown()
const Named = z.object({ id: Id })

/** A row of `/products` with what `/products/stats` has for it: of a product without a trade, nothing. */
const Product = z.object({
  product: Named.extend({
    base_currency: Text(64),
    quote_currency: Text(64),
    status: z.string(),
    trading_disabled: z.boolean().optional(),
  }),
  stats: z
    .object({ stats_24hour: z.object({ open: Positive, last: Positive, volume: NonNegative }).optional() })
    .optional(),
})

/** Time, low, high, open, close, base volume. */
const Bar = z
  .tuple([Seconds.pipe(z.number()), Positive, Positive, Positive, Positive.pipe(z.number()), NonNegative], raw)
  .transform(([at, low, high, open, close, volume_base]): Candle => ({
    at,
    open,
    high,
    low,
    close,
    volume_base,
    volume_quote: null,
  }))

const candles: Candles = {
  intervals: ['15m', '1h', '1d'],
  most: 300,
  async ask(http, { market, interval, from, to }) {
    const range = `start=${new Date(from).toISOString()}&end=${new Date(to).toISOString()}`
    const path = `/products/${encodeURIComponent(market)}/candles?granularity=${GRANULARITIES[interval]}&${range}`
    const bars = await http.json(path, z.array(raw))
    return bars.flatMap((bar) => Bar.safeParse(bar).data ?? [])
  },
}

/**
 * Coinbase Exchange. Only a request for each product would tell bid and ask, so there are none. 10 requests a second
 * from one address (docs.cdp.coinbase.com).
 */
export const coinbase = source({
  id: 'coinbase',
  label: 'Coinbase Exchange',
  type: 'exchange',
  host: 'api.exchange.coinbase.com',
  pace: { requests: 5, perSeconds: 1 },
  slow: [
    {
      path: '/products',
      hours: 6,
      keep: picked('id', 'base_currency', 'quote_currency', 'status', 'trading_disabled'),
    },
  ],
  rights: unread('https://www.coinbase.com/legal/user_agreement'),
  candles,
  currencies: coinbaseCurrencies,

  async fetch(http) {
    const [products, stats] = await Promise.all([
      http.json('/products', z.array(raw)),
      http.json('/products/stats', z.record(z.string(), raw)),
    ])
    const byId = new Map(Object.entries(stats))
    return products.map((product) => ({ product, stats: byId.get(Named.safeParse(product).data?.id ?? '') }))
  },

  parse: (products) =>
    rows(Product, products, ({ product, stats }) => {
      if (product.status !== 'online' || product.trading_disabled) return { kind: 'skipped', reason: 'not trading' }
      const { open = null, last = null, volume = null } = stats?.stats_24hour ?? {}
      return {
        kind: 'quote',
        market: product.id,
        base: product.base_currency.toUpperCase(),
        quote: product.quote_currency.toUpperCase(),
        last,
        bid: null,
        ask: null,
        volume_24h_base: volume,
        volume_24h_quote: null,
        percent_change_24h: changeOf(open, last),
        at: null,
        trade_url: `https://www.coinbase.com/advanced-trade/spot/${encodeURIComponent(product.id)}`,
      }
    }),
})
