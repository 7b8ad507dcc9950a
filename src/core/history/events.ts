import { difference } from 'd3-array'
import { type Ms, dayIn } from '../contract/time.ts'
import type { Asset } from '../contract/asset.ts'
import type { ChangeEvent } from '../contract/changes.ts'
import type { Methodology, SourceRow } from '../contract/collector.ts'
import type { RequestRow, RequestStatus } from '../contract/listing-request.ts'
import { decimal } from '../contract/numbers.ts'
import { byKey } from '../contract/order.ts'
import { EXCHANGES } from '../feed/listing.ts'
import { staleMsOf } from '../feed/freshness.ts'
import type { MarketMove } from '../feed/gate.ts'
import type { HeldBar } from './days.ts'
import type { Rows, RunRow } from './rows.ts'

/** Facts of a listing. Its ids at the sources are absent where only the lists were read. */
export type ListingFacts = Partial<Pick<Asset, 'external_ids'>> &
  Pick<Asset, 'symbol' | 'name' | 'verification_status' | 'source_label' | 'contracts' | 'held'>

/** Whether a publication came after a gap: the last one became stale, and more than one run was missed. */
export function isAfterGap(last: Pick<RunRow, 'at' | 'next_at'>, now: Ms): boolean {
  return now - Date.parse(last.at) > staleMsOf(Date.parse(last.next_at) - Date.parse(last.at))
}

/** Facts of a publication, without prices and volumes. */
export interface EventFacts {
  /** When it was built and when the next is due; absent where trees are compared that are no neighbours. */
  readonly run?: Pick<RunRow, 'at' | 'next_at'>
  /** Listings of the feed by slug, without delisted ones. */
  readonly listings: ReadonlyMap<string, ListingFacts>
  /** Returns the replacement of a slug that left the feed, or null if it was delisted. */
  readonly successor: (slug: string) => string | null
  readonly sources: readonly (Pick<SourceRow, 'source_id' | 'source_label' | 'error'> &
    Partial<Pick<SourceRow, 'price_factor'>>)[]
  readonly methodology: Methodology | null
  readonly requests: readonly Pick<RequestRow, 'request_id' | 'name' | 'status'>[]
  /** Bars of the past that are held back from this run on. */
  readonly pastHeld?: readonly (HeldBar & Pick<Asset, 'slug'>)[]
  readonly pegs?: Rows['pegs']
  /** A move of the whole market that the sources of the run confirm. */
  readonly moved?: MarketMove | null
}

/** Returns the facts of listings, without delisted ones. */
export const listingFacts = (assets: readonly (ListingFacts & Pick<Asset, 'slug' | 'listing_status'>)[]) =>
  new Map(assets.filter((one) => one.listing_status !== 'delisted').map((one) => [one.slug, one]))

type UndatedEvent = Omit<ChangeEvent, 'at'>
type Events = Generator<UndatedEvent>

const event = (
  kind: UndatedEvent['kind'],
  subject: string,
  name: string | null,
  { before = null, after = null }: Partial<Pick<UndatedEvent, 'before' | 'after'>> = {},
): UndatedEvent => ({ kind, subject, name, before, after })

function* changed(...of: Required<Parameters<typeof event>>): Events {
  const one = event(...of)
  if (one.before !== one.after) yield one
}

/** Yields the changes between two publications: listings in order of slug, then sources, gaps, method and requests. */
export function* eventsBetween(before: EventFacts, after: EventFacts): Events {
  yield* listingEvents(before, after)
  yield* sourceEvents(before, after)
  const [last, now] = [before.run, after.run]
  if (last && now && isAfterGap(last, Date.parse(now.at)))
    yield event('gap', 'runs', null, { before: last.at, after: now.at })
  yield* pegEvents(before, after)
  // Past bars of a venue that contradict the days beside them: those of another coin, or in another unit.
  for (const { slug, source_id, known, held } of after.pastHeld ?? [])
    yield event('past_held', slug, after.listings.get(slug)?.name ?? null, {
      before: known,
      after: `${held} at ${source_id}`,
    })
  if (after.moved) yield event('market_moved', 'market', 'Market', { after: moveText(after.moved) })
  yield* methodEvents(before, after)
  yield* requestEvents(before, after)
}

function* listingEvents(before: EventFacts, after: EventFacts): Events {
  const gone = [...before.listings.keys()].filter((slug) => !after.listings.has(slug))
  const successors = new Set(gone.map((slug) => after.successor(slug)))
  for (const slug of [...new Set([...gone, ...after.listings.keys()])].toSorted()) {
    const [old, now] = [before.listings.get(slug), after.listings.get(slug)]
    if (old && now) yield* detailEvents(slug, old, now)
    else if (now && !successors.has(slug)) yield event('listed', slug, now.name)
    else if (old) {
      const successor = after.successor(slug)
      yield successor === null
        ? event('delisted', slug, old.name)
        : event('renamed', slug, old.name, { before: slug, after: successor })
    }
  }
}

