import { isoOf, DAY_MS, MINUTE_MS } from '../contract/time.ts'
import { RUN_DAYS, type RunDay } from '../contract/collector.ts'
import type { LastRun } from '../contract/last-run.ts'
import { isAfterGap } from '../feed/freshness.ts'
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
  const add = (ms: number, name: Exclude<keyof RunDay, 'day'>, more: number) => {
    const day = isoOf(ms).slice(0, 10)
    const before = days.get(day) ?? { day, published: 0, refused: 0, failed: 0, gap_minutes: 0 }
    days.set(day, { ...before, [name]: before[name] + more })
  }
  for (const { at, outcome } of unpublished)
    if (publishedAt === null || at > publishedAt) add(Date.parse(at), outcome === 'refused' ? 'refused' : 'failed', 1)
  const last = Date.parse(publishedAt ?? '')
  if (publishedAt !== null && nextBuildAt !== null && isAfterGap({ at: publishedAt, nextAt: nextBuildAt }, now))
    for (let from = Math.max(last, now - RUN_DAYS * DAY_MS), to; from < now; from = to) {
      to = Math.min(now, (Math.floor(from / DAY_MS) + 1) * DAY_MS)
      add(from, 'gap_minutes', Math.round((to - from) / MINUTE_MS))
    }
  add(now, 'published', 1)
  return [...days.values()].toSorted((a, b) => (a.day < b.day ? -1 : 1)).slice(-RUN_DAYS)
}
