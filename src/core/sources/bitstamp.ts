import { venue } from './venue.ts'

/** Bitstamp. 400 requests a second, 10,000 in 10 minutes (bitstamp.net/api). */
export const bitstamp = venue({
  id: 'bitstamp',
  label: 'Bitstamp',
  host: 'www.bitstamp.net',
  pace: { requests: 10, perSeconds: 1 },
  terms: 'https://www.bitstamp.net/terms-of-use/',
  page: 'https://www.bitstamp.net/trade/{base}/{quote}/',
  tickers: {
    path: '/api/v2/ticker/',
    row: { name: 'pair', last: 'last', bid: 'bid', ask: 'ask', base: 'volume' },
    change: { percent: 'percent_change_24' },
    // The time of the answer, not of a trade.
    at: { seconds: 'timestamp' },
    // A perpetual is BTC/USD-PERP.
    without: { 'not a spot pair': { market_type: { not: ['SPOT', null] }, pair: /-/ } },
  },
  pair: '/',
  marketAs: '{base}{quote}',
  bars: {
    widths: { '15m': 900, '1h': 3600, '4h': 14_400, '1d': 86_400 },
    most: 1000,
    envelope: { rows: 'data.ohlc' },
    path: '/api/v2/ohlc/{market}/?step={width}&limit=1000&start={from}&end={to}',
    row: { seconds: 'timestamp', open: 'open', high: 'high', low: 'low', close: 'close', base: 'volume' },
  },
  currencies: {
    path: '/api/v2/currencies/',
    row: { symbol: 'currency', name: 'name' },
    without: { money: { type: { not: ['crypto'] } } },
  },
})
