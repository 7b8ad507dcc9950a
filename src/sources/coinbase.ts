import { is, isNot, reader } from './dialect.ts'
import { unread } from './rights.ts'
import { picked } from './slow-lists.ts'
import { venue } from './venue.ts'

const [key, ofDay] = [reader('0'), reader('1.stats_24hour')]
/** The statistics of a product without a trade. */
const NO_TRADE = { open: null, last: null, volume: null }
const [id, mainNetwork] = [reader('id'), reader('default_network')]

/**
 * Coinbase Exchange. Only a request for each product would tell bid and ask, so there are none. 10 requests a second
 * from one address (docs.cdp.coinbase.com).
 */
export const coinbase = venue({
  id: 'coinbase',
  label: 'Coinbase Exchange',
  host: 'api.exchange.coinbase.com',
  pace: { requests: 5, perSeconds: 1 },
  rights: unread('https://www.coinbase.com/legal/user_agreement'),
  page: 'https://www.coinbase.com/advanced-trade/spot/{market}',
  tickers: {
    path: '/products/stats',
    // Each product with its statistics.
    async rows(ask) {
      const [products, stats] = await Promise.all([ask('/products'), ask('/products/stats', { isMap: true })])
      const byId = new Map(stats.rows.map((row) => [key(row), ofDay(row)]))
      const rowOf = (product: unknown) => ({ product, stats: { stats_24hour: byId.get(id(product)) ?? NO_TRADE } })
      return { ...products, rows: products.rows.map(rowOf) }
    },
    market: 'product.id',
    base: 'product.base_currency',
    quote: 'product.quote_currency',
    price: { last: 'stats.stats_24hour.last' },
    volume: { base: 'stats.stats_24hour.volume' },
    change: { open: 'stats.stats_24hour.open' },
    without: { 'not trading': { 'product.status': isNot('online'), 'product.trading_disabled': is(true) } },
  },
  pair: '-',
  slow: [
    {
      path: '/products',
      hours: 6,
      keep: picked('id', 'base_currency', 'quote_currency', 'status', 'trading_disabled'),
    },
  ],
  bars: {
    // In seconds; there is no bar of four hours.
    widths: { '15m': 900, '1h': 3600, '1d': 86_400 },
    most: 300,
    path: ({ market, width, from, to }) =>
      `/products/${market}/candles?granularity=${width}&start=${new Date(from).toISOString()}&end=${new Date(to).toISOString()}`,
    row: { seconds: 0, open: 3, high: 2, low: 1, close: 4, base: 5 },
  },
  currencies: {
    path: '/currencies',
    symbol: 'id',
    name: 'name',
    chains: 'supported_networks',
    platform: 'id',
    address: 'contract_address',
    // On other networks than the default one, the same id may stand for a wrapped form.
    counts: (network, row) => id(network) === mainNetwork(row),
    without: { 'not trading': { status: isNot('online') }, money: { 'details.type': is('fiat') } },
  },
})
