/** The quotation API of Upbit (docs.upbit.com), which Bithumb copied. */
import { isoOf } from '../contract/time.ts'
import type { BarDialect } from './bars.ts'

/** A row of `/v1/ticker`. Its change, open, high and low are of a day that begins at midnight; there is no bid and no ask. */
export const UPBIT_TICKER = {
  market: 'market',
  price: { last: 'trade_price' },
  volume: { base: 'acc_trade_volume_24h', quote: 'acc_trade_price_24h' },
  at: { ms: 'timestamp' },
  traded_at: { ms: 'trade_timestamp' },
} as const

const MINUTES: Readonly<Record<string, number>> = { '15m': 15, '1h': 60, '4h': 240 }

/** Its bars of these widths, up to an end that is not among them. */
export const upbitBars = (widths: readonly ('15m' | '1h' | '4h' | '1d')[]): BarDialect => ({
  widths: Object.fromEntries(widths.map((width) => [width, width === '1d' ? 'days' : `minutes/${MINUTES[width]}`])),
  most: 200,
  path: ({ market, width, to }) => `/v1/candles/${width}?market=${market}&to=${isoOf(to + 1000)}&count=200`,
  row: {
    utc: 'candle_date_time_utc',
    open: 'opening_price',
    high: 'high_price',
    low: 'low_price',
    close: 'trade_price',
    base: 'candle_acc_trade_volume',
    quote: 'candle_acc_trade_price',
  },
})
