import type * as z from 'zod'
import { type Days, INTERVAL_OF, type Point, type SeriesMembers } from '../contract/history.ts'
import { LENGTH_OF, bucketOf, timestampOf, windowOf } from './grid.ts'

/**
 * One range of an asset's history as it is published, which is all that is kept of it. `seenAfterSeconds` tells for
 * each row when its value was first seen, so that a late observation can be told from a newer one; it is null for a row
 * that came from past prices of a source and not from a run of ours.
 */
export type Series = Readonly<z.infer<z.ZodObject<typeof SeriesMembers>>> & {
  readonly count: number
  readonly rows: readonly Point[]
}

/** Index of the first row that is not before `timestamp`. */
export function firstFrom(rows: readonly Point[], timestamp: string): number {
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const row = rows[middle]
    if (row !== undefined && row.timestamp < timestamp) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Whether a series that fits the contract's schema is also one that could have been written: its own range, the rows on
 * the grid, in order, within the window, and each with its time. Anything else is damage, and is taken as no series.
 */
export function isSound(series: Series, days: Days): boolean {
  const { from, to, rows, seenAfterSeconds } = series
  if (series.days !== days || seenAfterSeconds.length !== rows.length) return false
  if (to === null) return rows.length === 0

  const end = Date.parse(to)
  const interval = INTERVAL_OF[days]
  const length = LENGTH_OF[interval]
  // Also of a time on no calendar: NaN is not equal to itself.
  if (bucketOf(end, interval) !== end) return false
  const window = windowOf(days, end)
  if (from !== timestampOf(window.from)) return false

  let earliest = window.from
  for (const [index, { timestamp }] of rows.entries()) {
    const bucket = Date.parse(timestamp)
    const seen = seenAfterSeconds[index] ?? 0
    if (!(bucket >= earliest && bucket <= window.to && bucket % length === 0 && seen * 1000 < length)) return false
    earliest = bucket + length
  }
  return true
}

/**
 * What a series says of a moment: the price of the bucket it lies in, or null where there is none. It turns prices in
 * another currency into dollars of that time, given the series of that currency.
 */
export const priceAt = (series: Series): ((ms: number) => number | null) => {
  const { rows, interval } = series
  return (ms) => {
    const timestamp = timestampOf(bucketOf(ms, interval))
    const row = rows[firstFrom(rows, timestamp)]
    return row?.timestamp === timestamp ? row.price_usd : null
  }
}
