import type * as z from 'zod'
import type { Days, GridInterval, Point, SeriesMembers } from '../contract/history.ts'
import { LENGTH_OF, bucketOf, timestampOf, windowOf } from './grid.ts'

/** One range of an asset's history as it is published, which is all that is kept of it. */
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

/** Widths that a range may have been published with: that of the finest follows the cadence. */
const WIDTHS: Readonly<Record<Days, readonly [GridInterval, ...GridInterval[]]>> = {
  1: ['15m', '30m', '1h'],
  7: ['1h'],
  30: ['4h'],
  90: ['1d'],
  365: ['1d'],
}

/** Whether a range may have buckets of a width. */
export const isWidthOf = (days: Days, width: GridInterval): boolean => WIDTHS[days].includes(width)

/** The finest width that a range may have. */
export const usualWidthOf = (days: Days): GridInterval => WIDTHS[days][0]

/**
 * Whether a series that fits the contract's schema is also one that could have been written: its own range, the rows on
 * the grid, in order and within the window. Anything else is damage, and is taken as no series.
 */
export function isSound(series: Series, days: Days): boolean {
  const { from, to, rows, interval } = series
  if (series.days !== days || !isWidthOf(days, interval)) return false
  if (to === null) return rows.length === 0

  const end = Date.parse(to)
  const length = LENGTH_OF[interval]
  // Also of a time on no calendar: NaN is not equal to itself.
  if (bucketOf(end, interval) !== end) return false
  const window = windowOf(days, interval, end)
  if (from !== timestampOf(window.from)) return false

  let earliest = window.from
  for (const { timestamp } of rows) {
    const bucket = Date.parse(timestamp)
    if (!(bucket >= earliest && bucket <= window.to && bucket % length === 0)) return false
    earliest = bucket + length
  }
  return true
}

/** The series on another grid, as after a change of the cadence: the last value of each bucket. */
export function onGrid(series: Series, interval: GridInterval): Series {
  if (series.interval === interval || series.to === null) return { ...series, interval }
  const window = windowOf(series.days, interval, Date.parse(series.to))
  const last = new Map(
    series.rows.map((row) => {
      const timestamp = timestampOf(bucketOf(Date.parse(row.timestamp), interval))
      return [timestamp, { ...row, timestamp }] as const
    }),
  )
  const rows = [...last.values()].filter(({ timestamp }) => timestamp >= timestampOf(window.from))
  const [from, to] = [timestampOf(window.from), timestampOf(window.to)]
  return { ...series, interval, from, to, rows, count: rows.length, missing: window.buckets - rows.length }
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

/** Whether a series with `missing` of its buckets covers at least half of its range. */
export const coversHalf = (missing: number, buckets: number): boolean => missing * 2 <= buckets
