import { venue } from './venue.ts'

/** Crypto.com Exchange. 100 requests a second (exchange-docs.crypto.com). */
export const cryptocom = venue({
  id: 'cryptocom',
  label: 'Crypto.com Exchange',
  host: 'api.crypto.com',
  pace: { requests: 10, perSeconds: 1 },
  terms: 'https://crypto.com/exchange/document/terms',
  page: 'https://crypto.com/exchange/trade/{market}',
  envelope: { ok: ['code', '0'], rows: 'result.data' },
  tickers: {
    path: '/exchange/v1/public/get-tickers',
    row: { name: 'i', last: 'a', bid: 'b', ask: 'k', base: 'v' },
    // `vv` is in US dollars whatever the quote.
    change: { fraction: 'c' },
    // 0 without a trade.
    at: { ms: 't' },
    // Perpetuals, dated futures and loan rates are BTCUSD-PERP, OXT-D36500, VET-D365-LTV.
    without: { 'not a spot pair': { i: /^(?![^_-]+_[^_-]+$)/ } },
  },
  pair: '_',
})
