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
  comparison.same(
    { document: fileOf(changes, {}), member: 'days' },
    { published: days, recomputed: days.toSorted().toReversed(), rule: 'newest first' },
  )
  const bySlug = new Map(listings.map((listing) => [listing.asset.slug, listing]))
  const told = new Set<string>()
  for (const [day, rows] of events) {
    const document = fileOf(changesOfDay, { day })
    for (const [index, event] of rows.entries()) {
      comparison.same(
        { document, member: `rows[${index}].at` },
        { published: dayIn(event.at), recomputed: day, rule: 'an event of the day' },
      )
      const topic = `${event.kind} ${event.subject}`
      // Only the newest event of its kind says what the tree has now.
      if (!told.has(topic)) compareWithListing(event, bySlug.get(event.subject), { document, index }, comparison)
      told.add(topic)
    }
  }
}

function compareWithListing(
  event: ChangeEvent,
  listing: Listing | undefined,
  { document, index }: { readonly document: string; readonly index: number },
  comparison: Comparison,
): void {
  if (event.kind === 'listed')
    comparison.same(
      { document, member: `rows[${index}].subject` },
      { published: event.subject, recomputed: listing ? event.subject : null, rule: 'a listing that has a profile' },
    )
  if (event.kind === 'listed' && listing) {
    const { first_listed } = listing.asset
    comparison.same(
      { document: `${API_FOLDER}/assets/${event.subject}.json`, member: 'asset.first_listed' },
      {
        published: first_listed,
        recomputed: first_listed !== null && first_listed > event.at ? event.at : first_listed,
        rule: `not after the event of ${event.at}`,
      },
    )
  }
}
