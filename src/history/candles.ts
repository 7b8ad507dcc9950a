import type { GridInterval } from '../contract/history.ts'
import type { Candle } from '../sources/source.ts'
import { LENGTH_OF, barsFor, bucketOf } from './grid.ts'
import type { Backfill } from './extend.ts'

export interface Bars {
  readonly candles: readonly Candle[]
  /** Width of the buckets; the bars have that width, or the one that {@link barsFor} gives. */
  readonly interval: GridInterval
  /** Clock of the run: a bar that is still open then has no close yet. */
  readonly now: number
  /** Dollars for one unit of the currency that the bars are quoted in, at a time in ms; null where it is not known. */
  readonly rateAt: (ms: number) => number | null
}

type Points = Backfill['points']

/**
 * The points of a market's bars, in any order. A close belongs to the end of its bar, so it stands in the bucket that
 * the bar's last moment lies in; of several in one bucket the last counts. The volume is left out: it is that of one
 * venue, and a series has that of all.
 */
export function fromCandles({ candles, interval, now, rateAt }: Bars): Points {
  const length = LENGTH_OF[barsFor(interval)]
  const points = new Map<number, Points[number]>()
  for (const { at, close } of inOrder(candles.filter((bar) => bar.at + length <= now))) {
    const end = at + length - 1
    const rate = rateAt(end)
    const bucket = bucketOf(end, interval)
    // Venues write 0 for a bar without a trade: that is no price.
    if (rate !== null && close > 0) points.set(bucket, { bucket, price_usd: close * rate })
  }
  return [...points.values()]
}

/** The points of an aggregator's prices, which are dollars at an instant. Of several in one bucket the last counts. */
export function fromInstants({ candles, interval, now }: Omit<Bars, 'rateAt'>): Points {
  const points = new Map<number, Points[number]>()
  for (const { at, close } of inOrder(candles)) {
    const bucket = bucketOf(at, interval)
    if (at <= now && close > 0) points.set(bucket, { bucket, price_usd: close })
  }
  return [...points.values()]
}

/** Oldest first; of two of the same time the one that came second. */
const inOrder = (candles: readonly Candle[]): readonly Candle[] =>
  [...new Map(candles.map((candle) => [candle.at, candle])).values()].toSorted((a, b) => a.at - b.at)
