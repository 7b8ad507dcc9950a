import { max, min } from 'd3-array'
import * as z from 'zod'
import { marketKey } from '../contract/market.ts'
import { groupBy } from '../contract/order.ts'
import { type Ms, DAY_MS, HOUR_MS, hoursSince, isoOf } from '../contract/time.ts'
import { Timestamp } from '../contract/words.ts'
import type { Report } from '../sources/collect.ts'
import type { Listing, Previous } from './listing.ts'
import { LIMITS } from './methodology.ts'
import { hasAnswered } from './health.ts'
import type { Snapshot } from './snapshot.ts'
import { median } from './statistics.ts'

export const GATE = {
  witness_figures: 10,
  witness_percent: 2,
  told_move_percent: 3,
  listings_fall_percent: 10,
  listings_growth_percent: 10,
  priced_fall_percent: 20,
  markets_fall_percent: 50,
  median_move_percent: 30,
  clock_agreement_minutes: 15,
  clock_back_hours: 1,
  listings_floor: 1_000,
  least_listings: 20,
  few_fall_percent: 40,
  few_figures: 3,
  confirm_hours: 24,
  heal_runs: 6,
  heal_hours: 3,
  stand_hours: 24,
} as const

export const GATE_RULES = [
  'listings_fall',
  'listings_growth',
  'priced_fall',
  'markets_fall',
  'median_move',
  'old_data',
  'clock_back',
  'listings_floor',
] as const
export type GateRule = (typeof GATE_RULES)[number]

/** `heals`: it ends when it was found in enough runs in a row; `fades`: when nothing was published for long. */
const finding = (rule: GateRule, message: string, { heals = true, fades = true } = {}) => {
  return { rule, message, heals, fades }
}
type Finding = Readonly<ReturnType<typeof finding>>

/** The finding of one rule, as kept for the next run. */
const Found = z.object({
  rule: z.enum(GATE_RULES),
  since: Timestamp,
  runs: z.int().positive(),
  /** It was confirmed, or accepted, and is refused no more while it is found. */
  lifted: z.boolean(),
})

/** State of the gate between runs: the rules that the last run broke, and since when. */
export const GateRecord = z.object({ refused: z.array(Found) })
export type GateRecord = z.infer<typeof GateRecord>
type Found = z.infer<typeof Found>

export const NOTHING_REFUSED: GateRecord = { refused: [] }

export type Verdict = ReturnType<typeof gateVerdict>
export type Refusal = Verdict['refusals'][number]

/** A move of the whole market that `confirmed` of the sources that answered confirm in their own figures. */
export type MarketMove = NonNullable<ReturnType<typeof moveOf>>

export function gateVerdict(judged: Judged, record: GateRecord, accept: ReadonlySet<GateRule> = new Set()) {
  const { findings, moved } = found(judged)
  const last = lastRun(judged.previous)
  const all = findings.map((one) => {
    const { rule, message } = one
    const known = remembered(one, record, judged.now, last)
    const entry = { ...known, lifted: known.lifted || accept.has(rule) }
    return { entry, refusal: { rule, message, since: entry.since, release: releaseOf(one, entry, last) } }
  })
  // What is lifted may be published all the same: it is confirmed, or accepted.
  const where = (lifted: boolean) => all.flatMap(({ entry, refusal }) => (entry.lifted === lifted ? [refusal] : []))
  return { refusals: where(false), lifted: where(true), moved, record: { refused: all.map(({ entry }) => entry) } }
}

/** What is wrong with a snapshot as a whole. The first one has no predecessor: it has to be large enough, and of today. */
function found(judged: Judged): { findings: readonly Finding[]; moved: MarketMove | null } {
  const { previous, reports, now, snapshot, leastListings = 0 } = judged
  const clock = clockFindings(reports, now, lastRun(previous))
  if (previous.listings.size === 0) {
    const count = snapshot.listed.length
    const message =
      `a first publication of ${count} listings, and the least is ${leastListings}: see which sources failed, or ` +
      'accept it with --accept listings_floor'
    const few = finding('listings_floor', message, { heals: false, fades: false })
    return { findings: [...(count < leastListings ? [few] : []), ...clock], moved: null }
  }
  const own = ownFigures(reports)
  const { findings, moved } = moves(judged, own)
  return { findings: [...losses(judged, own), ...growth(judged, own), ...findings, ...clock], moved }
}

