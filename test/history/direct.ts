import { DAYS, type Days } from '../../src/contract/history.ts'
import type { Observed } from '../../src/history/extend.ts'
import { bucketOf, timestampOf, windowOf } from '../../src/history/grid.ts'
import type { Series } from '../../src/history/series.ts'
import { GRID, OWN, type Published, SLUG } from './published.ts'

/** The clock of a run, and what it saw. */
export interface Run {
  readonly now: number
  readonly observations: readonly Observed[]
}

/**
 * The last value seen in each bucket of a grid, of runs in their order; one that comes late fills an empty bucket only. The
 * last bucket of a long range has the value of the last finest bucket in it.
 */
function lastValues(runs: readonly Run[], days: Days): ReadonlyMap<number, Observed> {
  const bucket = (at: number) => bucketOf(at, GRID[days])
  const last = new Map<number, Observed>()
  const finest = new Map<number, Observed>()
  let [latest, lateBefore] = [-Infinity, -Infinity]
  for (const { now, observations } of runs) {
    latest = Math.max(latest, now)
    const put = (values: Map<number, Observed>, at: number, observed: Observed) => {
      if (observed.at >= lateBefore || !values.has(at)) values.set(at, observed)
    }
    for (const observed of observations.toSorted((a, b) => a.at - b.at)) {
      put(last, bucket(observed.at), observed)
      put(finest, bucketOf(observed.at, GRID[1]), observed)
    }
    const inOpen = [...finest.keys()].filter((at) => bucket(at) === bucket(latest))
    const seen = finest.get(Math.max(...inOpen))
    if (days >= 30 && seen && last.has(bucket(latest))) last.set(bucket(latest), seen)
    for (const at of finest.keys()) if (at < latest - 2 * 86_400_000) finest.delete(at)
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
      const kept = [...lastValues(runs, days)]
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
