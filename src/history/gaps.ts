import { type Days, INTERVAL_OF } from '../contract/history.ts'
import { LENGTH_OF, timestampOf, windowOf } from './grid.ts'
import type { Series } from './series.ts'

/** Closed buckets without a value. `from` and `to` are the starts of the first and the last, in ms since 1970. */
export interface Gap {
  readonly days: Days
  readonly from: number
  readonly to: number
  readonly missing: number
  /** Older than the newest backfilled row: a source has been asked for it before and seems to have nothing. */
  readonly asked: boolean
}

/** What a series lacks, null where there is none: what was asked for before, and what was not. */
export function gapsOf(days: Days, series: Series | null, now: number): readonly Gap[] {
  const window = windowOf(days, Math.max(now, series === null || series.to === null ? now : Date.parse(series.to)))
  const length = LENGTH_OF[INTERVAL_OF[days]]
  const present = new Set(series?.rows.map(({ timestamp }) => timestamp))
  const newest = series?.rows[series.seenAfterSeconds.lastIndexOf(null)]
  const reached = newest === undefined ? window.from : Date.parse(newest.timestamp)

  const missing: number[] = []
  for (let bucket = window.from; bucket < window.to; bucket += length) {
    if (!present.has(timestampOf(bucket))) missing.push(bucket)
  }
  return [true, false].flatMap((asked) => {
    const buckets = missing.filter((bucket) => bucket < reached === asked)
    const [from] = buckets
    const to = buckets.at(-1)
    return from === undefined || to === undefined ? [] : [{ days, from, to, missing: buckets.length, asked }]
  })
}
