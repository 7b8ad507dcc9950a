import * as z from 'zod'
import type { Candle } from './source.ts'
import { Milliseconds, NonNegative, Positive } from './wire.ts'

const raw = z.unknown()

/**
 * A bar as Binance and OKX send it: open time, open, high, low, close, volume in the base currency, a column that differs,
 * volume in the quote currency, and columns that are not used.
 */
export const BarRow = z
  .tuple(
    [
      Milliseconds.pipe(z.number()),
      Positive,
      Positive,
      Positive,
      Positive.pipe(z.number()),
      NonNegative,
      raw,
      NonNegative,
    ],
    raw,
  )
  .transform(([at, open, high, low, close, volume_base, , volume_quote]): Candle => ({
    at,
    open,
    high,
    low,
    close,
    volume_base,
    volume_quote,
  }))
