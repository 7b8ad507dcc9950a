import { type Ms, INTERVAL_MS } from '../contract/time.ts'
import { byKey } from '../contract/order.ts'
import type { GridInterval } from '../contract/history.ts'
import type { PastBar } from '../contract/observations.ts'
import type { Points } from './points.ts'
import { barsFor, bucketOf } from './grid.ts'

interface Bars {
  readonly bars: readonly PastBar[]
  /** Width of the buckets. The width of the bars is {@link barsFor} of it. */
  readonly interval: GridInterval
  /** Time of the run. A bar that is still open then has no close. */
  readonly now: Ms
  /** Returns the price in US dollars of the quote currency at a time, or null if it is unknown. */
  readonly rateAt: (ms: Ms) => number | null
}

/**
 * Converts bars of a market, in any order, to points. A close is the price at the end of its bar, so it belongs to the bucket
 * of the bar's last millisecond. The last close of a bucket counts. The volume is dropped, because it is that of one venue.
 */
export function fromCandles({ bars, interval, now, rateAt }: Bars): Points {
  const length = INTERVAL_MS[barsFor(interval)]
  return pointsOf(bars, interval, (at, close) => {
    const end = at + length - 1
    const rate = end < now ? rateAt(end) : null
    return rate === null ? null : { at: end, price_usd: close * rate }
  })
}

/** Converts an aggregator's prices, each in US dollars at an instant, to points. The last price of a bucket counts. */
export const fromInstants = ({ bars, interval, now }: Omit<Bars, 'rateAt'>): Points =>
  pointsOf(bars, interval, (at, close) => (at <= now ? { at, price_usd: close } : null))

/** Returns bars in the order of their times; of several with the same time the last. Those of most answers are in order. */
export function inOrder(bars: readonly PastBar[]): readonly PastBar[] {
  const isInOrder = bars.every(([at], index) => at > (bars[index - 1]?.[0] ?? -Infinity))
  return isInOrder ? bars : [...new Map(bars.map((bar) => [bar[0], bar])).values()].toSorted(byKey)
}

function pointsOf(
  bars: readonly PastBar[],
  interval: GridInterval,
  priceOf: (at: number, close: number) => { readonly at: number; readonly price_usd: number } | null,
): Points {
  const buckets: number[] = []
  const prices_usd: number[] = []
  for (const [start, close] of inOrder(bars)) {
    // Some venues write 0 as the close of a bar without trades.
    const price = close <= 0 ? null : priceOf(start, close)
    if (price === null) continue
    const bucket = bucketOf(price.at, interval)
    const place = bucket === buckets.at(-1) ? buckets.length - 1 : buckets.length
    buckets[place] = bucket
    prices_usd[place] = price.price_usd
  }
  return { buckets, prices_usd }
}
