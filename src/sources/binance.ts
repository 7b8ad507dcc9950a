import { BINANCE_BARS, BINANCE_TICKERS, binanceInstruments } from './binance-api.ts'
import { is } from './dialect.ts'
import { unread } from './rights.ts'
import { venue } from './venue.ts'

/**
 * Shares of companies as tokens, traded since June 2026. The instruments do not mark them, and real coins end in B too, so
 * they are named here as the venue announced them.
 */
const STOCKS = 'NVDAB TSLAB SNDKB MUB CRCLB AAPLB COINB SPYB QQQB'.split(' ')

/** Binance. The whole list weighs 80 of 6,000 a minute and candles weigh 2 (developers.binance.com). */
export const binance = venue({
  id: 'binance',
  label: 'Binance',
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
  rights: unread('https://www.binance.com/en/terms'),
  page: 'https://www.binance.com/en/trade/{BASE}_{QUOTE}?type=spot',
  tickers: { ...BINANCE_TICKERS, change: { percent: 'priceChangePercent' } },
  pair: {
    glued:
      'USDT USDC FDUSD TUSD BUSD USD1 USDP USDS UST PAX DAI VAI EURI IDRT BTC ETH BNB TRX XRP DOGE DOT SOL BIDR BKRW ' +
      'BVND EUR GBP TRY BRL ARS AUD COP CZK IDR JPY MXN NGN PLN RON RUB UAH ZAR',
  },
  lists: { instruments: binanceInstruments(['TRADING'], { baseAsset: is(...STOCKS) }) },
  bars: BINANCE_BARS,
})
