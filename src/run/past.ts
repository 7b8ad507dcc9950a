import { closesDay } from '../contract/closes.ts'
import type { RatesOfYear } from '../contract/rates.ts'
import { gridOf } from '../contract/history.ts'
import type { Feed } from '../feed/feed.ts'
import { type ExtendedCloses, extendedCloses } from '../history/closes.ts'
import { type ExtendedDaily, extendedDaily, knownDaily } from '../history/extended-daily.ts'
import { type ExtendedCandles, extendedCandles, newestBarOf } from '../history/extended-candles.ts'
import { type ExtendedSeries, extendedSeries } from '../history/extended-series.ts'
import { lastSeries } from '../history/last-series.ts'
import type { Keyed } from '../history/keyed.ts'
import { type HistoryBudget, fetchPastPrices } from '../history/past-prices.ts'
import { extendedRates, fetchPastRates } from '../history/past-rates.ts'
import type { Source } from '../sources/source.ts'
import type { State } from './open-state.ts'
import type { Ration } from './quotas.ts'
import type { Recording } from '../sources/merge-recordings.ts'
import { withPast } from './recording.ts'
import type { Inputs, Limits, Tell } from './run.ts'

/** The series, candles and closes of a feed: those of the last publication, extended by this run. */
export interface Past extends ExtendedSeries, ExtendedCandles {
  readonly closes: ExtendedCloses
  readonly daily: ExtendedDaily
  readonly pastRates: Keyed<RatesOfYear>
}

interface Asking {
  readonly ration: Pick<Ration, 'sources' | 'connect' | 'history'>
  readonly limits: Pick<Limits, 'hasBars'>
  /** Whether the answers are kept for a recording. */
  readonly keep: boolean
  readonly tell: Tell
}

/**
 * Asks for past prices, and extends the series by them and by what this run saw. `rated` is the recording with the rates of
 * past days; `unreadable` has files of the last publication that are there and cannot be read, and more may follow while
 * documents are composed.
 */
export async function pastOf(
  { kind, product, now, cadenceMs }: Inputs,
  { known, previous }: State,
  { feed, recording }: { readonly feed: Feed; readonly recording: Recording },
  { ration, limits: { hasBars = true }, keep, tell }: Asking,
) {
  const { snapshot } = feed
  const aliasesOf = (slug: string) => snapshot.bySlug.get(slug)?.asset.aliases ?? []
  const unreadable = new Set<string>()
  const last = lastSeries(known, aliasesOf, (file) => unreadable.add(file))
  const grid = gridOf(cadenceMs)
  const published = { files: [...known.files, ...known.documents('daily')], last: known, bySlug: snapshot.bySlug }
  const given = [...recording.rows.values()].flat()
  const prices = await fetchPastPrices({
    grid,
    now,
    last,
    feed,
    // A source that failed in this run is not asked again.
    sources: recording.reports.flatMap(({ source, error }) => (error === null ? [source] : [])),
    connect: ration.connect,
    budget: previous.label === null ? firstBudget(ration) : ration.history,
    ...(hasBars ? { newestBar: newestBarOf(known, aliasesOf), knownDaily: knownDaily(published) } : {}),
    given: given.filter((row) => row.kind === 'past'),
    keep,
    tell,
  })
  const rates = await fetchPastRates({
    ...published,
    reports: recording.reports,
    connect: ration.connect,
    isOff: ration.history.perRun === 0,
    given: given.filter((row) => row.kind === 'day-rates'),
  })
  // A replay requests nothing, and has the past prices of the run that it repeats.
  const isOff = !hasBars || (ration.history.perRun === 0 && !given.some(({ kind: one }) => one === 'past'))
  const label = `${product} ${kind === 'sample' ? 'sample' : 'feed'}`
  const publishers = ration.sources.filter(({ type, candles }) => type === 'exchange' && candles !== undefined)
  const candles = extendedCandles({
    snapshot,
    past: prices,
    venues: new Set(isOff ? [] : publishers.map(({ id }) => id)),
    files: known.documents('candles'),
    last: known,
    grid,
  })
  const series = extendedSeries({ grid, now, last, snapshot, past: prices, label })
  const daily = extendedDaily({ ...published, answers: prices.daily, series: last, now })
  const closes = extendedCloses({
    snapshot,
    candles,
    daily,
    files: known.files.filter((file) => closesDay(file) !== null && known.holds(file)),
    last: known,
    now,
    interval: grid[1],
    keptDays: null,
  })
  const pastRates = extendedRates({ ...published, fetched: rates, previous, now })
  const rated = withPast(recording, 'day-rates', rates.rows)
  return { past: Object.freeze({ ...series, ...candles, closes, daily, pastRates }), prices, rates, rated, unreadable }
}

/** The budget of the first run: it has all series to fill, and may take some minutes for it. */
function firstBudget({ history, sources }: Asking['ration']): HistoryBudget {
  const { first, most } = history
  if (!first) return history
  const byPace = new Map<string, number>(
    sources.map(({ id, pace }: Source) => [id, Math.floor((first.seconds * pace.requests) / pace.perSeconds)]),
  )
  return {
    perRun: first.perRun,
    perSource: first.perSource,
    most: (id) => Math.min(most(id), byPace.get(id) ?? Infinity),
  }
}
