import type { ChangeEvent } from '../contract/changes.ts'
import { dayIn } from '../contract/time.ts'
import type { Rows } from '../history/rows.ts'
import { CHANGES } from '../history/past.ts'
import { type Facts, eventsBetween } from './events.ts'

/** Retention: days with events, and events per day. */
export const KEPT = { days: 30, perDay: 2000 } as const

/**
 * Returns the events by day with those since the last publication, newest first. The first publication has none.
 *
 * @param before facts of the last publication; null before the first
 * @param at time of the run
 * @param changed takes the day that changed
 */
export function extendEvents(
  known: Rows['events'],
  { before, now, at }: { readonly before: Facts | null; readonly now: Facts; readonly at: string },
  changed: Set<string>,
): { readonly events: Rows['events']; readonly added: readonly ChangeEvent[] } {
  const added = before ? eventsBetween(before, now).map((event) => ({ at, ...event })) : []
  if (added.length === 0) return { events: known, added }
  const today = dayIn(at)
  const days = new Map([
    [today, [...added, ...(known.get(today) ?? [])].slice(0, KEPT.perDay)] as const,
    ...[...known].filter(([day]) => day !== today),
  ])
  changed.add(CHANGES.events(today))
  const newestFirst = [...days].toSorted(([a], [b]) => (a < b ? 1 : -1)).slice(0, KEPT.days)
  return { events: new Map(newestFirst), added }
}
