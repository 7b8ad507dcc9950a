import { INTERVAL_MS } from '../contract/time.ts'
import type { Days, GridInterval } from '../contract/history.ts'
import { timestampOf, windowOf } from './grid.ts'
import { backfillsOf } from './label.ts'
import type { Series } from './series.ts'

/** A range of buckets of which `missing` have no value. `from` and `to` are starts of buckets in ms since 1970. */
export interface Gap {
  readonly days: Days
  readonly interval: GridInterval
  readonly from: number
  readonly to: number
  readonly missing: number
  /** Whether it is older than the newest backfilled row: then a source was asked before and had no value. */
  readonly asked: boolean
}

/** Returns at most two gaps of a series: one that was requested before and one that was not. A null series is all gap. */
export function gapsOf(days: Days, interval: GridInterval, series: Series | null, now: number): readonly Gap[] {
  const last = series === null || series.to === null ? now : Date.parse(series.to)
  const window = windowOf(days, interval, Math.max(now, last))
  const present = new Set(series?.rows.map(({ timestamp }) => timestamp))
  // Only backfilled rows have no volume.
  const isBackfilled = series !== null && backfillsOf(series.sourceLabel).length > 0
  const newest = isBackfilled ? series.rows.findLast(({ volume_24h_usd }) => volume_24h_usd === null) : undefined
  const reached = newest === undefined ? window.from : Date.parse(newest.timestamp)

  const missing: number[] = []
  for (let bucket = window.from; bucket < window.to; bucket += INTERVAL_MS[interval]) {
    if (!present.has(timestampOf(bucket))) missing.push(bucket)
  }
  return [true, false].flatMap((asked) => {
    const buckets = missing.filter((bucket) => bucket < reached === asked)
    const [from] = buckets
    const to = buckets.at(-1)
    return from === undefined || to === undefined ? [] : [{ days, interval, from, to, missing: buckets.length, asked }]
  })
}
