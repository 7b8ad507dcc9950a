import { isoOf, HOUR_MS } from '../contract/time.ts'
import type { Report } from '../sources/collect.ts'
import { type Finding, GATE } from './gate-rules.ts'
import { STALENESS } from './freshness.ts'
import { median } from './statistics.ts'

/** By how many ms the newest row of each source with dated rows is ahead of the run's clock. */
const offsetsOf = (reports: readonly Report[], now: number): number[] =>
  reports.flatMap(({ error, quotes, sightings }) => {
    const newest = [...quotes, ...sightings].reduce((newest, { at }) => Math.max(newest, at ?? -Infinity), -Infinity)
    return error === null && Number.isFinite(newest) ? [newest - now] : []
  })

/**
 * Returns what is wrong with the run's clock. The sources with dated rows are its witnesses: sources that are merely
 * out of date do not agree on the time, and are left out one by one.
 *
 * @param last time of the last run in ms
 */
export function clockFindings(reports: readonly Report[], now: number, last: number): Finding[] {
  const offsets = offsetsOf(reports, now)
  const elsewhere = offsets.filter((offset) => Math.abs(offset) > STALENESS.venue_hours * HOUR_MS)
  const agreed = offsets.length - elsewhere.length
  // As long as no source says what time it is, it is more likely the clock than the sources.
  const found = (rule: Finding['rule'], message: string): Finding[] => [
    { rule, message: `${message}. Check the clock of this machine`, heals: agreed > 0, fades: false },
  ]
  const other = median(elsewhere)
  const agreeing = elsewhere.filter(
    (offset) => Math.abs(offset - other) <= GATE.clock_agreement_minutes * 60_000,
  ).length
  const isElsewhere = agreeing >= 2 && agreeing * 2 > offsets.length
  const isBack = now < last - GATE.clock_back_hours * HOUR_MS
  // Then it is the last run whose clock was ahead.
  const isWitnessed = agreed >= 2 && agreed * 2 > offsets.length
  return [
    ...(isElsewhere
      ? found(
          'old_data',
          `${agreeing} of ${offsets.length} sources with dated rows say that it is about ${isoOf(now + other)}, not ${isoOf(now)}`,
        )
      : []),
    ...(isBack && !isWitnessed
      ? found('clock_back', `it is ${isoOf(now)}, but the last run was at ${isoOf(last)}`)
      : []),
  ]
}
