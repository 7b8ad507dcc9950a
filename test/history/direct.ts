import { DAYS } from '../../src/contract/history.ts'
import type { Observed } from '../../src/history/extend.ts'
import { bucketOf, timestampOf, windowOf } from '../../src/history/grid.ts'
import type { Series } from '../../src/history/series.ts'
import { GRID, OWN, type Published, SLUG } from './published.ts'

/** The clock of a run, and what it saw. */
export interface Run {
  readonly now: number
  readonly observations: readonly Observed[]
}

/** The last value seen in each bucket of a grid, of runs in their order; one that comes late fills an empty bucket only. */
function lastValues(runs: readonly Run[], bucket: (at: number) => number): ReadonlyMap<number, Observed> {
  const last = new Map<number, Observed>()
  let [latest, lateBefore] = [-Infinity, -Infinity]
  for (const { now, observations } of runs) {
    latest = Math.max(latest, now)
    for (const observed of observations.toSorted((a, b) => a.at - b.at))
      if (observed.at >= lateBefore || !last.has(bucket(observed.at))) last.set(bucket(observed.at), observed)
    lateBefore = bucketOf(latest, GRID[1])
  }
  return last
}

/**
 * The five series that one direct pass over all runs gives: the last value seen in each bucket of the window. The window
 * begins to move with the first observation.
 */
export const direct = (all: readonly Run[]): Published => {
  const first = all.findIndex(({ observations }) => observations.length > 0)
  const runs = first < 0 ? all : all.slice(first)
  const begun = first >= 0
  const now = Math.max(...runs.map(({ now }) => now))
  return new Map(
    DAYS.map((days) => {
      const interval = GRID[days]
      const window = windowOf(days, interval, now)
      const kept = [...lastValues(runs, (at) => bucketOf(at, interval))]
        .filter(([bucket]) => bucket >= window.from && bucket <= window.to)
        .toSorted(([a], [b]) => a - b)
      const series: Series = {
        slug: SLUG,
        days,
        interval,
        from: begun ? timestampOf(window.from) : null,
        to: begun ? timestampOf(window.to) : null,
        missing: window.buckets - kept.length,
        sourceLabel: kept.length > 0 ? OWN : 'none',
        replacedBy: null,
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
