import { type Ms, MINUTE_MS, dayIn } from '../contract/time.ts'
import type { Asset, TokenContract } from '../contract/asset.ts'
import type { ChangeEvent } from '../contract/changes.ts'
import type { Methodology, SourceRow } from '../contract/collector.ts'
import type { RequestRow, RequestStatus } from '../contract/listing-request.ts'
import { decimal } from '../contract/numbers.ts'
import type { QuarantineRow } from '../contract/quarantine.ts'
import { EXCHANGES } from '../feed/listing.ts'
import { FEED_MINUTES } from '../feed/freshness.ts'
import type { MarketMove } from '../feed/gate.ts'
import type { HeldBar } from './days.ts'
import type { Rows } from './rows.ts'

export interface ListingFacts extends Pick<Asset, 'symbol' | 'name' | 'verification_status' | 'source_label'> {
  readonly contracts: readonly Pick<TokenContract, 'chain' | 'address'>[]
  readonly held: readonly (Pick<QuarantineRow, 'field' | 'held_value' | 'offered_value'> &
    Partial<Pick<QuarantineRow, 'rule'>>)[]
  /** Ids at the sources; absent where only the lists were read. */
  readonly external_ids?: Readonly<Record<string, string>>
}

/** Whether a publication came after a gap: the last one became stale, and more than one run was missed. */
export function isAfterGap(last: { readonly at: string; readonly nextAt: string }, now: Ms): boolean {
  const cadence = Date.parse(last.nextAt) - Date.parse(last.at)
  return now - Date.parse(last.at) > Math.max(FEED_MINUTES * MINUTE_MS, 2 * cadence)
}

