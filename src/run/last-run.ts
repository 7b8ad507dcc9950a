import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { RUN_DAYS, type RunDay } from '../contract/collector.ts'
import { LAST_RUN, LastRun, MOST_UNPUBLISHED } from '../contract/last-run.ts'
import { isoOf, DAY_MS, dayIn, dayOf } from '../contract/time.ts'
import { isAfterGap, minutesByDay } from '../feed/freshness.ts'
import type { LastPublication } from '../tree/last-publication.ts'
import { CHECKPOINT } from '../tree/layout.ts'
import { readKept, writeKept } from './kept-state.ts'
import type { RunReport } from './run.ts'

export type Ended = Pick<RunReport, 'refusals' | 'lifted'> & Pick<LastRun, 'outcome'>

/** Returns how the last run ended; null if that is not known. */
export const readLastRun = (root: string): LastRun | null => readKept(root, LAST_RUN, LastRun)

/**
 * Keeps how a run ended beside the tree, where there is one: a first run that fails leaves its folder empty.
 *
 * @param now when it ended, in ms since 1970
 * @param ms how long it took
 */
export function keepLastRun(
  root: string,
  { outcome, refusals, lifted }: Ended,
  { now, ms }: { readonly now: number; readonly ms: number },
): void {
  if (!existsSync(join(root, CHECKPOINT.folder))) return
  const at = isoOf(now)
  const before = readLastRun(root)?.unpublished ?? []
  const run: LastRun = {
    at,
    outcome,
    seconds: Math.round(ms / 100) / 10,
    unpublished: outcome === 'published' ? [] : [...before, { at, outcome }].slice(-MOST_UNPUBLISHED),
    findings: [
      ...refusals.map(({ rule }) => ({ rule, refused: true })),
      ...lifted.map(({ rule }) => ({ rule, refused: false })),
    ],
  }
  writeKept(root, LAST_RUN, run)
}

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
