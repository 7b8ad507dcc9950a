import type { Market } from '../contract/market.ts'
import { groupBy } from '../contract/order.ts'
import { DAY_MS, HOUR_MS, isoOf } from '../contract/time.ts'
import type { Report } from '../sources/collect.ts'
import { STALENESS } from './freshness.ts'
import { type Finding, GATE } from './gate-rules.ts'
import type { Listing, Previous } from './listing.ts'
import type { Snapshot } from './snapshot.ts'
import { median } from './statistics.ts'
import { type OwnFigures, isFresh, listingNow } from './witnesses.ts'

/** A snapshot before it is published, and what the gate compares it with. */
export interface Judged {
  readonly previous: Previous
  readonly snapshot: Snapshot
  readonly reports: readonly Report[]
  readonly now: number
  /** Listings that each list was asked for; absent or null: as many as it gives. */
  readonly listings?: number | null
  /** Listings that a first publication must have; absent: any number will do. */
  readonly leastListings?: number | undefined
}

/**
 * Returns what is missing although its sources answered. Data of a silent source is carried forward, and no reason to
 * refuse the rest; nor is what several sources no longer report, each in its own list.
 */
export function losses(judged: Judged, own: OwnFigures): Finding[] {
  const distrusted = judged.snapshot.sources.flatMap(({ source_id, price_factor }) =>
    price_factor === null ? [] : [source_id],
  )
  const world = { ...judged, believed: new Map([...own].filter(([source]) => !distrusted.includes(source))) }
  const before = confirmed(judged.previous)
  return [
    ...fall('listings_fall', 'listings are no longer reported', lostListings(world, before)),
    ...fall('priced_fall', 'prices are not confirmed', lostPrices(world, before)),
    ...fall('markets_fall', 'markets are gone', lostMarkets(world, before)),
  ]
}

interface World extends Judged {
  readonly believed: OwnFigures
}

/** How many things the sources would have to report, and how many are gone without two sources that say so. */
interface Loss {
  readonly lost: number
  readonly of: number
}

/** The share of so many that may be gone: one of a few is soon a tenth. */
const limitOf = ({ of }: Loss, percent: number): number =>
  of >= GATE.least_listings ? percent : Math.max(percent, GATE.few_fall_percent)

const isBeyond = (loss: Loss, percent: number): boolean =>
  loss.lost > 1 && loss.lost * 100 > loss.of * limitOf(loss, percent)

function fall(rule: 'listings_fall' | 'priced_fall' | 'markets_fall', what: string, loss: Loss): Finding[] {
  const percent = GATE[`${rule}_percent`]
  if (!isBeyond(loss, percent)) return []
  const limit = limitOf(loss, percent)
  const message = `${loss.lost} of ${loss.of} ${what}, and no second source says so; the limit is ${limit} %`
  return [{ rule, message, heals: true, fades: true }]
}

/** Whether two sources that knew something both say that it is gone, and none that it is there. */
const isNews = (stillThere: readonly boolean[]): boolean => stillThere.length >= 2 && !stillThere.includes(true)

function lostListings({ snapshot, believed, listings: most }: World, before: readonly Listing[]): Loss {
  const named = before.flatMap(({ asset }) => {
    const lists = Object.entries(asset.external_ids).flatMap(([source, id]) => {
      const list = believed.get(source)
      return list ? [{ isNamed: list.has(id), isCut: list.size >= (most ?? Infinity) }] : []
    })
    // A list that ends where it was asked to says nothing of what comes after.
    const stillNamed = lists.flatMap(({ isNamed, isCut }) => (isCut && !isNamed ? [] : [isNamed]))
    return asset.last_seen !== null || lists.length === 0 ? [] : [{ slug: asset.slug, stillNamed }]
  })
  const lost = named.filter(({ slug, stillNamed }) => {
    const now = listingNow(snapshot, slug)?.asset
    const isThere = now && now.listing_status !== 'delisted' && now.last_seen === null
    return !isThere && !isNews(stillNamed)
  })
  return { lost: lost.length, of: named.length }
}

function lostPrices({ snapshot, believed }: World, before: readonly Listing[]): Loss {
  const priced = before.flatMap((listing) => {
    const { asset } = listing
    const now = listingNow(snapshot, asset.slug)
    const heard = asset.price_basis.sources.flatMap(({ source_id, pair }) => {
      const figures = believed.get(source_id)
      const figure = figures?.get(asset.external_ids[source_id] ?? pair) ?? null
      return figures ? [{ source_id, isPriced: figure !== null, isUsable: isUsable(now, source_id, pair) }] : []
    })
    return isFresh(listing) && heard.length > 0 ? [{ now, heard }] : []
  })
  const lost = priced.filter(({ now, heard }) => {
    // What a rule of the price holds back, it holds back by itself and with a reason.
    const isHeld = now?.asset.held.some(({ field }) => field === 'price_usd')
    if ((now && isFresh(now)) || isHeld || heard.some(({ isPriced, isUsable }) => isPriced && isUsable)) return false
    const bySource = groupBy(heard, ({ source_id }) => source_id)
    return !isNews([...bySource.values()].map((rows) => rows.some(({ isPriced }) => isPriced)))
  })
  return { lost: lost.length, of: priced.length }
}

