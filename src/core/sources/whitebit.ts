import { venue } from './venue.ts'

/** WhiteBIT. 2,000 requests in 10 seconds or more, by the age of the page (docs.whitebit.com). */
export const whitebit = venue({
  id: 'whitebit',
  label: 'WhiteBIT',
  host: 'whitebit.com',
  pace: { requests: 5, perSeconds: 1 },
  terms: 'https://whitebit.com/terms',
  page: 'https://whitebit.com/trade/{market}',
  // Neither bid nor ask, nor a time.
  tickers: {
    path: '/api/v4/public/ticker',
    envelope: { isMap: true },
    row: { name: '0', last: '1.last_price', base: '1.base_volume', quote: '1.quote_volume' },
    change: { percent: '1.change' },
    // Perpetuals are among the pairs: BTC_PERP.
    without: { 'not trading': { '1.isFrozen': [true] }, 'not a spot pair': { '0': /_PERP$/ } },
  },
  pair: '_',
  markets: {
    path: '/api/v4/public/markets',
    row: { name: 'name' },
    without: { 'not trading': { tradesEnabled: [false] }, 'not a spot pair': { type: { not: ['spot'] } } },
  },
  bars: {
    most: 1440,
    envelope: { ok: ['success', 'true'], rows: 'result' },
    path: '/api/v1/public/kline?market={market}&interval={width}&start={from}&end={to}&limit=1440',
    row: { seconds: 0, open: 1, close: 2, high: 3, low: 4, base: 5, quote: 6 },
  },
  currencies: {
    path: '/api/v4/public/assets',
    envelope: { isMap: true },
    row: { symbol: '0', name: '1.name' },
    without: { money: { '1.providers': { not: [] } } },
  },
})
