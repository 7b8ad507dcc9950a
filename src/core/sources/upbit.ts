import type { BarDialect } from './bars.ts'
import { venue } from './venue.ts'

/** A row of `/v1/ticker`. Its change, open, high and low are of a day that begins at midnight; there is no bid and no ask. */
export const UPBIT_TICKER = {
  row: { name: 'market', last: 'trade_price', base: 'acc_trade_volume_24h', quote: 'acc_trade_price_24h' },
  at: { ms: 'timestamp' },
  traded_at: { ms: 'trade_timestamp' },
} as const

/** Its bars up to an end that is not among them. */
export const UPBIT_BARS: BarDialect = {
  widths: { '15m': 'minutes/15', '1h': 'minutes/60', '4h': 'minutes/240', '1d': 'days' },
  most: 200,
  path: '/v1/candles/{width}?market={market}&to={after}&count=200',
  row: {
    utc: 'candle_date_time_utc',
    open: 'opening_price',
    high: 'high_price',
    low: 'low_price',
    close: 'trade_price',
    base: 'candle_acc_trade_volume',
    quote: 'candle_acc_trade_price',
  },
}

/** Upbit in Korea. 10 requests a second for tickers, and for candles (docs.upbit.com). */
export const upbit = venue({
  id: 'upbit',
  label: 'Upbit',
  host: 'api.upbit.com',
  pace: { requests: 4, perSeconds: 1 },
  // Its footer forbids use, copying and distribution other than the terms allow.
  terms: 'https://docs.upbit.com',
  page: 'https://upbit.com/exchange?code=CRIX.UPBIT.{market}',
  tickers: { path: '/v1/ticker/all?quote_currencies=KRW,BTC,USDT', ...UPBIT_TICKER },
  pair: { quoteFirst: '-' },
  // TON is Tokamak Network.
  common: 'TON=TOKAMAK',
  bars: UPBIT_BARS,
})
