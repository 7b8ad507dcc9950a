import { greatest } from 'd3-array'
import type { MatchEvidence } from '../contract/market.ts'
import { groupBy } from '../contract/order.ts'
import type { Registry } from '../registry/registry.ts'
import type { Quote } from '../sources/source.ts'
import { consensusOf } from './consensus.ts'
import { heldPrice } from './market-rows.ts'
import { LIMITS } from './methodology.ts'
import type { Rates } from './rates.ts'
import { factorBetween, median } from './statistics.ts'

export interface Candidate {
  readonly slug: string
  /** Dollars, one for each aggregator, or the last price where none has one; empty: only the registry can match it. */
  readonly prices: readonly number[]
  readonly ageHours: number
  /** Whether the directory knows no other asset of the symbol. */
  readonly isOnlyOne?: boolean | undefined
}

/** A quote of one venue, and by which factor that venue is off in this run: 1 when it is believed. */
export interface VenueQuote {
  readonly venue: string
  readonly factor: number
  readonly quote: Quote
}

/** The listing that a venue's symbol identifies, the evidence, and since when it is known. */
export interface Match {
  readonly slug: string
  readonly matched_by: MatchEvidence
  readonly matched_at: string
}

export type Remembered = Match & { readonly isHeld?: boolean }

/** A match that is in doubt and that nothing decides: the market is of no listing in this run. */
export interface HeldMatch {
  readonly slug: string
  readonly venue: string
  readonly symbol: string
  readonly price_usd: number
}

/** Evidence about venues' symbols other than prices. */
export interface KnownSymbols {
  readonly registry: Registry
  readonly remembered: ReadonlyMap<string, Remembered>
  /** Identity of a symbol in the venue's own list of currencies; null if it has none. */
  readonly identified: (
    venue: string,
    symbol: string,
  ) => { readonly slug: string; readonly matched_by: 'contract' | 'name' } | null
  /** Whether the venue's own list identifies a symbol as another asset than a listing. */
  readonly contradicts: (venue: string, symbol: string, slug: string) => boolean
}

export const matchKey = ({ venue, quote }: VenueQuote): string => `${venue} ${quote.base}`

interface VenueSymbol {
  readonly key: string
  readonly venue: string
  readonly symbol: string
  /** Dollars on the busiest pair; null if unknown. */
  readonly price: number | null
}

/**
 * Matches the venues' symbols to listings. The order of the quotes does not matter. Returns the match of each base symbol of
 * each venue, by {@link matchKey}, none for a symbol that identifies no listing; and what is held back.
 */
export function match(
  quotes: readonly VenueQuote[],
  candidates: ReadonlyMap<string, readonly Candidate[]>,
  rates: Rates,
  known: KnownSymbols,
  at: string,
) {
  const symbols = [...groupBy(quotes, matchKey)].flatMap(([key, own]): VenueSymbol[] => {
    const [first] = own
    return first ? [{ key, venue: first.venue, symbol: first.quote.base, price: busiestPrice(own, rates) }] : []
  })
  const evidence = evidenceOf(candidates, known, at)
  const bySymbol = groupBy(symbols, ({ symbol }) => symbol)
  const matched = new Map<string, Match>()
  const undecided = new Map<string, HeldMatch>()
  const established = [...bySymbol.values()].flatMap((own) => {
    const doubted = doubtedSlugs(own, evidence)
    return own.map((one) => [one.key, establishedMatch(one, own, doubted, evidence)] as const)
  })
  for (const [key, found] of established)
    if (found && 'venue' in found) undecided.set(key, found)
    else if (found) matched.set(key, found)
  const priced = symbols.flatMap(({ key, price }) => {
    const slug = matched.get(key)?.slug
    return slug === undefined || price === null ? [] : [{ slug, price }]
  })
  const prices = groupBy(priced, ({ slug }) => slug)
  for (const one of symbols) {
    if (matched.has(one.key)) continue
    const before = undecided.get(one.key)?.slug
    const found = evidence.free(one.symbol).find((candidate) => {
      const venues = (prices.get(candidate.slug) ?? []).map(({ price }) => price)
      return candidate.slug !== before && agrees(one, candidate, venues)
    })
    if (found) matched.set(one.key, { slug: found.slug, matched_by: 'price', matched_at: at })
  }

  for (const [symbol, own] of bySymbol) {
    const [only, ...others] = candidates.get(symbol) ?? []
    if (!only || others.length > 0 || known.registry.hasSpellings(only.slug)) continue
    const open = own.filter(({ key }) => undecided.get(key)?.slug !== only.slug)
    for (const { key } of agreeingVenues(open, only, matched, known))
      matched.set(key, { slug: only.slug, matched_by: 'venues', matched_at: at })
  }
  return { matched, held: [...undecided].flatMap(([key, one]) => (matched.has(key) ? [] : [one])) }
}

