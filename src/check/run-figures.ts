import { LIMITS } from '../feed/methodology.ts'
import { group } from 'd3-array'
import * as z from 'zod'
import { KEPT } from '../changes/record.ts'
import { type ChangeEvent, ChangesOfDayMembers } from '../contract/changes.ts'
import type { ClosesMembers } from '../contract/closes.ts'
import type { ReferenceRate, SourceRow, RunDay } from '../contract/collector.ts'
import { fileOf } from '../contract/endpoint-spec.ts'
import { roundShare } from '../contract/numbers.ts'
import { API_FOLDER } from '../contract/prefix.ts'
import { readJson } from '../contract/read-json.ts'
import { dayIn, dayOf } from '../contract/time.ts'
import { changes, changesOfDay } from '../endpoints/operations.ts'
import { minutesByDay } from '../feed/freshness.ts'
import type { Listing } from '../feed/listing.ts'
import { type Rates, nearReference, recomputeRate, valueOf } from '../feed/rates.ts'
import { neededWitnesses } from '../feed/venues.ts'
import { venueWeights } from '../feed/weights.ts'
import { LAYOUT } from '../tree/layout.ts'
import type { TreeReader } from '../tree/reader.ts'
import type { Comparison } from './deviation.ts'

/**
 * Compares each reference rate and its weights with its published inputs. A carried rate has none.
 *
 * @param sources ids of the sources of the feed
 */
export function compareRates(rates: Rates, sources: ReadonlySet<string>, comparison: Comparison): void {
  for (const [index, rate] of [...rates.values()].entries()) {
    const { symbol, method, inputs, cross_check: bank } = rate
    const compare = comparison.membersOf(LAYOUT.collector, rate, `referenceRates[${index}]`)
    const ofFeed = inputs.filter(
      ({ source_id }) => sources.has(source_id) || ['previous', 'parity'].includes(source_id),
    )
    compare({ inputs: ofFeed }, `${symbol}: every input is of a source of the feed`)
    if (method === 'definition') compare({ price_usd: 1 }, `${symbol}: one US dollar`)
    if (method === 'definition' || method === 'carried') continue
    compare({ price_usd: recomputeRate(rate, rates) }, `${symbol}: the mean of the middle fifth of the inputs`)
    const venues = inputs.filter(({ volume_24h_usd, weight }) => volume_24h_usd !== null && weight > 0)
    compare({ quotes: venues.length }, `${symbol}: venues among the inputs with a weight`)
    compare({ inputs: weighted(rate) }, `${symbol}: weights by credible volume, or equal ones below the quorum`)
    if (method === 'reference') compare({ as_of: bank?.as_of }, `${symbol}: the day of the rate of the central bank`)
    const [lone, ...others] = venues
    if (bank && lone && others.length === 0 && !nearReference(valueOf(lone, symbol, rates) ?? Number.NaN, bank))
      compare({ cross_check: null }, `${symbol}: a lone venue lies within the tolerance of the central bank`)
  }
}

function weighted({ inputs }: ReferenceRate): ReferenceRate['inputs'] {
  const heard = inputs.filter(({ weight }) => weight > 0)
  const volumes = heard.flatMap(({ volume_24h_usd }) => volume_24h_usd ?? [])
  const isQuorum = volumes.length === heard.length && volumes.length >= LIMITS.quorum
  const weights = isQuorum ? venueWeights(volumes) : heard.map(() => 1 / heard.length)
  const weightOf = new Map(heard.map((input, place) => [input, weights[place] ?? 0]))
  return inputs.map((input) => ({ ...input, weight: roundShare(weightOf.get(input) ?? 0) }))
}

