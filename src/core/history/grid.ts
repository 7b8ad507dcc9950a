import { ensured } from '../contract/order.ts'
import { type Ms, isoOf, INTERVAL_MS, DAY_MS } from '../contract/time.ts'
import type { Days, Grid, GridInterval, Interval } from '../contract/history.ts'

/** Returns the width of the bars that fill a bucket. Not every source has bars of 30 minutes. */
export const barsFor = (interval: GridInterval): Interval => (interval === '30m' ? '15m' : interval)

export interface Moment {
  readonly grid: Grid
  readonly now: Ms
}

/** Returns the start of the bucket of a time. All grids begin at 1970-01-01T00:00:00Z, so coarser buckets hold whole finer ones. */
export const bucketOf = (ms: Ms, interval: GridInterval): number =>
  Math.floor(ms / INTERVAL_MS[interval]) * INTERVAL_MS[interval]

/** Returns the window of a range: `days` days that end with the bucket open at `now`. */
export function windowOf(days: Days, interval: GridInterval, now: Ms) {
  const length = INTERVAL_MS[interval]
  const to = bucketOf(now, interval)
  const buckets = (days * DAY_MS) / length
  return { from: to - (buckets - 1) * length, to, buckets }
}

/** Capacity of the cache of {@link timestampOf}: more than all grids have buckets. */
const KEPT_TIMES = 4096
const timestamps = new Map<number, string>()

/**
 * Returns a time as it is published: whole seconds, cut, not rounded. Texts of this form sort as the times do. All series
 * of a run have the same few hundred buckets, so their texts are kept: formatting each took a fifth of a fresh build.
 */
export function timestampOf(ms: Ms): string {
  if (timestamps.size >= KEPT_TIMES) timestamps.clear()
  return ensured(timestamps, ms, () => isoOf(ms))
}