function evidenceOf(candidates: ReadonlyMap<string, readonly Candidate[]>, known: KnownSymbols, at: string) {
  const bySlug = new Map([...candidates.values()].flatMap((all) => all.map((one) => [one.slug, one] as const)))
  const called = (symbol: string) => candidates.get(symbol) ?? []
  return {
    known,
    at,
    bySlug: (slug: string) => bySlug.get(slug),
    hasSymbol: (slug: string, symbol: string) => called(symbol).some((one) => one.slug === slug),
    free: (symbol: string) => called(symbol).filter(({ slug }) => !known.registry.hasSpellings(slug)),
  }
}

type Evidence = ReturnType<typeof evidenceOf>

/**
 * The listings whose remembered matches of a symbol are weighed again, at every venue: they no longer have the symbol,
 * a venue's list that named them names another asset, or the match was held back already.
 */
function doubtedSlugs(own: readonly VenueSymbol[], { known, hasSymbol }: Evidence): ReadonlySet<string> {
  const doubted = new Set<string>()
  for (const { key, venue, symbol } of own) {
    const { slug, matched_by, isHeld } = known.remembered.get(key) ?? {}
    if (slug === undefined) continue
    const isListed = matched_by === 'contract' || matched_by === 'name'
    if (isHeld || !hasSymbol(slug, symbol) || (isListed && known.contradicts(venue, symbol, slug))) doubted.add(slug)
  }
  return doubted
}

/** Returns a match by evidence that outweighs a price; null for a symbol that is new. */
function establishedMatch(
  one: VenueSymbol,
  own: readonly VenueSymbol[],
  doubted: ReadonlySet<string>,
  evidence: Evidence,
): Match | HeldMatch | null {
  const { known, at } = evidence
  const before = known.remembered.get(one.key)
  const since = (slug: string, matched_by: MatchEvidence): Match =>
    before?.slug === slug && before.matched_by === matched_by && !before.isHeld
      ? before
      : { slug, matched_by, matched_at: at }
  const reviewed = known.registry.listingAt(one.venue, one.symbol)
  if (reviewed !== undefined && !refutesRegistry(one, own, reviewed, evidence)) return since(reviewed, 'registry')
  const listed = listedMatch(one, before, evidence)
  if (listed !== null && listed.slug !== reviewed) return since(listed.slug, listed.matched_by)
  if (reviewed !== undefined) {
    const match = weighed(one, { slug: reviewed, matched_by: 'registry', matched_at: at }, evidence)
    return 'matched_by' in match ? since(match.slug, match.matched_by) : match
  }
  if (!before || known.registry.hasSpellings(before.slug)) return null
  if (doubted.has(before.slug) || rivalOf(one, before.slug, evidence) !== undefined)
    return weighed(one, before, evidence)
  // One that the aggregator contradicted is confirmed once it no longer does.
  const candidate = before.matched_by === 'venues' ? evidence.bySlug(before.slug) : undefined
  return candidate && agrees(one, candidate, []) ? since(before.slug, 'price') : before
}

/** What the venue's own list says of a symbol, unless a price refutes it. */
function listedMatch(one: VenueSymbol, before: Remembered | undefined, { known, free, bySlug }: Evidence) {
  const listed = known.identified(one.venue, one.symbol)
  if (listed === null || known.registry.hasSpellings(listed.slug)) return null
  const ofSymbol = free(one.symbol).find(({ slug }) => slug === listed.slug)
  const candidate = ofSymbol ?? bySlug(listed.slug)
  if (candidate && isRefuted(one, candidate, ofSymbol !== undefined)) return null
  // A list may name the coin that gets a symbol while the market still trades the one that had it.
  const last = before && before.slug !== listed.slug && listed.matched_by === 'name' ? bySlug(before.slug) : undefined
  const isAhead = candidate && last && agrees(one, last, []) && !agrees(one, candidate, [])
  return isAhead ? null : listed
}

/** The listing of the symbol that a doubted match is of, by its price; held back where there is none. */
function weighed(one: VenueSymbol, last: Remembered, { free, bySlug, at }: Evidence): Match | HeldMatch {
  const candidate = bySlug(last.slug)
  if (one.price === null || (candidate && agrees(one, candidate, []))) {
    return last.isHeld ? { slug: last.slug, matched_by: 'price', matched_at: at } : last
  }
  const found = free(one.symbol).find((other) => other.slug !== last.slug && agrees(one, other, []))
  if (found) return { slug: found.slug, matched_by: 'price', matched_at: at }
  return { slug: last.slug, venue: one.venue, symbol: one.symbol, price_usd: one.price }
}

/** Whether a venue's price is further than a factor from that of the aggregators; not where one of them is unknown. */
const isFar = ({ price }: VenueSymbol, { prices }: Candidate, factor: number): boolean =>
  price !== null && prices.length > 0 && factorBetween(price, median(prices)) > factor

