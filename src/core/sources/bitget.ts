import { venue } from './venue.ts'

/** Bitget. 20 requests a second from one address (bitget.com/api-doc). */
export const bitget = venue({
  id: 'bitget',
  label: 'Bitget',
  host: 'api.bitget.com',
  pace: { requests: 5, perSeconds: 1 },
  terms: 'https://www.bitget.com/support/articles/12560603797947',
  page: 'https://www.bitget.com/spot/{market}',
  envelope: { ok: ['code', '00000'], rows: 'data' },
  tickers: {
    path: '/api/v2/spot/market/tickers',
    row: { name: 'symbol', last: 'lastPr', bid: 'bidPr', ask: 'askPr', base: 'baseVolume', quote: 'quoteVolume' },
    // `change24h` is since 16:00 UTC: the price that it implies was 14 bp from OKX's of then and 145 from that of a day before
    // (medians of 174 pairs, 2022-11-22).
    change: { open: 'open' },
    at: { ms: 'ts' },
  },
  pair: { glued: 'USDT USDC BTC ETH EUR BRL' },
  markets: {
    path: '/api/v2/spot/public/symbols',
    row: { name: 'symbol', base: 'baseCoin', quote: 'quoteCoin' },
    without: { 'not trading': { status: { not: ['online'] } } },
  },
  // Coins that have the symbols of others elsewhere.
  common: 'APX=ASTROPEPEX DEGEN=DEGENREBORN EVA=EVADORE OMNI=OMNI1 TONCOIN=TON',
  bars: {
    // `1day` begins at 16:00 UTC.
    widths: { '15m': '15min', '1h': '1h', '4h': '4h', '1d': '1Dutc' },
    most: 1000,
    path: '/api/v2/spot/market/candles?symbol={market}&granularity={width}&startTime={from}&endTime={after}&limit=1000',
    row: { ms: 0, open: 1, high: 2, low: 3, close: 4, base: 5, quote: 6 },
  },
  // Contracts alone: it names no coin.
  currencies: {
    path: '/api/v2/spot/public/coins',
    row: { symbol: 'coin', chains: 'chains' },
    chain: { platform: 'chain', address: 'contractAddress' },
    isNative: ({ contractAddress }) => !contractAddress,
  },
})
