import { venue } from './venue.ts'

/** Bybit. 600 requests in 5 seconds, then 403 for ten minutes (bybit-exchange.github.io/docs/v5/rate-limit). */
export const bybit = venue({
  id: 'bybit',
  label: 'Bybit',
  host: 'api.bybit.com',
  pace: { requests: 10, perSeconds: 1 },
  unavailableFrom: { countries: ['US', 'CN'], evidence: 'https://bybit-exchange.github.io/docs/v5/guide' },
  terms: 'https://www.bybit.com/app/terms-service/information',
  page: 'https://www.bybit.com/en/trade/spot/{BASE}/{QUOTE}',
  // "Too many visits" is 10006 (bybit-exchange.github.io/docs/v5/error).
  envelope: { ok: ['retCode', '0'], busy: ['retCode', '10006'], rows: 'result.list', time: { ms: 'time' } },
  tickers: {
    path: '/v5/market/tickers?category=spot',
    row: {
      name: 'symbol',
      last: 'lastPrice',
      bid: 'bid1Price',
      ask: 'ask1Price',
      base: 'volume24h',
      quote: 'turnover24h',
    },
    change: { fraction: 'price24hPcnt' },
  },
  pair: { glued: 'USDT USDC USDE USDR USD1 DAI BTC ETH MNT EUR BRL PLN TRY' },
  markets: {
    path: '/v5/market/instruments-info?category=spot',
    row: { name: 'symbol', base: 'baseCoin', quote: 'quoteCoin' },
    // xstocks, mstocks, stock: shares of companies as tokens.
    without: { 'not trading': { status: { not: ['Trading'] } }, 'tokenized stock': { symbolType: /stocks?$/ } },
  },
  bars: {
    widths: { '15m': '15', '1h': '60', '4h': '240', '1d': 'D' },
    most: 1000,
    path: '/v5/market/kline?category=spot&symbol={market}&interval={width}&start={from}&end={to}&limit=1000',
    row: { ms: 0, open: 1, high: 2, low: 3, close: 4, base: 5, quote: 6 },
  },
})
