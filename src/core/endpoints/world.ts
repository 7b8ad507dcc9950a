import { RUN_DAYS, type RunDay } from '../contract/collector.ts'
import { isSampleLabel } from '../contract/product.ts'
import { dayOf } from '../contract/time.ts'
import { gridOf } from '../contract/history.ts'
import { snapshotFrom } from '../feed/snapshot.ts'
import { spanOfBars } from '../history/bars.ts'
import { closedDays, closesList, closesOf, spanOfDays } from '../history/days.ts'
import { bucketOf } from '../history/grid.ts'
import { noPast } from '../history/past.ts'
import { hasYear } from '../history/points.ts'
import type { Rows } from '../history/rows.ts'
import { sparklineOf } from '../history/series.ts'
import { marketView } from './market-view.ts'

const isCounted = ({ published, refused, failed, gap_minutes }: RunDay): boolean =>
  published + refused + failed + gap_minutes > 0

/** Returns the first and last time of the bars of each listing that has any. */
const spansOf = (past: Rows['past'], spanOf: typeof spanOfBars) =>
  new Map(
    [...past].flatMap(([slug, own]) => {
      const span = spanOf(own)
      return span ? [[slug, span] as const] : []
    }),
  )

/** Returns what documents are composed of, from rows and nothing else. @throws Error for rows without a run */
export function worldOf(rows: Rows) {
  const { site, run, past, runs, listings } = rows
  if (site === null || run === null) throw new Error('there are no rows of a run')
  const clock = { grid: gridOf(run.cadence_ms), latest: Date.parse(run.latest) }
  const snapshot = snapshotFrom({
    listings: [...listings.values()],
    pairs: rows.pairs,
    sources: [...rows.sources.values()],
    rates: [...rows.rates.values()],
    at: run.at,
  })
  const inputs = { past, runs, today: bucketOf(clock.latest, '1d') }
  const counts = closedDays(inputs)
  const label = `${site.product} ${isSampleLabel(run.label) ? 'sample' : 'feed'}`
  /** Returns the past of a listing; an empty one if nothing is known of it. */
  const pastOf = (slug: string) => past.get(slug) ?? noPast()
  const seriesOf = (slug: string) => {
    const asset = snapshot.bySlug.get(slug)?.asset
    const isDelisted = asset?.listing_status === 'delisted'
    return { slug, label, isDelisted, replacedBy: asset?.replaced_by ?? null, ...clock }
  }
  return {
    ...rows,
    ...snapshot,
    ...marketView(snapshot, site.members, run.cadence_ms),
    site,
    run,
    /** Runs by day, oldest first. */
    runDays: [...runs.values()].filter(isCounted).slice(-RUN_DAYS),
    clock,
    pastOf,
    seriesOf,
    /** Listings that are not delisted, with the sparkline of each, which several documents show. */
    marketsRows: snapshot.listed.map(({ asset }) => ({
      sparkline_7d: sparklineOf(pastOf(asset.slug), seriesOf(asset.slug)),
      ...asset,
    })),
    closes: {
      list: closesList(counts, inputs),
      days: [...counts.keys()].toSorted((a, b) => a - b).map(dayOf),
      of: (day: string) => closesOf(day, inputs),
    },
    candleSpans: spansOf(past, spanOfBars),
    dailySpans: spansOf(past, spanOfDays),
    /** Number of listings with a value on at least half of the last 365 days. */
    withHistory: () => snapshot.listings.filter(({ asset }) => hasYear(pastOf(asset.slug), clock.latest)).length,
  }
}
