import { DAYS, INTERVAL_OF } from '../../src/contract/history.ts'
import type { Observed } from '../../src/history/extend.ts'
import { bucketOf, timestampOf, windowOf } from '../../src/history/grid.ts'
import type { Series } from '../../src/history/series.ts'
import { OWN, type Published, SLUG } from './published.ts'

/** The clock of a run, and what it saw. */
export interface Run {
  readonly now: number
  readonly observations: readonly Observed[]
}

/**
 * The five series that one direct pass over all observations gives: the last one seen in each bucket of the window. The
 * window begins to move with the first observation.
 */
export const direct = (all: readonly Run[]): Published => {
  const first = all.findIndex(({ observations }) => observations.length > 0)
  const runs = all.slice(first)
  const observations = runs.flatMap(({ observations }) => observations).toSorted((a, b) => a.at - b.at)
  const now = Math.max(...runs.map(({ now }) => now))
  return new Map(
    DAYS.map((days) => {
      const interval = INTERVAL_OF[days]
      const window = windowOf(days, now)
      const last = new Map(observations.map((observed) => [bucketOf(observed.at, interval), observed]))
      const kept = [...last].filter(([bucket]) => bucket >= window.from && bucket <= window.to)
      const begun = observations.length > 0
      const series: Series = {
        slug: SLUG,
        days,
        interval,
        from: begun ? timestampOf(window.from) : null,
        to: begun ? timestampOf(window.to) : null,
        missing: window.buckets - kept.length,
        source_label: kept.length > 0 ? OWN : 'none',
        seenAfterSeconds: kept.map(([bucket, { at }]) => Math.floor((at - bucket) / 1000)),
        count: kept.length,
        rows: kept.map(([bucket, { price_usd, volume_24h_usd }]) => ({
          timestamp: timestampOf(bucket),
          price_usd,
          volume_24h_usd,
        })),
      }
      return [days, series]
    }),
  )
}
