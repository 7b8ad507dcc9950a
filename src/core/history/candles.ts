import { type Ms, INTERVAL_MS } from '../contract/time.ts'
import { byKey } from '../contract/order.ts'
import type { PastBar, PastRow } from '../contract/observations.ts'
import type { Points } from './points.ts'
import { barsFor, bucketOf } from './grid.ts'

interface Conversion {
  /** Time of the run. A bar that is still open then has no close. */
  readonly now: Ms
  /** Returns the price in US dollars of the quote currency at a time, or null if it is unknown. */
  readonly rateAt: (ms: Ms) => number | null
  /** Whether the answer has prices at an instant, as that of an aggregator, and not bars. */
  readonly isRolling: boolean
}

/**
 * Converts bars of a market, in any order, to points. A close is the price at the end of its bar, so it belongs to the bucket
 * of the bar's last millisecond. The last price of a bucket counts. The volume is dropped, because it is that of one venue.
 */
export function pointsFrom(
  { bars, interval }: Pick<PastRow, 'bars' | 'interval'>,
  { now, rateAt, isRolling }: Conversion,
): Points {
  const length = isRolling ? 0 : INTERVAL_MS[barsFor(interval)]
  const buckets: number[] = []
  const prices_usd: number[] = []
  for (const [start, close] of inOrder(bars)) {
    // Some venues write 0 as the close of a bar without trades.
    if (close <= 0 || start + length > now) continue
    const at = isRolling ? start : start + length - 1
    const rate = rateAt(at)
    if (rate === null) continue
    const bucket = bucketOf(at, interval)
    const place = bucket === buckets.at(-1) ? buckets.length - 1 : buckets.length
    buckets[place] = bucket
    prices_usd[place] = close * rate
  }
  return { buckets, prices_usd }
}

/** Returns bars in the order of their times; of several with the same time the last. Those of most answers are in order. */
export function inOrder(bars: readonly PastBar[]): readonly PastBar[] {
  const isInOrder = bars.every(([at], index) => at > (bars[index - 1]?.[0] ?? -Infinity))
  return isInOrder ? bars : [...new Map(bars.map((bar) => [bar[0], bar])).values()].toSorted(byKey)
}
