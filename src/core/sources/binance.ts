import type { Without } from './dialect.ts'
import { type ExplainingList, venue } from './venue.ts'

/** Shares of companies as tokens, as the venue announced them: real coins end in B too, and nothing marks these. */
const STOCKS = 'NVDAB TSLAB SNDKB MUB CRCLB AAPLB COINB SPYB QQQB'.split(' ')

/** Its list of tickers, without the change. A pair given up stays in it, all zeros. */
export const BINANCE_TICKERS = {
  path: '/api/v3/ticker/24hr',
  row: { name: 'symbol', last: 'lastPrice', bid: 'bidPrice', ask: 'askPrice', base: 'volume', quote: 'quoteVolume' },
  at: { ms: 'closeTime' },
} as const

export const binanceMarkets = (path: string, open: readonly string[], stocks: Without[string]): ExplainingList => ({
  path,
  envelope: { rows: 'symbols' },
  row: { name: 'symbol', base: 'baseAsset', quote: 'quoteAsset' },
  without: { 'not trading': { status: { not: open } }, 'tokenized stock': stocks },
})

/** Binance. The whole list weighs 80 of 6,000 a minute and candles weigh 2 (developers.binance.com). */
export const binance = venue({
  id: 'binance',
  label: 'Binance',
  host: 'api.binance.com',
  pace: { requests: 10, perSeconds: 1 },
  // 3,500 instruments.
  volume: { bytes: 48 * 2 ** 20, values: 1_500_000 },
  unavailableFrom: {
    countries: ['US'],
    evidence: 'https://github.com/ccxt/ccxt/issues/16044',
    // Its host for public market data alone.
    fallbackHost: 'data-api.binance.vision',
  },
  terms: 'https://www.binance.com/en/terms',
  page: 'https://www.binance.com/en/trade/{BASE}_{QUOTE}?type=spot',
  tickers: { ...BINANCE_TICKERS, change: { percent: 'priceChangePercent' } },
  pair: {
    glued:
      'USDT USDC FDUSD TUSD BUSD USD1 USDP USDS UST PAX DAI VAI EURI IDRT BTC ETH BNB TRX XRP DOGE DOT SOL BIDR BKRW ' +
      'BVND EUR GBP TRY BRL ARS AUD COP CZK IDR JPY MXN NGN PLN RON RUB UAH ZAR',
  },
  // Without the switch, each instrument names the groups that may trade it, some 200.
  markets: binanceMarkets('/api/v3/exchangeInfo?showPermissionSets=false', ['TRADING'], { baseAsset: STOCKS }),
  bars: {
    most: 1000,
    path: '/api/v3/klines?symbol={market}&interval={width}&startTime={from}&endTime={to}&limit=1000',
    row: { ms: 0, open: 1, high: 2, low: 3, close: 4, base: 5, quote: 7 },
  },
})
