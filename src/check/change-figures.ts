import * as z from 'zod'
import { dayIn } from '../contract/time.ts'
import { API_FOLDER } from '../contract/prefix.ts'
import { type ChangeEvent, ChangesOfDayMembers } from '../contract/changes.ts'
import { fileOf } from '../contract/endpoint-spec.ts'
import { readJson } from '../contract/read-json.ts'
import { KEPT } from '../changes/record.ts'
import { changes, changesOfDay } from '../endpoints/changes.ts'
import type { Listing } from '../feed/listing.ts'
import type { TreeReader } from '../tree/reader.ts'
import type { Comparison } from './deviation.ts'

const OfDay = z.object(ChangesOfDayMembers)

/** The events of each day that `/changes` lists, newest first. */
export type EventsByDay = ReadonlyMap<string, readonly ChangeEvent[]>

/** Reads the events of the listed days. A day that cannot be read has none; the check of documents names it. */
export async function eventsByDay(days: readonly string[], read: TreeReader): Promise<EventsByDay> {
  const texts = await Promise.all(days.map((day) => read(fileOf(changesOfDay, { day }))))
  return new Map(days.map((day, place) => [day, readJson(texts[place] ?? null, OfDay)?.rows ?? []]))
}

/** The latest events, as `/changes` and the feeds have them. */
export const latestOf = (events: EventsByDay): readonly ChangeEvent[] =>
  [...events.values()].flat().slice(0, KEPT.latest)

/** Compares each event with its day and the listing that it is about. */
export function compareEvents(events: EventsByDay, listings: readonly Listing[], comparison: Comparison): void {
  const days = [...events.keys()]
  comparison.same(fileOf(changes, {}), 'days', {
    published: days,
    recomputed: days.toSorted().toReversed(),
    rule: 'newest first',
  })
  const bySlug = new Map(listings.map(({ asset }) => [asset.slug, asset]))
  const told = new Set<string>()
  for (const [day, rows] of events)
    for (const [index, event] of rows.entries()) {
      const { at, kind, subject } = event
      const compare = comparison.membersOf(fileOf(changesOfDay, { day }), event, `rows[${index}]`)
      if (dayIn(at) !== day) compare({ at: day }, 'an event of the day')
      // Only the newest event of its kind says what the tree has now.
      const isNewest = !told.has(`${kind} ${subject}`)
      told.add(`${kind} ${subject}`)
      if (kind !== 'listed' || !isNewest) continue
      const asset = bySlug.get(subject)
      compare({ subject: asset?.slug ?? null }, 'a listing that has a profile')
      if (asset && (asset.first_listed ?? '') > at)
        comparison.same(`${API_FOLDER}/assets/${subject}.json`, 'asset.first_listed', {
          published: asset.first_listed,
          recomputed: at,
          rule: 'not after the event that lists it',
        })
    }
}
