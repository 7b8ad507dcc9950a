import type { Report } from '../sources/collect.ts'
import { type GateRecord, remembered } from './gate-record.ts'
import { type Finding, GATE, type GateRule, type Refusal } from './gate-rules.ts'
import { staleAnswer } from './health.ts'
import type { Listing, Previous } from './listing.ts'
import type { Snapshot } from './snapshot.ts'
import { median } from './statistics.ts'
import { isoOf } from './time.ts'

export type { Refusal } from './gate-rules.ts'

/** What a snapshot is compared with. */
export interface Judged {
  readonly previous: Previous
  readonly snapshot: Snapshot
  readonly reports: readonly Report[]
  /** The run's clock in ms. */
  readonly now: number
  /** The oldest published price of a listing in the last day; null where there is none. */
  readonly priceDayAgo?: (slug: string) => number | null
  /** Listings that a first publication must have; absent: any number will do. */
  readonly leastListings?: number | undefined
}

/** The decision of the gate. */
export interface Verdict {
  readonly refusals: readonly Refusal[]
  /** Findings that the run may publish all the same: they are confirmed, or accepted. */
  readonly lifted: readonly Refusal[]
  /** For the next run. */
  readonly record: GateRecord
}

/**
 * Whether a snapshot is to be published.
 *
 * @param record what the run before remembered
 * @param accept rules that this run may break
 */
export function gate(judged: Judged, record: GateRecord, accept: ReadonlySet<GateRule> = new Set()): Verdict {
  const findings = refusalsOf(judged)
  const entries = remembered(findings, record, { now: judged.now, lastRun: lastRun(judged.previous) }).map((entry) => ({
    ...entry,
    lifted: entry.lifted || accept.has(entry.rule),
  }))
  const lifted = new Set(entries.flatMap((entry) => (entry.lifted ? [entry.rule] : [])))
  return {
    refusals: findings.filter(({ rule }) => !lifted.has(rule)),
    lifted: findings.filter(({ rule }) => lifted.has(rule)),
    record: { refused: entries },
  }
}

/** Returns what is wrong with a snapshot as a whole. The first one has no predecessor, so it only has to be large enough. */
export function refusalsOf(judged: Judged): Finding[] {
  if (judged.previous.listings.size === 0) return tooFew(judged)
  if (judged.previous.listings.size < GATE.least_listings) return []
  return [...falls(judged), ...growth(judged), ...medianMove(judged), ...oldData(judged), ...clockBack(judged)]
}

function tooFew({ snapshot, leastListings = 0 }: Judged): Finding[] {
  const count = snapshot.listed.length
  if (count >= leastListings) return []
  return [
    {
      rule: 'listings_floor',
      message:
        `a first publication of ${count} listings, and the least is ${leastListings}: see which sources failed, or lower ` +
        'it with --least-listings',
      offer: [],
      witnessed: false,
      heals: false,
      fades: false,
    },
  ]
}

const isFresh = ({ asset: { price_usd, price_basis } }: Listing): boolean =>
  price_usd !== null && price_basis.method !== 'carried'

/** The sources that answered, with something new. */
const answeredOf = (reports: readonly Report[]): Set<string> =>
  new Set(reports.flatMap((report) => (report.error === null && !staleAnswer(report) ? [report.source.id] : [])))

