import { venue } from './venue.ts'

/** OKX. 20 requests in 2 seconds for tickers, 40 for candles (okx.com/docs-v5). */
export const okx = venue({
  id: 'okx',
  label: 'OKX',
  host: 'www.okx.com',
  pace: { requests: 5, perSeconds: 1 },
  terms: 'https://www.okx.com/help/terms-of-service',
  page: 'https://www.okx.com/trade-spot/{base}-{quote}',
  envelope: { ok: ['code', '0'], rows: 'data' },
  tickers: {
    path: '/api/v5/market/tickers?instType=SPOT',
    // `volCcy24h` adds up amounts that were rounded trade by trade, which loses up to all of what is traded in bitcoin.
    row: { name: 'instId', last: 'last', bid: 'bidPx', ask: 'askPx', base: 'vol24h' },
    change: { open: 'open24h' },
    at: { ms: 'ts' },
  },
  pair: '-',
  markets: {
    path: '/api/v5/public/instruments?instType=SPOT',
    row: { name: 'instId' },
    // Other categories than 3 are no reason to leave a pair out: gold is one, and a coin.
    without: { 'tokenized stock': { instCategory: ['3'] } },
    also: ['tradeQuoteCcyList'],
  },
  // A book in USD that USDC settles too is one of stablecoins.
  quoteOf: ({ quote }, { tradeQuoteCcyList: settling }) =>
    quote === 'USD' && [settling].flat().includes('USDC') ? 'USDC' : quote,
  bars: {
    // `1D` begins at midnight in Hong Kong.
    widths: { '15m': '15m', '1h': '1H', '4h': '4H', '1d': '1Dutc' },
    most: 300,
    // Named from the newest bar back, and neither end is among those it gives.
    path: '/api/v5/market/candles?instId={market}&bar={width}&after={after}&before={before}&limit=300',
    row: { ms: 0, open: 1, high: 2, low: 3, close: 4, base: 5, quote: 7 },
  },
})
