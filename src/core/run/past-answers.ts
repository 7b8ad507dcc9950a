import type { Feed } from '../feed/feed.ts'
import { fetchPastPrices } from '../history/past-prices.ts'
import { fetchPastRates } from '../history/past-rates.ts'
import type { Rows } from '../history/rows.ts'
import type { Recording } from '../sources/merge-recordings.ts'
import { type Recorder, withPast } from './recording.ts'
import { clockOf } from './rows-after.ts'
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
  { ration, limits: { history, hasBars = true }, ports, tell }: Running,
) {
  const given = [...recording.rows.values()].flat()
  const budget = ration.budgetOf(history, rows.run === null)
  const prices = await fetchPastPrices({
    ...clockOf(rows, cadenceMs, now),
    past: rows.past,
    hasBars,
    feed,
    // A source that failed in this run is not asked again.
    sources: recording.reports.flatMap(({ source, error }) => (error === null ? [source] : [])),
    connect: ration.connect,
    budget: { ...budget, turn: rows.run === null ? 0 : Math.floor(now / cadenceMs) },
    given: given.filter((row) => row.kind === 'past'),
    keep: ports.record !== undefined,
    tell,
  })
  const rates = await fetchPastRates({
    known: rows.pastRates,
    reports: recording.reports,
    connect: ration.connect,
    isOff: budget.perRun === 0,
    given: given.filter((row) => row.kind === 'day-rates'),
  })
  return { prices, rates, complete: withPast(recording, [...rates.rows, ...prices.answers]) }
}