/** Compares the counts of each exchange with its market rows and with each other. */
export function compareSources(
  sources: readonly SourceRow[],
  listings: readonly Listing[],
  comparison: Comparison,
): void {
  const rows = listings.flatMap(({ asset: { slug }, markets }) => markets.map((market) => ({ slug, market })))
  const needed = neededWitnesses(listings)
  const byVenue = group(rows, ({ market }) => market.exchange_id)
  for (const [index, source] of sources.entries()) {
    if (source.source_type !== 'exchange') continue
    const { source_id, error, used_count, unmatched_count, dead_count, quarantined_count } = source
    const own = byVenue.get(source_id) ?? []
    const compare = comparison.membersOf(LAYOUT.collector, source, `rows[${index}]`)
    const counts = {
      market_count: own.length,
      asset_count: new Set(own.map(({ slug }) => slug)).size,
      outlier_count: own.filter(({ market }) => market.is_outlier).length,
      needed_count: needed.get(source_id) ?? 0,
    }
    compare(counts, `${source_id}: its market rows`)
    if (error !== null) continue
    compare({ used_count: own.length }, `${source_id}: its market rows`)
    const row_count = used_count + unmatched_count + dead_count + quarantined_count
    compare({ row_count }, `${source_id}: used, unmatched, dead and quarantined rows`)
  }
}

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

interface Traces {
  /** Time of the last run in ms since 1970. */
  readonly now: number
  readonly events: EventsByDay
  /** The list of days with closes; null: the tree has none. */
  readonly closes: z.infer<z.ZodObject<typeof ClosesMembers>> | null
}

/**
 * Compares the runs by day with the half hours in which the closes saw a run and with the events of gaps, where the tree
 * still has them. The first day may be incomplete. Runs that published nothing leave no other trace.
 */
export function compareRunDays(runs: readonly RunDay[], { now, events, closes }: Traces, comparison: Comparison): void {
  const today = dayOf(now)
  const days = runs.map(({ day }) => day)
  const [first = today, ...later] = days
  const seen = new Map(closes?.rows.map((row) => [row.day, row.basis === 'runs' ? row.runs : 0]))
  const withRuns = [...seen].flatMap(([day, count]) => (count > 0 && day > first && day < today ? [day] : []))
  comparison.same(LAYOUT.collector, 'runs', {
    published: days,
    recomputed: [...new Set([first, ...later, ...withRuns, today])].toSorted(),
    rule: 'every day on which the closes saw a run and that of the snapshot, each once, oldest first',
  })
  const gaps = gapMinutes(events)
  for (const [index, row] of runs.entries()) {
    const { day, published, gap_minutes } = row
    if (index === 0) continue
    const place = `runs[${index}]`
    const compareRow = comparison.membersOf(LAYOUT.collector, row, place)
    const least = { published: Math.max(published, seen.get(day) ?? 0) }
    compareRow(least, 'at least one for each half hour in which the closes saw a run')
    if (!gaps.isWhole(day)) continue
    const minutes = gaps.byDay.get(day) ?? 0
    // A run that finds damaged events counts on without them.
    const note = gap_minutes > minutes ? ({ severity: 'notice' } as const) : {}
    const compare = comparison.membersOf(LAYOUT.collector, row, place, note)
    compare({ gap_minutes: minutes }, 'the minutes between the times of the events of gaps')
  }
}

/** Returns the minutes of gaps by day, and whether the tree still has all events of gaps in a day. */
function gapMinutes(events: EventsByDay) {
  const days = [...events.keys()].toSorted()
  const oldest = days.length < KEPT.days ? '' : (days[0] ?? '')
  const cut = days.findLast((day) => (events.get(day)?.length ?? 0) >= KEPT.perDay) ?? ''
  const byDay = new Map<string, number>()
  for (const { kind, before, after } of [...events.values()].flat())
    if (kind === 'gap')
      for (const [day, minutes] of minutesByDay(Date.parse(before ?? ''), Date.parse(after ?? '')))
        byDay.set(day, (byDay.get(day) ?? 0) + minutes)
  return { byDay, isWhole: (day: string) => day >= oldest && day > cut }
}
