import { gridOf } from '../contract/history.ts'
import type { Feed } from '../feed/feed.ts'
import { fetchPastPrices } from '../history/past-prices.ts'
import { fetchPastRates } from '../history/past-rates.ts'
import type { Rows } from '../history/rows.ts'
import type { Recording } from '../sources/merge-recordings.ts'
import type { Ration } from './quotas.ts'
import { type Recorder, withPast } from './recording.ts'
import type { Inputs, Limits, Ports } from './run.ts'

/** A run that may be recorded. */
export interface Running extends Recorder {
  readonly ports: Ports
  readonly limits: Limits
}

/** Requests the past prices and rates that the rows lack. `complete` is the recording with those that it keeps. */
export async function pastAnswers(
  { now, cadenceMs }: Pick<Inputs, 'now' | 'cadenceMs'>,
  rows: Rows,
  { feed, recording }: { readonly feed: Feed; readonly recording: Recording },
  { ration, limits: { hasBars = true }, ports, tell }: Running,
) {
  const given = [...recording.rows.values()].flat()
  const prices = await fetchPastPrices({
    grid: gridOf(cadenceMs),
    now,
    latest: Math.max(now, rows.run === null ? now : Date.parse(rows.run.latest)),
    past: rows.past,
    hasBars,
    feed,
    // A source that failed in this run is not asked again.
    sources: recording.reports.flatMap(({ source, error }) => (error === null ? [source] : [])),
    connect: ration.connect,
    budget: { ...budgetOf(ration, rows.run === null), turn: rows.run === null ? 0 : Math.floor(now / cadenceMs) },
    given: given.filter((row) => row.kind === 'past'),
    keep: ports.record !== undefined,
    tell,
  })
  const rates = await fetchPastRates({
    known: rows.pastRates,
    reports: recording.reports,
    connect: ration.connect,
    isOff: ration.history.perRun === 0,
    given: given.filter((row) => row.kind === 'day-rates'),
  })
  return { prices, rates, complete: withPast(recording, [...rates.rows, ...prices.answers]) }
}

/** The budget of a run. The first has all series to fill, and may take some minutes for it, which each source limits by its pace. */
function budgetOf({ history: { first, most, ...every }, sources }: Ration, isFirst: boolean) {
  const { perRun, perSource, seconds } = (isFirst ? first : undefined) ?? { ...every, seconds: Infinity }
  const byPace = new Map(
    sources.map(({ id, pace }) => [id, Math.floor((seconds * pace.requests) / pace.perSeconds)] as const),
  )
  return { perRun, most: (id: string) => Math.min(perSource, most(id), byPace.get(id) ?? Infinity) }
}
