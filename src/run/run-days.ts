import { DAY_MS, dayIn, dayOf, isoOf } from '../contract/time.ts'
import { RUN_DAYS, type RunDay } from '../contract/collector.ts'
import type { LastRun } from '../contract/last-run.ts'
import { isAfterGap, minutesByDay } from '../feed/freshness.ts'
import type { LastPublication } from '../tree/last-publication.ts'

/**
 * Returns the runs by day after a publication at `now`: those of the last publication, this one, the runs between the two
 * that published nothing, and the gap before it.
 *
 * @param unpublished runs that published nothing. Those before the last publication were counted by it.
 * @param now in ms since 1970
 */
export function runDays(
  { runs, publishedAt, nextBuildAt }: Pick<LastPublication, 'runs' | 'publishedAt' | 'nextBuildAt'>,
  unpublished: LastRun['unpublished'],
  now: number,
): RunDay[] {
  const days = new Map(runs.map((one) => [one.day, one]))
  const add = (day: string, name: Exclude<keyof RunDay, 'day'>, more: number) => {
    const before = days.get(day) ?? { day, published: 0, refused: 0, failed: 0, gap_minutes: 0 }
    days.set(day, { ...before, [name]: before[name] + more })
  }
  for (const { at, outcome } of unpublished)
    if (publishedAt === null || at > publishedAt) add(dayIn(at), outcome === 'refused' ? 'refused' : 'failed', 1)
  const last = Date.parse(publishedAt ?? '')
  if (publishedAt !== null && nextBuildAt !== null && isAfterGap({ at: publishedAt, nextAt: nextBuildAt }, now))
    for (const [day, minutes] of minutesByDay(Math.max(last, now - RUN_DAYS * DAY_MS), Date.parse(isoOf(now))))
      add(day, 'gap_minutes', minutes)
  add(dayOf(now), 'published', 1)
  return [...days.values()].toSorted((a, b) => (a.day < b.day ? -1 : 1)).slice(-RUN_DAYS)
}