const isMajority = (count: number, of: number): boolean => count >= 2 && count * 2 > of

function moves({ previous, snapshot }: Judged, own: OwnFigures) {
  const moves = priceMoves(previous, snapshot)
  if (moves.length < GATE.few_figures) return { findings: [], moved: null }
  const witnesses = testimonies(moves, own, { before: previous.rates, now: snapshot.rates })
  const against = witnesses.filter(({ away }) => away > AWAY).map(({ source_id }) => source_id)
  const confirmed = witnesses.length - against.length
  if (isMajority(confirmed, witnesses.length))
    return { findings: [], moved: moveOf(moves, previous, confirmed, witnesses.length) }
  const percent = percentOf(median(moves.map((move) => Math.abs(logOf(move)))))
  const limit = GATE.median_move_percent
  const isContradicted = isMajority(against.length, witnesses.length)
  if (!isContradicted && percent <= limit) return { findings: [], moved: null }
  const why = isContradicted
    ? `against the own figures of ${against.length} of ${witnesses.length} witnesses: ${against.join(', ')}`
    : `which ${confirmed} of ${witnesses.length} witnesses confirm; without a majority of two the limit is ${limit} %`
  const message = `prices moved by a median of ${percent} % since the last publication, ${why}`
  return { findings: [finding('median_move', message, { heals: !isContradicted })], moved: null }
}

function moveOf(moves: readonly PriceMove[], previous: Previous, confirmed: number, of: number) {
  const percent = percentOf(median(moves.map(logOf)))
  return Math.abs(percent) < GATE.told_move_percent ? null : { percent, since: isoOf(lastRun(previous)), confirmed, of }
}

const logOf = ({ from, to }: PriceMove): number => Math.log(to / from)

const percentOf = (log: number): number => Math.round((Math.exp(log) - 1) * 1000) / 10

/** A finding as the next run remembers it: since when and in how many runs it was found, and whether that ends it. */
function remembered({ rule, heals, fades }: Finding, { refused }: GateRecord, now: Ms, last: number): Found {
  const before = refused.find((known) => known.rule === rule)
  const { since, lifted } = before ?? { since: isoOf(now), lifted: false }
  const runs = (before?.runs ?? 0) + 1
  const isConfirmed = heals && runs >= GATE.heal_runs && hoursSince(since, now) >= GATE.heal_hours
  const isOutlived = fades && now - last >= GATE.stand_hours * HOUR_MS
  return { rule, since, runs, lifted: lifted || isConfirmed || isOutlived }
}

function releaseOf({ rule, heals, fades }: Finding, { since, runs }: Found, last: number): string {
  const healed = isoOf(Date.parse(since) + GATE.heal_hours * HOUR_MS)
  const ways = [
    ...(heals ? [`${GATE.heal_runs} runs in a row that find the same (${runs} so far), from ${healed} on`] : []),
    ...(fades ? [`no publication until ${isoOf(last + GATE.stand_hours * HOUR_MS)}`] : []),
    ...(rule === 'listings_floor' ? ['more listings'] : []),
    `--accept ${rule}`,
  ]
  return `It ends by data that does not break the rule, or by ${ways.join(', or by ')}`
}

export interface Judged {
  readonly previous: Previous
  readonly snapshot: Snapshot
  readonly reports: readonly Report[]
  readonly now: Ms
  /** Listings that each list was asked for; absent or null: as many as it gives. */
  readonly listings?: number | null
  /** Listings that a first publication must have; absent: any number will do. */
  readonly leastListings?: number | undefined
}

/**
 * Returns what is missing although its sources answered. Data of a silent source is carried forward, and no reason to
 * refuse the rest; nor is what several sources no longer report, each in its own list.
 */
function losses(judged: Judged, own: OwnFigures): Finding[] {
  const { sources } = judged.snapshot
  const distrusted = new Set(sources.filter((row) => row.price_factor !== null).map(({ source_id }) => source_id))
  const believed = new Map([...own].filter(([source]) => !distrusted.has(source)))
  const before = confirmed(judged.previous)
  return [
    ...fall('listings_fall', 'listings are no longer reported', lostListings(judged, believed, before)),
    ...fall('priced_fall', 'prices are not confirmed', lostPrices(judged, believed, before)),
    ...fall('markets_fall', 'markets are gone', lostMarkets(judged, believed, before)),
  ]
}

