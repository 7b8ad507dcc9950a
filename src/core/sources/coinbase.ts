import { venue } from './venue.ts'

/** Coinbase Exchange, without bid and ask. 10 requests a second from one address (docs.cdp.coinbase.com). */
export const coinbase = venue({
  id: 'coinbase',
  label: 'Coinbase Exchange',
  host: 'api.exchange.coinbase.com',
  pace: { requests: 5, perSeconds: 1 },
  terms: 'https://www.coinbase.com/legal/user_agreement',
  page: 'https://www.coinbase.com/advanced-trade/spot/{market}',
  tickers: {
    path: '/products/stats',
    envelope: { isMap: true },
    row: { name: '0', last: '1.stats_24hour.last', base: '1.stats_24hour.volume' },
    change: { open: '1.stats_24hour.open' },
  },
  pair: '-',
  markets: {
    path: '/products',
    hours: 6,
    isComplete: true,
    row: { name: 'id', base: 'base_currency', quote: 'quote_currency' },
    without: { 'not trading': { status: { not: ['online'] }, trading_disabled: [true] } },
  },
  bars: {
    // In seconds; there is no bar of four hours.
    widths: { '15m': 900, '1h': 3600, '1d': 86_400 },
    most: 300,
    path: '/products/{market}/candles?granularity={width}&start={from}&end={to}',
    times: 'utc',
    row: { seconds: 0, open: 3, high: 2, low: 1, close: 4, base: 5 },
  },
  currencies: {
    path: '/currencies',
    row: { symbol: 'id', name: 'name', chains: 'supported_networks' },
    chain: { platform: 'id', address: 'contract_address' },
    // On other networks than the default one, the same id may stand for a wrapped form.
    counts: (network, { default_network: main }) => network.id === main,
    without: { 'not trading': { status: { not: ['online'] } }, money: { 'details.type': ['fiat'] } },
  },
})
