import { BINANCE_TICKERS, binanceMarkets } from './binance.ts'
import { venue } from './venue.ts'

/** The group of shares of companies, such as AAPLX. Those of metals and oil hold coins too. */
const STOCKS = { conceptPlates: /(^|,)mc-trade-zone-xStocks(,|$)/ }

// `status` was ENABLED, then 1.
const markets = binanceMarkets('/api/v3/exchangeInfo', ['ENABLED', '1'], STOCKS)

/** MEXC. 500 weight in 10 seconds, the whole list weighs 40 (mexcdevelop.github.io/apidocs). */
export const mexc = venue({
  id: 'mexc',
  label: 'MEXC',
  host: 'api.mexc.com',
  pace: { requests: 5, perSeconds: 1 },
  terms: 'https://www.mexc.com/terms',
  page: 'https://www.mexc.com/exchange/{BASE}_{QUOTE}',
  // The change called a percent is a fraction.
  tickers: { ...BINANCE_TICKERS, change: { fraction: 'priceChangePercent' } },
  pair: { glued: 'USDT USDC USDE USD1 TUSD BTC ETH MX EUR BRL' },
  markets,
  // The names of the list of pairs: the list of currencies needs a key, and the contracts of the pairs hold texts that are none.
  currencies: {
    path: markets.path,
    envelope: { rows: 'symbols' },
    isOfMarkets: true,
    row: { symbol: 'baseAsset', name: 'fullName' },
    without: { 'tokenized stock': STOCKS },
  },
})