/** Returns what is missing although its source answered. Data of a silent source is carried forward, and is no reason to refuse the rest. */
function falls({ previous, snapshot, reports }: Judged): Finding[] {
  const answered = answeredOf(reports)
  const heardOf = (ids: readonly string[]) => ids.filter((id) => answered.has(id)).length
  const before = confirmed(previous)
  const nowOf = ({ asset }: Listing) => snapshot.bySlug.get(asset.slug)

  const named = before
    .filter(({ asset }) => asset.last_seen === null)
    .map((listing) => ({ listing, heard: heardOf(Object.keys(listing.asset.external_ids)) }))
    .filter(({ heard }) => heard > 0)
  const vanished = named.filter(({ listing }) => {
    const now = nowOf(listing)?.asset
    return !now || now.listing_status === 'delisted' || (now.last_seen !== null && now.replaced_by === null)
  })
  const priced = before
    .filter(isFresh)
    .map((listing) => ({
      listing,
      heard: heardOf([...new Set(listing.asset.price_basis.sources.map(({ source_id }) => source_id))]),
    }))
    .filter(({ heard }) => heard > 0)
  const unpriced = priced.filter(({ listing }) => {
    const now = nowOf(listing)
    return !now || !isFresh(now)
  })
  const keyOf = (slug: string, exchange: string, pair: string) => `${slug} ${exchange} ${pair}`
  const live = new Set(
    snapshot.listings.flatMap(({ asset, markets }) =>
      markets.flatMap(({ exchange_id, pair, is_stale }) => (is_stale ? [] : [keyOf(asset.slug, exchange_id, pair)])),
    ),
  )
  const markets = before.flatMap(({ asset, markets }) =>
    markets.flatMap(({ exchange_id, pair, is_stale }) =>
      is_stale || !answered.has(exchange_id) ? [] : [keyOf(asset.slug, exchange_id, pair)],
    ),
  )
  const closed = markets.filter((key) => !live.has(key)).map((offer) => ({ offer, heard: 1 }))
  const slugs = (lost: readonly { readonly listing: Listing; readonly heard: number }[]) =>
    lost.map(({ listing, heard }) => ({ offer: listing.asset.slug, heard }))
  return [
    ...fall(
      'listings_fall',
      'listings are no longer reported',
      slugs(vanished),
      named.length,
      GATE.listings_fall_percent,
    ),
    ...fall('priced_fall', 'prices are not confirmed', slugs(unpriced), priced.length, GATE.priced_fall_percent),
    ...fall('markets_fall', 'markets are gone', closed, markets.length, GATE.markets_fall_percent),
  ]
}

/** The listings that would be missed: not those that one source alone named, and not for long. */
function confirmed(previous: Previous): Listing[] {
  const listed = [...previous.listings.values()].filter(({ asset }) => asset.listing_status !== 'delisted')
  const firstListed = ({ asset }: Listing) => (asset.first_listed === null ? null : Date.parse(asset.first_listed))
  const first = listed.reduce((least, listing) => Math.min(least, firstListed(listing) ?? Infinity), Infinity)
  const last = lastRun(previous)
  return listed.filter((listing) => {
    const { asset } = listing
    // A lost time is no recent one: the listing was there before.
    const at = firstListed(listing) ?? first
    const witnesses = Object.keys(asset.external_ids).length
    return at === first || witnesses > 1 || last - at >= GATE.confirm_hours * 3_600_000
  })
}

/** Something that one or more sources would have to report. */
interface Missing {
  readonly offer: string
  /** How many sources that knew it answered. */
  readonly heard: number
}

const mostWitnessed = (items: readonly { readonly heard: number }[]): boolean =>
  items.filter(({ heard }) => heard >= 2).length * 2 > items.length

function fall(rule: GateRule, what: string, lost: readonly Missing[], of: number, limit: number): Finding[] {
  if (of < GATE.least_listings || lost.length * 100 <= of * limit) return []
  const message = `${lost.length} of ${of} ${what}; the limit is ${limit} %`
  return [
    { rule, message, offer: lost.map(({ offer }) => offer), witnessed: mostWitnessed(lost), heals: true, fades: true },
  ]
}

/** Returns new listings that one source alone reports, if there are more than plausible since its last answer. */
function growth({ previous, snapshot, reports, now }: Judged): Finding[] {
  const days = Math.max(1, (now - lastRun(previous)) / 86_400_000)
  const limit = GATE.listings_growth_percent * days
  const isKnown = (slug: string) => (previous.listings.get(slug)?.asset.listing_status ?? 'delisted') !== 'delisted'
  return [...answeredOf(reports)].flatMap((id): Finding[] => {
    // A source that is heard for the first time, or was lost, may bring its whole list.
    const { last_attempt, last_success } = previous.sources.get(id) ?? {}
    const of = [...previous.listings.values()].filter(({ asset }) => id in asset.external_ids).length
    if (!last_success || last_success !== last_attempt || of === 0) return []
    const added = snapshot.listed.filter(
      ({ asset }) => !isKnown(asset.slug) && Object.keys(asset.external_ids).join() === id,
    )
    if (added.length <= GATE.least_listings || added.length * 100 <= of * limit) return []
    const message = `only ${id} reports ${added.length} new listings, and it reported ${of} before; the limit is ${Math.round(limit)} %`
    const offer = added.map(({ asset }) => asset.external_ids[id] ?? asset.slug)
    return [{ rule: 'listings_growth', message, offer, witnessed: false, heals: true, fades: true }]
  })
}

