import type * as z from 'zod'
import { INTERVAL_MS } from '../contract/time.ts'
import type { Days, GridInterval, Point, SeriesMembers } from '../contract/history.ts'
import { bucketOf, timeOf, timestampOf, windowOf } from './grid.ts'

/** One range of an asset's history, as published. It is the only stored state of the history. */
export type Series = Readonly<z.infer<z.ZodObject<typeof SeriesMembers>>> & {
  readonly count: number
  readonly rows: readonly Point[]
}

/** Returns the index of the first row that is not before `timestamp`. */
export function firstFrom(rows: readonly Point[], timestamp: string): number {
  let low = 0
  let high = rows.length
  while (low < high) {
    const mid = (low + high) >>> 1
    const row = rows[mid]
    if (row !== undefined && row.timestamp < timestamp) low = mid + 1
    else high = mid
  }
  return low
}

/** Allowed bucket widths of each range. That of the finest range depends on the cadence. */
const WIDTHS: Readonly<Record<Days, readonly [GridInterval, ...GridInterval[]]>> = {
  1: ['15m', '30m', '1h'],
  7: ['1h'],
  30: ['4h'],
  90: ['1d'],
  365: ['1d'],
}

/** Whether a bucket width is allowed for a range. */
export const isWidthOf = (days: Days, width: GridInterval): boolean => WIDTHS[days].includes(width)

/** Returns the finest bucket width of a range. */
export const usualWidthOf = (days: Days): GridInterval => WIDTHS[days][0]

/**
 * Whether a series that matches the contract's schema is consistent: its range is `days`, and its rows are on the grid, in
 * order and within the window. Anything else is damage.
 */
export function isSound(series: Series, days: Days): boolean {
  const { from, to, rows, interval } = series
  if (series.days !== days || !isWidthOf(days, interval)) return false
  if (to === null) return rows.length === 0

  const end = Date.parse(to)
  const length = INTERVAL_MS[interval]
  // An invalid date fails too, because NaN is not equal to itself.
  if (bucketOf(end, interval) !== end) return false
  const window = windowOf(days, interval, end)
  if (from !== timestampOf(window.from)) return false

  // Texts are compared, because parsing that of each row would take longer than the rest of reading a series.
  let bucket = window.from
  for (const { timestamp } of rows) {
    while (bucket < window.to && timestampOf(bucket) < timestamp) bucket += length
    if (bucket > window.to || timestampOf(bucket) !== timestamp) return false
    bucket += length
  }
  return true
}

/** Converts a series to another bucket width after a change of the cadence, with the last value of each bucket. */
export function onGrid(series: Series, interval: GridInterval): Series {
  if (series.interval === interval || series.to === null) return { ...series, interval }
  const window = windowOf(series.days, interval, Date.parse(series.to))
  const last = new Map(
    series.rows.map((row) => {
      const timestamp = timestampOf(bucketOf(timeOf(row.timestamp), interval))
      return [timestamp, { ...row, timestamp }] as const
    }),
  )
  const rows = [...last.values()].filter(({ timestamp }) => timestamp >= timestampOf(window.from))
  const [from, to] = [timestampOf(window.from), timestampOf(window.to)]
  return { ...series, interval, from, to, rows, count: rows.length, missing: window.buckets - rows.length }
}

/** Returns a function that reads the price of the bucket of a time in ms since 1970, or null if it has no value. */
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
