import { is, isNot } from './dialect.ts'
import { unread } from './rights.ts'
import { venue } from './venue.ts'

/** WhiteBIT. 2,000 requests in 10 seconds or more, by the age of the page (docs.whitebit.com). */
export const whitebit = venue({
  id: 'whitebit',
  label: 'WhiteBIT',
  host: 'whitebit.com',
  pace: { requests: 5, perSeconds: 1 },
  rights: unread('https://whitebit.com/terms'),
  page: 'https://whitebit.com/trade/{market}',
  // Neither bid nor ask, nor a time.
  tickers: {
    path: '/api/v4/public/ticker',
    envelope: { isMap: true },
    market: '0',
    price: { last: '1.last_price' },
    volume: { base: '1.base_volume', quote: '1.quote_volume' },
    change: { percent: '1.change' },
    without: { 'not trading': { '1.isFrozen': is(true) } },
  },
  pair: '_',
  // Perpetuals are among the pairs: BTC_PERP.
  spot: /_(?!PERP$)/,
  lists: {
    markets: {
      path: '/api/v4/public/markets',
      key: 'name',
      without: { 'not trading': { tradesEnabled: is(false) }, 'not a spot pair': { type: isNot('spot') } },
    },
  },
  bars: {
    widths: { '15m': '15m', '1h': '1h', '4h': '4h', '1d': '1d' },
    most: 1440,
    envelope: { ok: ['success', 'true'], rows: 'result' },
    path: ({ market, width, from, to }) =>
      `/api/v1/public/kline?market=${market}&interval=${width}&start=${from / 1000}&end=${to / 1000}&limit=1440`,
    row: { seconds: 0, open: 1, close: 2, high: 3, low: 4, base: 5, quote: 6 },
  },
  currencies: {
    path: '/api/v4/public/assets',
    envelope: { isMap: true },
    symbol: '0',
    name: '1.name',
    without: { money: { '1.providers': isNot() } },
  },
})