/** Prices within one step of these are about the same. */
const PRICE_STEP = 1.2

/** Listings whose price is compared with that of a day ago, spread over all of them. */
const COMPARED = 200

function medianMove({ previous, snapshot, now, priceDayAgo = () => null }: Judged): Finding[] {
  const days = Math.max(1, (now - lastRun(previous)) / 86_400_000)
  const limit = GATE.median_move_percent_per_day * days
  const pairs = snapshot.listings.flatMap((listing) => {
    const old = previous.listings.get(listing.asset.slug)
    const [from, to] = [old?.asset.price_usd ?? null, listing.asset.price_usd]
    return old && isFresh(old) && isFresh(listing) && from !== null && to !== null ? [{ listing, from, to }] : []
  })
  const stride = Math.max(1, Math.floor(pairs.length / COMPARED))
  const ofDay = pairs
    .filter((_, index) => index % stride === 0)
    .flatMap((pair) => {
      const from = priceDayAgo(pair.listing.asset.slug)
      return from === null ? [] : [{ ...pair, from }]
    })
  const since = [
    { moved: percentOf(pairs), what: 'since the last publication' },
    { moved: percentOf(ofDay), what: 'within a day' },
  ].toSorted((a, b) => b.moved - a.moved)
  const [most] = since
  if (!most || most.moved <= limit) return []
  const message = `prices moved by a median of ${most.moved} % ${most.what}; the limit is ${Math.round(limit)} %`
  const offer = pairs.map(
    ({ listing, to }) => `${listing.asset.slug} ${Math.round(Math.log(to) / Math.log(PRICE_STEP))}`,
  )
  const heard = pairs.map(({ listing }) => ({ heard: witnessesOf(listing) }))
  return [{ rule: 'median_move', message, offer, witnessed: mostWitnessed(heard), heals: true, fades: true }]
}

const witnessesOf = ({ asset }: Listing): number =>
  new Set(asset.price_basis.sources.map(({ source_id }) => source_id)).size

/** Returns the median absolute move in percent with one decimal; 0 if there are too few. */
const percentOf = (pairs: readonly { readonly from: number; readonly to: number }[]): number =>
  pairs.length < GATE.least_listings
    ? 0
    : Math.round((Math.exp(median(pairs.map(({ from, to }) => Math.abs(Math.log(to / from))))) - 1) * 1000) / 10

const newestOf = ({ quotes }: Report): number => Math.max(...quotes.map(({ at }) => at ?? Number.NEGATIVE_INFINITY))

/** Sources whose newest row is of this hour: they witness that the clock is right. */
const agreeWithClock = (reports: readonly Report[], now: number): number =>
  reports.filter((report) => report.error === null && Math.abs(newestOf(report) - now) <= 3_600_000).length

function oldData({ reports, now }: Judged): Finding[] {
  const dated = reports.filter(({ error, quotes }) => error === null && quotes.some(({ at }) => at !== null))
  const old = dated.filter((report) => staleAnswer(report) !== null)
  if (dated.length < 2 || old.length <= dated.length * GATE.old_sources_share) return []
  return [
    {
      rule: 'old_data',
      message: `${old.length} of ${dated.length} sources with dated rows sent old ones. Check the clock of this machine`,
      offer: old.map(({ source }) => source.id),
      witnessed: false,
      // As long as nobody else says what time it is, it is more likely the clock than the sources.
      heals: agreeWithClock(reports, now) > 0,
      fades: false,
    },
  ]
}

function clockBack({ previous, reports, now }: Judged): Finding[] {
  const last = lastRun(previous)
  if (!(now < last - GATE.clock_back_hours * 3_600_000)) return []
  const witnesses = agreeWithClock(reports, now)
  return [
    {
      rule: 'clock_back',
      message: `it is ${isoOf(now)}, but the last run was at ${isoOf(last)}. Check the clock of this machine`,
      offer: [isoOf(last)],
      // Then it is the last run whose clock was ahead.
      witnessed: witnesses >= 2,
      heals: witnesses > 0,
      fades: false,
    },
  ]
}

/** Times at which sources were last requested, in ms. */
const lastRun = ({ sources }: Previous): number =>
  Math.max(
    ...[...sources.values()].map(({ last_attempt }) => Date.parse(last_attempt ?? '') || Number.NEGATIVE_INFINITY),
  )