/** EventFacts of a publication, without prices and volumes. */
export interface EventFacts {
  /** When it was built and when the next is due, as published; absent where trees are compared that are no neighbours. */
  readonly build?: { readonly at: string; readonly nextAt: string } | undefined
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
const event = (kind: UndatedEvent['kind'], subject: string, given: Partial<UndatedEvent> = {}): UndatedEvent => ({
  kind,
  subject,
  name: null,
  before: null,
  after: null,
  ...given,
})

const changed = (...[kind, subject, given]: Required<Parameters<typeof event>>): UndatedEvent[] =>
  given.before === given.after ? [] : [event(kind, subject, given)]

/** Returns the changes between two publications: listings in order of slug, then sources, gaps, method and requests. */
export function eventsBetween(before: EventFacts, after: EventFacts): UndatedEvent[] {
  const [last, now] = [before.build, after.build]
  return [
    ...listingEvents(before, after),
    ...sourceEvents(before, after),
    ...(last && now && isAfterGap(last, Date.parse(now.at))
      ? [event('gap', 'runs', { before: last.at, after: now.at })]
      : []),
    ...pegEvents(before, after),
    ...pastHeld(after),
    ...(after.moved ? [event('market_moved', 'market', { name: 'Market', after: moveText(after.moved) })] : []),
    ...methodEvents(before, after),
    ...requestEvents(before, after),
  ]
}

function listingEvents(before: EventFacts, after: EventFacts): UndatedEvent[] {
  const slugs = [...new Set([...before.listings.keys(), ...after.listings.keys()])].toSorted()
  const gone = slugs.filter((slug) => !after.listings.has(slug))
  const successors = new Set(gone.map((slug) => after.successor(slug)))
  return slugs.flatMap((slug) => {
    const [old, now] = [before.listings.get(slug), after.listings.get(slug)]
    if (old && now) return detailEvents(slug, old, now)
    if (now) return successors.has(slug) ? [] : [event('listed', slug, { name: now.name })]
    const successor = after.successor(slug)
    const name = old?.name ?? null
    return successor === null
      ? [event('delisted', slug, { name })]
      : [event('renamed', slug, { name, before: slug, after: successor })]
  })
}

function detailEvents(slug: string, old: ListingFacts, now: ListingFacts): UndatedEvent[] {
  const { name } = now
  const texts = ({ contracts }: ListingFacts) => contracts.map(({ chain, address }) => `${chain} ${address}`)
  const [had, has] = [texts(old), texts(now)]
  return [
    ...changed('verification', slug, { name, before: old.verification_status, after: now.verification_status }),
    ...changed('symbol', slug, { name, before: old.symbol, after: now.symbol }),
    ...identityEvents(slug, old, now),
    ...has.filter((one) => !had.includes(one)).map((after) => event('contract_added', slug, { name, after })),
    ...had.filter((one) => !has.includes(one)).map((before) => event('contract_removed', slug, { name, before })),
    ...heldEvents(slug, old, now),
  ]
}

function heldEvents(slug: string, old: ListingFacts, { name, held }: ListingFacts): UndatedEvent[] {
  // A source that is not believed is one event, and not one for each of its prices.
  const counted = (rows: ListingFacts['held']) => rows.filter(({ rule }) => rule !== 'source_distrusted')
  const without = (rows: ListingFacts['held'], others: ListingFacts['held']) =>
    counted(rows).filter(({ field }) => counted(others).every((other) => other.field !== field))
  const text = (field: string, value: string | number | null) => `${field} ${printed(value)}`
  return [
    ...without(held, old.held).map(({ field, held_value, offered_value }) =>
      event('held', slug, { name, before: text(field, held_value), after: text(field, offered_value) }),
    ),
    ...without(old.held, held).map(({ field, offered_value }) =>
      event('released', slug, { name, before: text(field, offered_value) }),
    ),
  ]
}

const printed = (value: string | number | null): string =>
  value === null ? 'unknown' : typeof value === 'number' ? decimal(value) : value

function identityEvents(slug: string, old: ListingFacts, now: ListingFacts): UndatedEvent[] {
  const { name } = now
  const isAdopted = old.source_label === EXCHANGES && now.source_label !== EXCHANGES
  const [before, after] = [old.source_label, now.source_label]
  return [
    ...(isAdopted ? [event('identity', slug, { name, before, after })] : []),
    ...Object.entries(old.external_ids ?? {}).flatMap(([source, id]) => {
      const other = now.external_ids?.[source] ?? id
      return changed('identity', slug, { name, before: `${source} ${id}`, after: `${source} ${other}` })
    }),
  ]
}

const pegEvents = ({ pegs: old }: EventFacts, { pegs: now }: EventFacts): UndatedEvent[] =>
  [...(now?.values() ?? [])].flatMap(({ slug, name, currency, deviation_percent, beyond_since }) => {
    const since = old?.get(slug)?.beyond_since ?? null
    if ((since === null) === (beyond_since === null)) return []
    const away = `${decimal(deviation_percent ?? 0)} % away from ${currency}`
    return [event(since === null ? 'peg_left' : 'peg_returned', slug, { name, before: since, after: away })]
  })

/** Past bars of a venue that contradict the days beside them: those of another coin, or in another unit. */
const pastHeld = ({ listings, pastHeld: rows = [] }: EventFacts): UndatedEvent[] =>
  rows.map(({ slug, source_id, known, held }) =>
    event('past_held', slug, {
      name: listings.get(slug)?.name ?? null,
      before: known,
      after: `${held} at ${source_id}`,
    }),
  )

/** A move of the whole market in words: `fell by a median of 5 % since 2026-11-20T12:00:00Z, …`. */
export const moveText = ({ percent, since, confirmed, of }: NonNullable<EventFacts['moved']>): string =>
  `${percent < 0 ? 'fell' : 'rose'} by a median of ${decimal(Math.abs(percent))} % since ${since}, confirmed by ` +
  `${confirmed} of ${of} sources in their own figures`

function sourceEvents(before: EventFacts, after: EventFacts): UndatedEvent[] {
  // A publication without sources is damaged, or of a version that did not publish them.
  if (before.sources.length === 0 || after.sources.length === 0) return []
  const known = new Map(before.sources.map((row) => [row.source_id, row]))
  const configured = new Set(after.sources.map(({ source_id }) => source_id))
  const removed = before.sources.filter(({ source_id }) => !configured.has(source_id))
  return [
    ...after.sources.flatMap((row) => {
      const old = known.get(row.source_id)
      if (old) return [...trustEvents(old, row), ...outageEvents(old, row)]
      return [event('source_added', row.source_id, { name: row.source_label })]
    }),
    ...removed.map(({ source_id, source_label: name }) => event('source_removed', source_id, { name })),
  ]
}

type SourceFacts = EventFacts['sources'][number]

function trustEvents(old: SourceFacts, { source_id, source_label: name, price_factor }: SourceFacts): UndatedEvent[] {
  const text = (factor: number | null = null) => (factor === null ? null : `${decimal(factor)} times those of others`)
  const [before, after] = [text(old.price_factor), text(price_factor)]
  return (before === null) === (after === null) ? [] : [event('source_distrusted', source_id, { name, before, after })]
}

function outageEvents(old: SourceFacts, { source_id, source_label: name, error }: SourceFacts): UndatedEvent[] {
  if ((old.error === null) === (error === null)) return []
  return error === null
    ? [event('source_back', source_id, { name, before: old.error?.code ?? null })]
    : [event('source_down', source_id, { name, after: error.code })]
}

function methodEvents({ methodology: old }: EventFacts, { methodology: now }: EventFacts): UndatedEvent[] {
  if (!old || !now) return []
  const [was, is] = [old, now].map(({ rules, constants }) => new Map(Object.entries({ ...rules, ...constants })))
  const names = [...new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])])].toSorted()
  const changed = names.filter((name) => was?.get(name) !== is?.get(name))
  if (changed.length === 0 && old.version === now.version) return []
  return [event('method', 'methodology', { name: changed.join(', ') || null, before: old.version, after: now.version })]
}

/** A request is decided when it enters one of these states. */
const DECIDED = new Set<RequestStatus>(['accepted', 'rejected'])

function requestEvents(before: EventFacts, after: EventFacts): UndatedEvent[] {
  const states = new Map(before.requests.map(({ request_id, status }) => [request_id, status]))
  return after.requests.flatMap(({ request_id, name, status }) => {
    const old = states.get(request_id) ?? null
    return old === status || !DECIDED.has(status)
      ? []
      : [event('request_decided', request_id, { name, before: old, after: status })]
  })
}

/** Retention: days with events, and events per day. */
const KEPT = { days: 30, perDay: 2000 } as const

/**
 * Returns the events by day with those since the last publication, newest first. The first publication has none.
 *
 * @param before facts of the last publication; null before the first
 * @param at time of the run
 */
export function extendEvents(
  known: Rows['events'],
  { before, now, at }: { readonly before: EventFacts | null; readonly now: EventFacts; readonly at: string },
): { readonly events: Rows['events']; readonly added: readonly ChangeEvent[] } {
  const added = before ? eventsBetween(before, now).map((event) => ({ at, ...event })) : []
  if (added.length === 0) return { events: known, added }
  const today = dayIn(at)
  const days = new Map([
    [today, [...added, ...(known.get(today) ?? [])].slice(0, KEPT.perDay)] as const,
    ...[...known].filter(([day]) => day !== today),
  ])
  const newestFirst = [...days].toSorted(([a], [b]) => (a < b ? 1 : -1)).slice(0, KEPT.days)
  return { events: new Map(newestFirst), added }
}