/** Whether a price refutes a venue's list: one of the same symbol may be off by as much as a wrong aggregator. */
const isRefuted = (one: VenueSymbol, candidate: Candidate, isOfSymbol: boolean): boolean =>
  isOfSymbol ? isFar(one, candidate, LIMITS.another_factor) : !agrees(one, candidate, [])

function rivalOf(one: VenueSymbol, slug: string, { free, bySlug }: Evidence): Candidate | undefined {
  const candidate = bySlug(slug)
  if (!candidate || !isFar(one, candidate, 1 + LIMITS.far_percent / 100)) return undefined
  return free(one.symbol).find((other) => other.slug !== slug && agrees(one, other, []))
}

/**
 * Whether the venue's own list or its price says that a symbol is not what the registry says of it: the list names
 * another asset and the price is another, another listing of the symbol has the price, or the price is far from that of
 * the aggregators and the other venues. A symbol of the past needs a price that agrees. Without an aggregator three venues can
 * tell which of them is far off.
 */
function refutesRegistry(one: VenueSymbol, own: readonly VenueSymbol[], slug: string, evidence: Evidence): boolean {
  const candidate = evidence.bySlug(slug)
  const others = own.flatMap(({ key, price }) => (key === one.key || price === null ? [] : [price]))
  if (one.price === null || !candidate) return false
  if (candidate.prices.length === 0)
    return (
      others.length + 1 >= LIMITS.quorum &&
      factorBetween(one.price, median([one.price, ...others])) > LIMITS.another_factor
    )
  if (agrees(one, candidate, [])) return false
  if (evidence.known.registry.isFormer(one.symbol)) return true
  if (evidence.known.contradicts(one.venue, one.symbol, slug)) return true
  if (rivalOf(one, slug, evidence) !== undefined) return true
  return factorBetween(one.price, median([...candidate.prices, ...others])) > LIMITS.another_factor
}

function agrees({ price }: VenueSymbol, { prices, ageHours }: Candidate, venues: readonly number[]): boolean {
  if (price === null || prices.length === 0) return false
  const expected = median([...prices, ...venues])
  const tolerance = Math.min(
    LIMITS.far_percent,
    LIMITS.same_percent + (venues.length > 0 ? 0 : LIMITS.same_percent_per_hour * ageHours),
  )
  return factorBetween(price, expected) <= 1 + tolerance / 100
}

/**
 * The venues of a symbol that agree with each other on its only listing: against one aggregator, within a factor of its
 * price; without one, where the directory knows no other asset and no venue trades another at the same price.
 */
function agreeingVenues(
  symbols: readonly VenueSymbol[],
  { slug, prices, isOnlyOne }: Candidate,
  matched: ReadonlyMap<string, Match>,
  { contradicts }: KnownSymbols,
): VenueSymbol[] {
  const [aggregator, ...more] = prices
  if (more.length > 0 || symbols.every(({ key }) => matched.has(key))) return []
  const priced = symbols.flatMap((one) => {
    const found = matched.get(one.key)
    const isAnother = found ? found.slug !== slug : contradicts(one.venue, one.symbol, slug)
    return one.price === null ? [] : [{ one, price: one.price, isAnother: aggregator === undefined && isAnother }]
  })
  const own = priced.filter(({ isAnother }) => !isAnother)
  const prices_usd = own.map(({ price }) => price)
  const consensus = consensusOf(prices_usd)
  const center = aggregator === undefined ? median(prices_usd) : consensus.center
  const isAbout = (percent: number) => (venue: { readonly price: number }) =>
    factorBetween(venue.price, center) <= 1 + percent / 100
  const agreeing = own.filter(isAbout(LIMITS.tolerance_percent))
  if (agreeing.length < (aggregator === undefined ? LIMITS.quorum : LIMITS.jury)) return []
  const isSame = isAbout(LIMITS.same_percent)
  const isRefuted =
    aggregator === undefined
      ? isOnlyOne !== true || priced.some((venue) => isSame(venue) === venue.isAnother)
      : !consensus.majority || factorBetween(center, aggregator) > LIMITS.another_factor
  if (isRefuted) return []
  return (aggregator === undefined ? own : agreeing).flatMap(({ one }) => (matched.has(one.key) ? [] : [one]))
}

/** Dollar price of the base on the pair with the most volume, corrected for a venue that is off. */
function busiestPrice(own: readonly VenueQuote[], rates: Rates): number | null {
  const priced = own.flatMap(({ quote: { quote, last, bid, ask, volume_24h_base }, factor }) => {
    const rate = rates.get(quote)?.price_usd
    if (last === null || rate === undefined) return []
    const price = (heldPrice({ last, bid, ask }) / factor) * rate
    return [{ price, volume: price * (volume_24h_base ?? 0) }]
  })
  return greatest(priced, ({ volume }) => volume)?.price ?? null
}