/** Whether what a source says of a listing reached it, so that the price rule could decide about it. */
function isUsable(now: Listing | undefined, source: string, pair: string): boolean {
  if (!now) return false
  if (source in now.asset.external_ids) return true
  return now.markets.some((row) => row.exchange_id === source && row.pair === pair && row.price_usd !== null)
}

const keyOf = ({ exchange_id, pair }: Market, slug: string): string => `${slug} ${exchange_id} ${pair}`

function lostMarkets({ snapshot, believed }: World, before: readonly Listing[]): Loss {
  const there = new Set(
    snapshot.listings.flatMap(({ asset, markets }) => markets.map((market) => keyOf(market, asset.slug))),
  )
  const markets = before.flatMap(({ asset, markets }) => {
    const slug = listingNow(snapshot, asset.slug)?.asset.slug ?? asset.slug
    return markets.flatMap((market) => {
      const figures = market.is_stale ? undefined : believed.get(market.exchange_id)
      if (!figures) return []
      const isQuoted = (figures.get(market.pair) ?? null) !== null
      return [{ venue: market.exchange_id, isQuoted, isLost: !there.has(keyOf(market, slug)) }]
    })
  })
  const byVenue = [...groupBy(markets, ({ venue }) => venue).values()]
  const emptied = byVenue.filter((own) =>
    isBeyond({ lost: own.filter(({ isQuoted }) => !isQuoted).length, of: own.length }, GATE.markets_fall_percent),
  ).length
  const areNews = emptied >= 2 && emptied * 2 > byVenue.length
  const lost = markets.filter(({ isLost, isQuoted }) => isLost && (isQuoted || !areNews))
  return { lost: lost.length, of: markets.length }
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
    return at === first || witnesses > 1 || last - at >= GATE.confirm_hours * HOUR_MS
  })
}

/** Returns new listings that one source alone reports, if there are more than plausible since its last answer. */
export function growth({ previous, snapshot, now }: Judged, own: OwnFigures): Finding[] {
  const isKnown = ({ asset: { slug, aliases } }: Listing) =>
    previous.listings.has(slug) || aliases.some((alias) => previous.listings.has(alias))
  const added = groupBy(
    snapshot.listed.filter((listing) => !isKnown(listing)),
    ({ asset }) => Object.keys(asset.external_ids).join(),
  )
  return [...own.keys()].flatMap((id): Finding[] => {
    // A source that is heard for the first time may bring its whole list.
    const last = Date.parse(previous.sources.get(id)?.last_success ?? '')
    const of = [...previous.listings.values()].filter(({ asset }) => id in asset.external_ids).length
    if (Number.isNaN(last) || of === 0) return []
    const limit = GATE.listings_growth_percent * Math.max(1, (now - last) / DAY_MS)
    const count = added.get(id)?.length ?? 0
    if (count <= GATE.least_listings || count * 100 <= of * limit) return []
    const message = `only ${id} reports ${count} new listings, and it reported ${of} before; the limit is ${Math.round(limit)} %`
    return [{ rule: 'listings_growth', message, heals: true, fades: true }]
  })
}

/** The time at which sources were last requested, in ms. */
export const lastRun = ({ sources }: Previous): number =>
  Math.max(
    ...[...sources.values()].map(({ last_attempt }) => Date.parse(last_attempt ?? '') || Number.NEGATIVE_INFINITY),
  )

/** By how many ms the newest row of each source with dated rows is ahead of the run's clock. */
const offsetsOf = (reports: readonly Report[], now: number): number[] =>
  reports.flatMap(({ error, quotes, sightings }) => {
    const newest = [...quotes, ...sightings].reduce((newest, { at }) => Math.max(newest, at ?? -Infinity), -Infinity)
    return error === null && Number.isFinite(newest) ? [newest - now] : []
  })

/**
 * Returns what is wrong with the run's clock. The sources with dated rows are its witnesses: sources that are merely
 * out of date do not agree on the time, and are left out one by one.
 *
 * @param last time of the last run in ms
 */
export function clockFindings(reports: readonly Report[], now: number, last: number): Finding[] {
  const offsets = offsetsOf(reports, now)
  const elsewhere = offsets.filter((offset) => Math.abs(offset) > STALENESS.venue_hours * HOUR_MS)
  const agreed = offsets.length - elsewhere.length
  // As long as no source says what time it is, it is more likely the clock than the sources.
  const found = (rule: Finding['rule'], message: string): Finding[] => [
    { rule, message: `${message}. Check the clock of this machine`, heals: agreed > 0, fades: false },
  ]
  const other = median(elsewhere)
  const agreeing = elsewhere.filter(
    (offset) => Math.abs(offset - other) <= GATE.clock_agreement_minutes * 60_000,
  ).length
  const isElsewhere = agreeing >= 2 && agreeing * 2 > offsets.length
  const isBack = now < last - GATE.clock_back_hours * HOUR_MS
  // Then it is the last run whose clock was ahead.
  const isWitnessed = agreed >= 2 && agreed * 2 > offsets.length
  return [
    ...(isElsewhere
      ? found(
          'old_data',
          `${agreeing} of ${offsets.length} sources with dated rows say that it is about ${isoOf(now + other)}, not ${isoOf(now)}`,
        )
      : []),
    ...(isBack && !isWitnessed
      ? found('clock_back', `it is ${isoOf(now)}, but the last run was at ${isoOf(last)}`)
      : []),
  ]
}
