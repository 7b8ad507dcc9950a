import type { Days, GridInterval, Interval } from '../contract/history.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** Length of a bucket in ms. */
export const LENGTH_OF: Readonly<Record<GridInterval, number>> = {
  '15m': 15 * MINUTE,
  '30m': 30 * MINUTE,
  '1h': 60 * MINUTE,
  '4h': 4 * 60 * MINUTE,
  '1d': DAY,
}

/** The width of the bars that fill a bucket: sources do not all have those of 30 minutes. */
export const barsFor = (interval: GridInterval): Interval => (interval === '30m' ? '15m' : interval)

/** The buckets of a range. `from` and `to` are starts of buckets in ms since 1970; `to` is the open one. */
export interface Window {
  readonly from: number
  readonly to: number
  readonly buckets: number
}

/** Start of the bucket that `ms` lies in. All grids begin at 1970-01-01T00:00:00Z: a bucket holds whole finer ones. */
export const bucketOf = (ms: number, interval: GridInterval): number =>
  Math.floor(ms / LENGTH_OF[interval]) * LENGTH_OF[interval]

/** The window of a range at a clock: it ends with the bucket that is open then, and spans `days` days with it. */
export function windowOf(days: Days, interval: GridInterval, now: number): Window {
  const length = LENGTH_OF[interval]
  const to = bucketOf(now, interval)
  const buckets = (days * DAY) / length
  return { from: to - (buckets - 1) * length, to, buckets }
}

/** Times kept by {@link timestampOf}: more than all grids have buckets. */
const KEPT_TIMES = 4096
const timestamps = new Map<number, string>()

/**
 * Returns a time as it is published: whole seconds, cut, not rounded. Texts of this form sort as the times do. All series
 * of a run have the same few hundred buckets, so their texts are kept: formatting each took a fifth of a fresh build.
 */
export function timestampOf(ms: number): string {
  const known = timestamps.get(ms)
  if (known !== undefined) return known
  const text = `${new Date(ms).toISOString().slice(0, 19)}Z`
  if (timestamps.size >= KEPT_TIMES) timestamps.clear()
  timestamps.set(ms, text)
  return text
}