function* detailEvents(slug: string, old: ListingFacts, now: ListingFacts): Events {
  const { name } = now
  yield* changed('verification', slug, name, { before: old.verification_status, after: now.verification_status })
  yield* changed('symbol', slug, name, { before: old.symbol, after: now.symbol })
  if (old.source_label === EXCHANGES)
    yield* changed('identity', slug, name, { before: EXCHANGES, after: now.source_label })
  for (const [source, id] of Object.entries(old.external_ids ?? {}))
    yield* changed('identity', slug, name, {
      before: `${source} ${id}`,
      after: `${source} ${now.external_ids?.[source] ?? id}`,
    })
  const texts = ({ contracts }: ListingFacts) => contracts.map(({ chain, address }) => `${chain} ${address}`)
  for (const after of difference(texts(now), texts(old))) yield event('contract_added', slug, name, { after })
  for (const before of difference(texts(old), texts(now))) yield event('contract_removed', slug, name, { before })
  const text = (field: string, value: string | number | null) => `${field} ${printed(value)}`
  for (const { field, held_value, offered_value } of heldAlone(now, old))
    yield event('held', slug, name, { before: text(field, held_value), after: text(field, offered_value) })
  for (const { field, offered_value } of heldAlone(old, now))
    yield event('released', slug, name, { before: text(field, offered_value) })
}

/** The figures that are held back of the one and not of the other. */
function heldAlone(one: ListingFacts, other: ListingFacts): ListingFacts['held'] {
  // A source that is not believed is one event, and not one for each of its prices.
  const counted = ({ held }: ListingFacts) => held.filter(({ rule }) => rule !== 'source_distrusted')
  const fields = new Set(counted(other).map(({ field }) => field))
  return counted(one).filter(({ field }) => !fields.has(field))
}

const printed = (value: string | number | null): string =>
  value === null ? 'unknown' : typeof value === 'number' ? decimal(value) : value

function* pegEvents({ pegs: old }: EventFacts, { pegs: now }: EventFacts): Events {
  for (const { slug, name, currency, deviation_percent, beyond_since } of now?.values() ?? []) {
    const since = old?.get(slug)?.beyond_since ?? null
    if ((since === null) === (beyond_since === null)) continue
    const away = `${decimal(deviation_percent ?? 0)} % away from ${currency}`
    yield event(since === null ? 'peg_left' : 'peg_returned', slug, name, { before: since, after: away })
  }
}

/** A move of the whole market in words: `fell by a median of 5 % since 2026-11-20T12:00:00Z, …`. */
export const moveText = ({ percent, since, confirmed, of }: NonNullable<EventFacts['moved']>): string =>
  `${percent < 0 ? 'fell' : 'rose'} by a median of ${decimal(Math.abs(percent))} % since ${since}, confirmed by ` +
  `${confirmed} of ${of} sources in their own figures`

function* sourceEvents(before: EventFacts, after: EventFacts): Events {
  // A publication without sources is damaged, or of a version that did not publish them.
  if (before.sources.length === 0 || after.sources.length === 0) return
  const removed = new Map(before.sources.map((row) => [row.source_id, row]))
  const factorText = (factor: number | null = null) =>
    factor === null ? null : `${decimal(factor)} times those of others`
  for (const { source_id: id, source_label: name, error, price_factor } of after.sources) {
    const old = removed.get(id)
    removed.delete(id)
    if (!old) {
      yield event('source_added', id, name)
      continue
    }
    const [was, is] = [factorText(old.price_factor), factorText(price_factor)]
    if ((was === null) !== (is === null)) yield event('source_distrusted', id, name, { before: was, after: is })
    if (error !== null && old.error === null) yield event('source_down', id, name, { after: error.code })
    if (error === null && old.error !== null) yield event('source_back', id, name, { before: old.error.code })
  }
  for (const [id, { source_label: name }] of removed) yield event('source_removed', id, name)
}

function* methodEvents({ methodology: old }: EventFacts, { methodology: now }: EventFacts): Events {
  if (!old || !now) return
  const partsOf = ({ rules, constants }: Methodology) => new Map(Object.entries({ ...rules, ...constants }))
  const [was, is] = [partsOf(old), partsOf(now)]
  const names = [...new Set([...was.keys(), ...is.keys()])].filter((name) => was.get(name) !== is.get(name)).toSorted()
  if (names.length > 0 || old.version !== now.version)
    yield event('method', 'methodology', names.join(', ') || null, { before: old.version, after: now.version })
}

/** A request is decided when it enters one of these states. */
const DECIDED = new Set<RequestStatus>(['accepted', 'rejected'])

function* requestEvents(before: EventFacts, after: EventFacts): Events {
  const states = new Map(before.requests.map(({ request_id, status }) => [request_id, status]))
  for (const { request_id, name, status } of after.requests)
    if (DECIDED.has(status))
      yield* changed('request_decided', request_id, name, { before: states.get(request_id) ?? null, after: status })
}

/** Retention: days with events, and events per day. */
const KEPT = { days: 30, perDay: 2000 } as const

/**
 * Returns the events by day with those since the last publication, newest first. The first publication has none.
 *
 * @param before facts of the last publication; null before the first
 * @param at time of the run
 */
export function extendEvents(known: Rows['events'], before: EventFacts | null, now: EventFacts, at: string) {
  const added = before ? Array.from(eventsBetween(before, now), (one) => ({ at, ...one })) : []
  if (added.length === 0) return { events: known, added }
  const today = dayIn(at)
  const days = new Map([
    [today, [...added, ...(known.get(today) ?? [])].slice(0, KEPT.perDay)] as const,
    ...[...known].filter(([day]) => day !== today),
  ])
  return { events: new Map([...days].toSorted(byKey).toReversed().slice(0, KEPT.days)), added }
}
