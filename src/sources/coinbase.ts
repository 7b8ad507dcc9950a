import * as z from 'zod'
import { currenciesOf } from './currencies.ts'
import { bars } from './bars.ts'
import { changeOf, rows, source } from './source.ts'
import { Id, NonNegative, OptionalText, Positive, Seconds, Text } from './wire.ts'
import { unread } from './rights.ts'
import { picked } from './slow-lists.ts'

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

const Currency = z.object({
  id: Text(64),
  name: OptionalText(200),
  status: z.string(),
  details: z.object({ type: z.string() }),
  default_network: z.string().nullish(),
  supported_networks: z.array(z.object({ id: z.string(), contract_address: z.string().nullish() })).nullish(),
})

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
  candles: bars({
    // In seconds; there is no bar of four hours.
    widths: { '15m': 900, '1h': 3600, '1d': 86_400 },
    most: 300,
    path: ({ market, width, from, to }) =>
      `/products/${market}/candles?granularity=${width}&start=${new Date(from).toISOString()}&end=${new Date(to).toISOString()}`,
    rows: (http, path) => http.json(path, z.array(raw)),
    time: Seconds,
    columns: { at: 0, low: 1, high: 2, open: 3, close: 4, volume_base: 5 },
  }),

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

  /**
   * Coinbase Exchange's currencies (docs.cdp.coinbase.com, Get all known currencies). The contract counts on the default
   * network alone: elsewhere the same id may stand for a wrapped form.
   */
  async currencies(http) {
    const list = await http.json('/currencies', z.array(z.unknown()))
    return currenciesOf(
      'coinbase',
      Currency,
      list,
      ({ id, name, status, details, default_network, supported_networks }) => {
        if (status !== 'online' || details.type === 'fiat') return null
        const contracts = (supported_networks ?? [])
          .filter((network) => network.id === default_network)
          .map((network) => ({ platform: network.id, address: network.contract_address }))
        return { symbol: id, name, contracts }
      },
    )
  },
})
