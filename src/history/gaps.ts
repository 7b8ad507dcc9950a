import type { Days, GridInterval } from '../contract/history.ts'
import { LENGTH_OF, timestampOf, windowOf } from './grid.ts'
import { backfillsOf } from './label.ts'
import type { Series } from './series.ts'

/** Closed buckets without a value. `from` and `to` are the starts of the first and the last, in ms since 1970. */
export interface Gap {
  readonly days: Days
  readonly interval: GridInterval
  readonly from: number
  readonly to: number
  readonly missing: number
  /** Older than the newest backfilled row: a source has been asked for it before and seems to have nothing. */
  readonly asked: boolean
}

/** What a series lacks, null where there is none: what was asked for before, and what was not. */
export function gapsOf(days: Days, interval: GridInterval, series: Series | null, now: number): readonly Gap[] {
  const last = series === null || series.to === null ? now : Date.parse(series.to)
  const window = windowOf(days, interval, Math.max(now, last))
  const present = new Set(series?.rows.map(({ timestamp }) => timestamp))
  // Of what past prices gave nobody knows the volume.
  const isBackfilled = series !== null && backfillsOf(series.sourceLabel).length > 0
  const newest = isBackfilled ? series.rows.findLast(({ volume_24h_usd }) => volume_24h_usd === null) : undefined
  const reached = newest === undefined ? window.from : Date.parse(newest.timestamp)

  const missing: number[] = []
  for (let bucket = window.from; bucket < window.to; bucket += LENGTH_OF[interval]) {
    if (!present.has(timestampOf(bucket))) missing.push(bucket)
  }
  return [true, false].flatMap((asked) => {
    const buckets = missing.filter((bucket) => bucket < reached === asked)
    const [from] = buckets
    const to = buckets.at(-1)
    return from === undefined || to === undefined ? [] : [{ days, interval, from, to, missing: buckets.length, asked }]
  })
}
