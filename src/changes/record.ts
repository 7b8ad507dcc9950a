import * as z from 'zod'
import { ChangeEvent, Day } from '../contract/changes.ts'
import { fileOf } from '../contract/endpoint-spec.ts'
import { readJson } from '../contract/read-json.ts'
import { dayIn } from '../contract/time.ts'
import { changes, changesOfDay } from '../endpoints/operations.ts'
import type { Changes } from '../endpoints/endpoint.ts'
import { eventsBetween, type Facts } from './events.ts'

/** Retention: days with events, events per day, and events in the latest list. */
export const KEPT = { days: 30, perDay: 2000, latest: 100 } as const

const Rows = z.object({ rows: z.array(ChangeEvent) })

interface Recorded {
  readonly facts: Facts | null
  readonly files: readonly string[]
  readonly read: (file: string) => string | null
}

/**
 * Returns the record of changes, with those since the last publication added to the day of this run. The first
 * publication has no events.
 *
 * @param at time of the run
 */
export function record(last: Recorded, now: Facts, at: string): Changes {
  const latestBefore = rowsIn(last.read(fileOf(changes, {})))
  const ofLatest = (day: string) => latestBefore.filter(({ at }) => at.startsWith(day))
  // A day whose events are all lost is not listed.
  const held = daysIn(last.files).filter((day) => documentOf(last, day) !== null || ofLatest(day).length > 0)
  const events = last.facts ? eventsBetween(last.facts, now).map((event) => ({ at, ...event })) : []
  const today = dayIn(at)
  const heldRows = (day: string): readonly ChangeEvent[] => {
    const rows = rowsIn(documentOf(last, day))
    return rows.length > 0 ? rows : ofLatest(day)
  }
  const ofToday = [...events, ...heldRows(today)].slice(0, KEPT.perDay)
  const rowsOf = (day: string) => (day === today ? ofToday : heldRows(day))
  const days = [...new Set([...(events.length > 0 ? [today] : []), ...held])].toSorted().toReversed()
  const kept = days.slice(0, KEPT.days)
  const latest: ChangeEvent[] = []
  for (const day of kept) {
    if (latest.length >= KEPT.latest) break
    latest.push(...rowsOf(day))
  }
  return {
    events,
    days: kept,
    latest: latest.slice(0, KEPT.latest),
    isChanged: (day) => day === today && events.length > 0,
    rowsOf,
  }
}

const documentOf = ({ read }: Recorded, day: string): string | null => read(fileOf(changesOfDay, { day }))

const daysIn = (files: readonly string[]): string[] =>
  files.flatMap((file) => {
    const day = /\/changes\/([^/]+)\.json$/.exec(file)?.[1]
    return day !== undefined && Day.safeParse(day).success ? [day] : []
  })

const rowsIn = (text: string | null): readonly ChangeEvent[] => readJson(text, Rows)?.rows ?? []
