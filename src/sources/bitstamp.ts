import { isNot } from './dialect.ts'
import { unread } from './rights.ts'
import { venue } from './venue.ts'

/** Bitstamp. 400 requests a second, 10,000 in 10 minutes (bitstamp.net/api). */
export const bitstamp = venue({
  id: 'bitstamp',
  label: 'Bitstamp',
  host: 'www.bitstamp.net',
  pace: { requests: 10, perSeconds: 1 },
  rights: unread('https://www.bitstamp.net/terms-of-use/'),
  page: 'https://www.bitstamp.net/trade/{base}/{quote}/',
  tickers: {
    path: '/api/v2/ticker/',
    market: 'pair',
    price: { last: 'last', bid: 'bid', ask: 'ask' },
    volume: { base: 'volume' },
    change: { percent: 'percent_change_24' },
    // The time of the answer, not of a trade.
    at: { seconds: 'timestamp' },
    without: { 'not a spot pair': { market_type: isNot('SPOT', null) } },
  },
  pair: '/',
  // A perpetual is BTC/USD-PERP.
  spot: /^[^-]*$/,
  marketAs: '{base}{quote}',
  bars: {
    // In seconds.
    widths: { '15m': 900, '1h': 3600, '4h': 14_400, '1d': 86_400 },
    most: 1000,
    envelope: { rows: 'data.ohlc' },
    path: ({ market, width, from, to }) =>
      `/api/v2/ohlc/${market}/?step=${width}&limit=1000&start=${from / 1000}&end=${to / 1000}`,
    row: { seconds: 'timestamp', open: 'open', high: 'high', low: 'low', close: 'close', base: 'volume' },
  },
  currencies: {
    path: '/api/v2/currencies/',
    symbol: 'currency',
    name: 'name',
    without: { money: { type: isNot('crypto') } },
  },
})