/** How many things the sources would have to report, and how many are gone without two sources that say so. */
type Loss = Readonly<Record<'lost' | 'of', number>>

/** The share of a number of listings that may be gone: one of a few is soon a tenth. */
const limitOf = ({ of }: Loss, percent: number): number =>
  of >= GATE.least_listings ? percent : Math.max(percent, GATE.few_fall_percent)

const isBeyond = (loss: Loss, percent: number): boolean =>
  loss.lost > 1 && loss.lost * 100 > loss.of * limitOf(loss, percent)

function fall(rule: 'listings_fall' | 'priced_fall' | 'markets_fall', what: string, loss: Loss): Finding[] {
  const percent = GATE[`${rule}_percent`]
  if (!isBeyond(loss, percent)) return []
  const limit = limitOf(loss, percent)
  const message = `${loss.lost} of ${loss.of} ${what}, and no second source says so; the limit is ${limit} %`
  return [finding(rule, message)]
}

const isNews = (stillThere: readonly boolean[]): boolean => stillThere.length >= 2 && !stillThere.includes(true)

function lostListings({ snapshot, listings: most }: Judged, believed: OwnFigures, before: readonly Listing[]): Loss {
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

function lostPrices({ snapshot }: Judged, believed: OwnFigures, before: readonly Listing[]): Loss {
  const priced = before.flatMap((listing) => {
    const { asset } = listing
    const now = listingNow(snapshot, asset.slug)
    const inputs = asset.price_basis.sources.flatMap(({ source_id, pair }) => {
      const figures = believed.get(source_id)
      const figure = figures?.get(asset.external_ids[source_id] ?? pair) ?? null
      return figures ? [{ source_id, isPriced: figure !== null, isUsable: isUsable(now, source_id, pair) }] : []
    })
    return isFresh(listing) && inputs.length > 0 ? [{ now, inputs }] : []
  })
  const lost = priced.filter(({ now, inputs }) => {
    // What a rule of the price holds back, it holds back by itself and with a reason.
    const isHeld = now?.asset.held.some(({ field }) => field === 'price_usd')
    if ((now && isFresh(now)) || isHeld || inputs.some(({ isPriced, isUsable }) => isPriced && isUsable)) return false
    const bySource = groupBy(inputs, ({ source_id }) => source_id)
    return !isNews([...bySource.values()].map((rows) => rows.some(({ isPriced }) => isPriced)))
  })
  return { lost: lost.length, of: priced.length }
}

/** Whether what a source says of a listing reached it, so that the price rule could decide about it. */
const isUsable = (now: Listing | undefined, source: string, pair: string): boolean =>
  now !== undefined &&
  (source in now.asset.external_ids ||
    now.markets.some((row) => row.exchange_id === source && row.pair === pair && row.price_usd !== null))

function lostMarkets({ snapshot }: Judged, believed: OwnFigures, before: readonly Listing[]): Loss {
  const there = new Set(
    snapshot.listings.flatMap(({ asset, markets }) => markets.map((market) => `${asset.slug} ${marketKey(market)}`)),
  )
  const markets = before.flatMap(({ asset, markets }) => {
    const slug = listingNow(snapshot, asset.slug)?.asset.slug ?? asset.slug
    return markets.flatMap((market) => {
      const figures = market.is_stale ? undefined : believed.get(market.exchange_id)
      if (!figures) return []
      const isQuoted = (figures.get(market.pair) ?? null) !== null
      return [{ venue: market.exchange_id, isQuoted, isLost: !there.has(`${slug} ${marketKey(market)}`) }]
    })
  })
  const byVenue = [...groupBy(markets, ({ venue }) => venue).values()]
  const emptied = byVenue.filter((own) =>
    isBeyond({ lost: own.filter(({ isQuoted }) => !isQuoted).length, of: own.length }, GATE.markets_fall_percent),
  ).length
  const areNews = isMajority(emptied, byVenue.length)
  const lost = markets.filter(({ isLost, isQuoted }) => isLost && (isQuoted || !areNews))
  return { lost: lost.length, of: markets.length }
}

/** The listings that would be missed: not those that one source alone named, and not for long. */
function confirmed(previous: Previous): Listing[] {
  const listed = [...previous.listings.values()].filter(({ asset }) => asset.listing_status !== 'delisted')
  const first = min(listed, ({ asset }) => asset.first_listed)
  const last = lastRun(previous)
  // A lost time is no recent one: the listing was there before.
  return listed.filter(({ asset: { first_listed: at, external_ids } }) => {
    const witnesses = Object.keys(external_ids).length
    return at === null || at === first || witnesses > 1 || hoursSince(at, last) >= GATE.confirm_hours
  })
}

/** Returns new listings that one source alone reports, if there are more than plausible since its last answer. */
function growth({ previous, snapshot, now }: Judged, own: OwnFigures): Finding[] {
  const isKnown = ({ asset: { slug, aliases } }: Listing) =>
    previous.listings.has(slug) || aliases.some((alias) => previous.listings.has(alias))
  const added = groupBy(
    snapshot.listed.filter((listing) => !isKnown(listing)),
    ({ asset }) => Object.keys(asset.external_ids).join(),
  )
  return [...own.keys()].flatMap((id): Finding[] => {
    // A source that answers for the first time may bring its whole list.
    const last = Date.parse(previous.sources.get(id)?.last_success ?? '')
    const of = [...previous.listings.values()].filter(({ asset }) => id in asset.external_ids).length
    if (Number.isNaN(last) || of === 0) return []
    const limit = GATE.listings_growth_percent * Math.max(1, (now - last) / DAY_MS)
    const count = added.get(id)?.length ?? 0
    if (count <= GATE.least_listings || count * 100 <= of * limit) return []
    const message = `only ${id} reports ${count} new listings, and it reported ${of} before; the limit is ${Math.round(limit)} %`
    return [finding('listings_growth', message)]
  })
}

const lastRun = ({ sources }: Previous): number =>
  max(sources.values(), ({ last_attempt }) => Date.parse(last_attempt ?? '')) ?? -Infinity

/**
 * Returns what is wrong with the run's clock. The sources with dated rows are its witnesses: sources that are merely
 * out of date do not agree on the time, and are left out one by one.
 */
function clockFindings(reports: readonly Report[], now: Ms, last: number): Finding[] {
  // By how many ms the newest row of each source is ahead of the clock.
  const offsets = reports.flatMap(({ error, quotes, sightings }) => {
    const newest = max([...quotes, ...sightings], ({ at }) => at)
    return error === null && newest !== undefined ? [newest - now] : []
  })
  const elsewhere = offsets.filter((offset) => Math.abs(offset) > LIMITS.venue_hours * HOUR_MS)
  const agreed = offsets.length - elsewhere.length
  // As long as no source says what time it is, it is more likely the clock than the sources.
  const found = (rule: GateRule, message: string) =>
    finding(rule, `${message}. Check the clock of this machine`, { heals: agreed > 0, fades: false })
  const other = median(elsewhere)
  const agreeing = elsewhere.filter(
    (offset) => Math.abs(offset - other) <= GATE.clock_agreement_minutes * 60_000,
  ).length
  const isElsewhere = isMajority(agreeing, offsets.length)
  const isBack = now < last - GATE.clock_back_hours * HOUR_MS
  // Then it is the last run whose clock was ahead.
  const isWitnessed = isMajority(agreed, offsets.length)
  const clocks = () =>
    `${agreeing} of ${offsets.length} sources with dated rows say that it is about ${isoOf(now + other)}, not ${isoOf(now)}`
  return [
    ...(isElsewhere ? [found('old_data', clocks())] : []),
    ...(isBack && !isWitnessed
      ? [found('clock_back', `it is ${isoOf(now)}, but the last run was at ${isoOf(last)}`)]
      : []),
  ]
}

/** Own figures by source: a venue’s last prices by pair, an aggregator’s dollars by id; null without a price. */
type OwnFigures = ReadonlyMap<string, ReadonlyMap<string, number | null>>

const ownFigures = (reports: readonly Report[]): OwnFigures =>
  new Map(
    reports.filter(hasAnswered).map(({ source, quotes, sightings }) => {
      const figures = new Map<string, number | null>()
      const learn = (key: string, figure: number | null) => figures.set(key, figures.get(key) ?? figure)
      for (const { base, quote, last } of quotes) learn(`${base}/${quote}`, last)
      for (const { id, price_usd } of sightings) learn(id, price_usd)
      return [source.id, figures]
    }),
  )

const isFresh = ({ asset: { price_usd, price_basis } }: Listing): boolean =>
  price_usd !== null && price_basis.method !== 'carried'

function listingNow({ bySlug }: Snapshot, slug: string): Listing | undefined {
  const now = bySlug.get(slug)
  const successor = now?.asset.replaced_by ?? null
  return successor === null ? now : (bySlug.get(successor) ?? now)
}

type PriceMove = ReturnType<typeof priceMoves>[number]

const priceMoves = ({ listings }: Previous, snapshot: Snapshot) =>
  [...listings.values()].flatMap((before) => {
    const now = listingNow(snapshot, before.asset.slug)
    const [from, to] = [before.asset.price_usd, now?.asset.price_usd ?? null]
    return now && isFresh(before) && isFresh(now) && from !== null && to !== null ? [{ before, from, to }] : []
  })

/**
 * Holds the published prices against each source by itself: what an aggregator said of its own ids, and what a venue
 * said of its own pairs in the one currency that most of them are quoted in. A currency whose published rate moved
 * testifies to nothing, or the rate would be its own witness; nor does a source to listings that it alone prices. `away`
 * is the median over its figures, as a logarithm; 0 where they moved as it says, or closer to it.
 */
export function testimonies(
  moves: readonly PriceMove[],
  own: OwnFigures,
  rates: { readonly before: Previous['rates']; readonly now: Snapshot['rates'] },
) {
  const steady = steadyRates(rates)
  const leastFigures = Math.min(GATE.witness_figures, Math.max(GATE.few_figures, Math.ceil(moves.length / 2)))
  const witnesses = moves.flatMap((move) => {
    const figures = figuresBefore(move.before)
    if (figures.every(({ source_id }) => source_id === figures[0]?.source_id)) return []
    return figures.flatMap(({ source_id, key, unit, before }) => {
      const figure = own.get(source_id)?.get(key) ?? null
      const rate = steady.get(unit)
      if (figure === null || rate === undefined) return []
      return [{ source_id, unit, away: awayFrom(move, { before: before * rate, now: figure * rate }) }]
    })
  })
  return [...groupBy(witnesses, ({ source_id }) => source_id)].flatMap(([source_id, all]) => {
    const byUnit = [...groupBy(all, ({ unit }) => unit).values()]
    const most = byUnit.reduce((most, one) => (one.length > most.length ? one : most))
    return most.length < leastFigures ? [] : [{ source_id, away: median(most.map(({ away }) => away)) }]
  })
}

function steadyRates({ before, now }: Parameters<typeof testimonies>[2]): ReadonlyMap<string, number> {
  return new Map(
    now.flatMap(({ symbol, price_usd }) => {
      const last = before.get(symbol)?.price_usd ?? Number.NaN
      return Math.abs(Math.log(price_usd / last)) <= AWAY ? [[symbol, last] as const] : []
    }),
  )
}

function figuresBefore({ asset, markets }: Listing) {
  const { sources, excluded } = asset.price_basis
  return [
    ...markets.flatMap(({ exchange_id, pair, quote_symbol, last_price, price, is_stale }) => {
      const before = last_price ?? price
      return is_stale || before === null ? [] : [{ source_id: exchange_id, key: pair, unit: quote_symbol, before }]
    }),
    ...[...sources, ...excluded].flatMap(({ source_id, price_usd }) => {
      const key = asset.external_ids[source_id]
      return key === undefined || price_usd === null ? [] : [{ source_id, key, unit: 'USD', before: price_usd }]
    }),
  ]
}

/** How far a published price moved away from that of a source; 0 where it is closer to it than before. */
function awayFrom({ from, to }: PriceMove, own: { readonly before: number; readonly now: number }): number {
  const [was, is] = [Math.log(from / own.before), Math.log(to / own.now)]
  return Math.abs(is) > Math.abs(was) ? Math.abs(is - was) : 0
}

/** From where on a source and the published prices contradict each other, as a logarithm. */
const AWAY = Math.log(1 + GATE.witness_percent / 100)
