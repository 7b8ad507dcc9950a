import type { Feed } from '../feed/feed.ts'
import type { LastPublication } from '../tree/last-publication.ts'
import { closesDay } from '../contract/closes.ts'
import { gridOf } from '../contract/history.ts'
import { type ExtendedCandles, extendedCandles, newestBarOf } from '../history/extended-candles.ts'
import { type ExtendedCloses, extendedCloses } from '../history/closes.ts'
import { type ExtendedSeries, extendedSeries } from '../history/extended-series.ts'
import { lastSeries } from '../history/last-series.ts'
import { type HistoryBudget, type PastPrices, fetchPastPrices } from '../history/past-prices.ts'
import type { Report } from '../sources/collect.ts'
import type { Source } from '../sources/source.ts'
import { PRODUCT } from '../contract/product.ts'
import { type Run, cadenceOf } from './run.ts'
import type { Collected } from './run-observations.ts'

/** A feed with the series and candles that it extends. */
export interface Extended {
  readonly feed: Feed
  readonly series: ExtendedSeries
  readonly candles: ExtendedCandles
  readonly closes: ExtendedCloses
  readonly past: PastPrices
}

/** The budget for past prices. The first run has all series to fill, and may take some minutes for it. */
function budgetOf({ history, sources }: Run, previous: LastPublication): HistoryBudget {
  const { first, most = () => Infinity } = history
  if (!first || previous.label !== null) return history
  const byPace = new Map(
    sources.map(({ id, pace }) => [id, Math.floor((first.seconds * pace.requests) / pace.perSeconds)] as const),
  )
  return {
    perRun: first.perRun,
    perSource: first.perSource,
    most: (id) => Math.min(most(id), byPace.get(id) ?? Infinity),
  }
}

/** Asks for past prices, and extends the series by them and by what this run saw. */
export async function extendHistory(run: Run, { tree, known, observations, reports, previous }: Collected, feed: Feed) {
  const aliasesOf = (slug: string) => feed.snapshot.bySlug.get(slug)?.asset.aliases ?? []
  const unreadable = new Set<string>()
  const last = lastSeries(known, aliasesOf, (file) => unreadable.add(file))
  const moment = { grid: gridOf(cadenceOf(run)), now: run.now, last }
  const past = await fetchPastPrices({
    ...moment,
    feed,
    sources: answering(reports),
    connect: run.connect,
    budget: budgetOf(run, previous),
    newestBar: newestBarOf(known, aliasesOf),
    given: observations.past,
    keep: run.onObserved !== undefined,
    onPlan: run.onHistory,
    onFilled: run.onPastPrices,
  })
  const label = `${run.product ?? PRODUCT} ${run.kind === 'sample' ? 'sample' : 'feed'}`
  const { snapshot } = feed
  const candles = extendedCandles({
    snapshot,
    past,
    venues: new Set(run.history.perRun === 0 ? [] : run.sources.filter(hasBars).map(({ id }) => id)),
    files: run.fresh ? [] : tree.documents('candles'),
    last: known,
    grid: moment.grid,
  })
  const closes = extendedCloses({
    snapshot,
    candles,
    files: run.fresh ? [] : tree.files.filter((file) => closesDay(file) !== null && tree.holds(file)),
    last: known,
    now: run.now,
    interval: moment.grid[1],
    keptDays: run.closesDays ?? null,
  })
  return { past, unreadable, series: extendedSeries({ ...moment, snapshot, past, label }), candles, closes }
}

/** Whether candles are made of the bars of a source. */
const hasBars = ({ type, candles }: Source): boolean => type === 'exchange' && candles !== undefined

/** Returns the sources that did not fail in this run. Only those are asked for past prices. */
const answering = (reports: readonly Report[]): Source[] =>
  reports.flatMap(({ source, error }) => (error === null ? [source] : []))
