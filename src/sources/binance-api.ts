/** The spot API of Binance (developers.binance.com), which others copied. */
import type { BarDialect } from './bars.ts'
import { isNot, type Without } from './dialect.ts'
import type { ExplainingList } from './venue.ts'

/** Its list of tickers, without the change. A pair given up stays in it, all zeros. */
export const BINANCE_TICKERS = {
  path: '/api/v3/ticker/24hr',
  market: 'symbol',
  price: { last: 'lastPrice', bid: 'bidPrice', ask: 'askPrice' },
  volume: { base: 'volume', quote: 'quoteVolume' },
  at: { ms: 'closeTime' },
} as const

/** Its instruments, of which those in these states trade. */
export const binanceInstruments = (open: readonly string[], stocks: Without[string]): ExplainingList => ({
  path: '/api/v3/exchangeInfo',
  envelope: { rows: 'symbols' },
  key: 'symbol',
  base: 'baseAsset',
  quote: 'quoteAsset',
  without: { 'not trading': { status: isNot(...open) }, 'tokenized stock': stocks },
})

/** Its bars. */
export const BINANCE_BARS: BarDialect = {
  widths: { '15m': '15m', '1h': '1h', '4h': '4h', '1d': '1d' },
  most: 1000,
  path: ({ market, width, from, to }) =>
    `/api/v3/klines?symbol=${market}&interval=${width}&startTime=${from}&endTime=${to}&limit=1000`,
  row: { ms: 0, open: 1, high: 2, low: 3, close: 4, base: 5, quote: 7 },
}
