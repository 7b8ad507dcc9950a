import { venue } from './venue.ts'

const CURRENCIES = '/api/v4/spot/currencies'
/** Only the categories of a currency say that it is a share of a company. */
const STOCKS = { 'tokenized stock': { category: /stocks(,|$)/ } }

/** Gate. 200 requests in 10 seconds for each endpoint (gate.com/docs/developers/apiv4). */
export const gate = venue({
  id: 'gate',
  label: 'Gate',
  host: 'api.gateio.ws',
  pace: { requests: 5, perSeconds: 1 },
  terms: 'https://www.gate.com/user-agreement',
  page: 'https://www.gate.com/trade/{market}',
  // A side of the book without an order is `""`.
  tickers: {
    path: '/api/v4/spot/tickers',
    row: {
      name: 'currency_pair',
      last: 'last',
      bid: 'highest_bid',
      ask: 'lowest_ask',
      base: 'base_volume',
      quote: 'quote_volume',
    },
    change: { percent: 'change_percentage' },
    without: { 'leveraged token': { etf_leverage: { not: [] } } },
  },
  pair: '_',
  markets: {
    path: '/api/v4/spot/currency_pairs',
    row: { name: 'id' },
    without: { 'not trading': { trade_status: ['untradable'] }, 'not issued yet': { type: ['premarket'] } },
  },
  bases: { path: CURRENCIES, row: { name: 'currency' }, without: STOCKS },
  bars: {
    most: 1000,
    path: '/api/v4/spot/candlesticks?currency_pair={market}&interval={width}&from={from}&to={to}',
    row: { seconds: 0, open: 5, high: 3, low: 4, close: 2, base: 6, quote: 1 },
  },
  // Until 2024 there was one row for each coin and chain, without `chains`; those rows are unreadable.
  currencies: {
    path: CURRENCIES,
    row: { symbol: 'currency', name: 'name', chains: 'chains' },
    chain: { platform: 'name', address: 'addr' },
    // The coin of its own chain: what is under other chains is a wrapped form, such as BTCB under BTC.
    isNative: ({ name, addr }, { chain }) => name === chain && !addr,
    without: { ...STOCKS, delisted: { delisted: [true] } },
    also: ['chain'],
  },
})
