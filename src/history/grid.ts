import { type Days, INTERVAL_OF, type Interval } from '../contract/history.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** Length of a bucket in ms. */
export const LENGTH_OF: Readonly<Record<Interval, number>> = {
  '15m': 15 * MINUTE,
  '1h': 60 * MINUTE,
  '4h': 4 * 60 * MINUTE,
  '1d': DAY,
}

/** The buckets of a range. `from` and `to` are starts of buckets in ms since 1970; `to` is the open one. */
export interface Window {
  readonly from: number
  readonly to: number
  readonly buckets: number
}

/** Start of the bucket that `ms` lies in. All grids begin at 1970-01-01T00:00:00Z: a bucket holds whole finer ones. */
export const bucketOf = (ms: number, interval: Interval): number =>
  Math.floor(ms / LENGTH_OF[interval]) * LENGTH_OF[interval]

/** The window of a range at a clock: it ends with the bucket that is open then, and spans `days` days with it. */
export function windowOf(days: Days, now: number): Window {
  const length = LENGTH_OF[INTERVAL_OF[days]]
  const to = bucketOf(now, INTERVAL_OF[days])
  const buckets = (days * DAY) / length
  return { from: to - (buckets - 1) * length, to, buckets }
}

/** Bars of an interval that make up 24 hours. */
export const barsOfADay = (interval: Interval): number => DAY / LENGTH_OF[interval]

/** A time as it is published: whole seconds, cut, not rounded. Texts of this form sort as the times do. */
export const timestampOf = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`
