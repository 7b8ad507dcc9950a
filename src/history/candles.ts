import type { GridInterval } from '../contract/history.ts'
import type { Candle } from '../sources/source.ts'
import { LENGTH_OF, barsFor, bucketOf } from './grid.ts'
import type { Points } from './extend.ts'

/** Bars of a market, and how to convert them. */
export interface Bars {
  readonly candles: readonly Candle[]
  /** Width of the buckets. The width of the bars is {@link barsFor} of it. */
  readonly interval: GridInterval
  /** Time of the run in ms since 1970. A bar that is still open then has no close. */
  readonly now: number
  /** Returns the price in US dollars of the quote currency at a time in ms since 1970, or null if it is unknown. */
  readonly rateAt: (ms: number) => number | null
}

/**
 * Converts bars of a market, in any order, to points. A close is the price at the end of its bar, so it belongs to the bucket
 * of the bar's last millisecond. The last close of a bucket counts. The volume is dropped, because it is that of one venue.
 */
export function fromCandles({ candles, interval, now, rateAt }: Bars): Points {
  const length = LENGTH_OF[barsFor(interval)]
  const prices = new Map<number, number>()
  for (const { at, close } of inOrder(candles.filter((bar) => bar.at + length <= now))) {
    const end = at + length - 1
    const rate = rateAt(end)
    const bucket = bucketOf(end, interval)
    // Some venues write 0 as the close of a bar without trades.
    if (rate !== null && close > 0) prices.set(bucket, close * rate)
  }
  return pointsOf(prices)
}

/** Converts an aggregator's prices, each in US dollars at an instant, to points. The last price of a bucket counts. */
export function fromInstants({ candles, interval, now }: Omit<Bars, 'rateAt'>): Points {
  const prices = new Map<number, number>()
  for (const { at, close } of inOrder(candles)) {
    const bucket = bucketOf(at, interval)
    if (at <= now && close > 0) prices.set(bucket, close)
  }
  return pointsOf(prices)
}

const pointsOf = (prices: ReadonlyMap<number, number>): Points => ({
  buckets: [...prices.keys()],
  prices_usd: [...prices.values()],
})

/** Sorts candles by time. Of several with the same time the last is kept. */
const inOrder = (candles: readonly Candle[]): readonly Candle[] =>
  [...new Map(candles.map((candle) => [candle.at, candle])).values()].toSorted((a, b) => a.at - b.at)
