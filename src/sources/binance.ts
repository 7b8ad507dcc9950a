import * as z from 'zod'
import { bars } from './bars.ts'
import { binanceApi } from './binance-api.ts'
import { source } from './source.ts'
import { Milliseconds, Percent } from './wire.ts'
import { unread } from './rights.ts'
import { picked } from './slow-lists.ts'

const QUOTES =
  'USDT USDC FDUSD TUSD BUSD USD1 USDP USDS UST PAX DAI VAI EURI IDRT BTC ETH BNB TRX XRP DOGE DOT SOL BIDR BKRW ' +
  'BVND EUR GBP TRY BRL ARS AUD COP CZK IDR JPY MXN NGN PLN RON RUB UAH ZAR'

/**
 * Shares of companies as tokens, traded since June 2026. The instruments do not mark them, and real coins end in B too, so
 * they are named here as the venue announced them.
 */
const STOCKS = new Set('NVDAB TSLAB SNDKB MUB CRCLB AAPLB COINB SPYB QQQB'.split(' '))

/** Binance. The whole list weighs 80 of 6,000 a minute and candles weigh 2 (developers.binance.com). */
export const binance = source({
  id: 'binance',
  label: 'Binance',
  type: 'exchange',
  host: 'api.binance.com',
  pace: { requests: 10, perSeconds: 1 },
  // Each of 3,500 instruments names the groups that may trade it, some 200.
  volume: { bytes: 48 * 2 ** 20, values: 1_500_000 },
  unavailableFrom: {
    countries: ['US'],
    evidence: 'https://github.com/ccxt/ccxt/issues/16044',
    // Its host for public market data alone.
    fallbackHost: 'data-api.binance.vision',
  },
  slow: [
    {
      path: '/api/v3/exchangeInfo',
      hours: 24,
      keep: z.object({ symbols: picked('symbol', 'status', 'baseAsset', 'quoteAsset') }),
    },
  ],
  rights: unread('https://www.binance.com/en/terms'),
  ...binanceApi({
    quotes: QUOTES.split(' '),
    open: ['TRADING'],
    isStock: (base) => STOCKS.has(base),
    change: Percent,
    page: (pair) => `https://www.binance.com/en/trade/${pair}?type=spot`,
  }),
  candles: bars({
    widths: { '15m': '15m', '1h': '1h', '4h': '4h', '1d': '1d' },
    most: 1000,
    path: ({ market, width, from, to }) =>
      `/api/v3/klines?symbol=${market}&interval=${width}&startTime=${from}&endTime=${to}&limit=1000`,
    rows: (http, path) => http.json(path, z.array(z.unknown())),
    time: Milliseconds,
    columns: { at: 0, open: 1, high: 2, low: 3, close: 4, volume_base: 5, volume_quote: 7 },
  }),
})
