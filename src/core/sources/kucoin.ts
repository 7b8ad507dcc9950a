import { venue } from './venue.ts'

const CURRENCIES = '/api/v3/currencies'

/** Only the full name of a currency says that it is a share of a company: "Apple xStock". */
const STOCKS = { 'tokenized stock': { fullName: /\bxStock\b|\bOndo Tokenized\b|\bTokenized Stock\b/i } }

/** KuCoin. 2,000 in 30 seconds, of which the list weighs 15 and candles 3 (kucoin.com/docs, rate limit). */
export const kucoin = venue({
  id: 'kucoin',
  label: 'KuCoin',
  host: 'api.kucoin.com',
  pace: { requests: 10, perSeconds: 1 },
  terms: 'https://www.kucoin.com/legal/terms-of-use',
  page: 'https://www.kucoin.com/trade/{market}',
  envelope: { ok: ['code', '200000'], rows: 'data' },
  tickers: {
    path: '/api/v1/market/allTickers',
    envelope: { ok: ['code', '200000'], rows: 'data.ticker', time: { ms: 'data.time' } },
    // `symbol` keeps the names that currencies had when they were listed; `symbolName` has today's.
    row: { name: 'symbol', pair: 'symbolName', last: 'last', bid: 'buy', ask: 'sell', base: 'vol', quote: 'volValue' },
    change: { fraction: 'changeRate' },
  },
  pair: '-',
  bases: { path: CURRENCIES, row: { name: 'name' }, without: STOCKS },
  bars: {
    widths: { '15m': '15min', '1h': '1hour', '4h': '4hour', '1d': '1day' },
    most: 1500,
    // The bar that begins at `endAt` is left out.
    path: '/api/v1/market/candles?symbol={market}&type={width}&startAt={from}&endAt={after}',
    row: { seconds: 0, open: 1, high: 3, low: 4, close: 2, base: 5, quote: 6 },
  },
  // `currency` is the name of the day it was listed; `name` is today's, as in the quotes. Fiat money has no chains.
  currencies: {
    path: CURRENCIES,
    row: { symbol: 'name', name: 'fullName', chains: 'chains' },
    chain: { platform: 'chainId', address: 'contractAddress' },
    // No contract on an open chain is the chain's own coin; on a closed one the contract was taken off the list.
    isNative: ({ contractAddress, isWithdrawEnabled: out, isDepositEnabled: into }) =>
      !contractAddress && out === true && into === true,
    without: STOCKS,
  },
})
