import { venue } from './venue.ts'

/** Bitvavo. 1,000 points a minute, 25 a list; above it, an address is refused for 15 minutes (docs.bitvavo.com). */
export const bitvavo = venue({
  id: 'bitvavo',
  label: 'Bitvavo',
  host: 'api.bitvavo.com',
  pace: { requests: 1, perSeconds: 1 },
  terms: 'https://bitvavo.com/en/terms',
  page: 'https://account.bitvavo.com/markets/{market}',
  // A pair without a trade in a day has no last price, but has offers.
  tickers: {
    path: '/v2/ticker/24h',
    row: { name: 'market', last: 'last', bid: 'bid', ask: 'ask', base: 'volume', quote: 'volumeQuote' },
    change: { open: 'open' },
    at: { ms: 'timestamp' },
    without: { 'not traded for a day': { last: [null] } },
  },
  pair: '-',
  markets: {
    path: '/v2/markets',
    row: { name: 'market' },
    without: { 'not trading': { status: { not: ['trading'] } } },
  },
  // It kept the symbols of before a migration.
  common: 'LUNA=LUNC LUNA2=LUNA MIOTA=IOTA',
  bars: {
    most: 1440,
    path: '/v2/{market}/candles?interval={width}&start={from}&end={after}&limit=1440',
    row: { ms: 0, open: 1, high: 2, low: 3, close: 4, base: 5 },
  },
  currencies: { path: '/v2/assets', row: { symbol: 'symbol', name: 'name' } },
})
