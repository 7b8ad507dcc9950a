import { groupBy } from './group-by.ts'
import type { MatchEvidence } from '../contract/market.ts'
import type { Registry } from '../registry/registry.ts'
import type { Quote } from '../sources/source.ts'
import { consensusOf, within } from './consensus.ts'
import { areCorroborated } from './corroborated.ts'
import { heldPrice } from './market-rows.ts'
import type { Rates } from './rates.ts'
import { median } from './statistics.ts'

/** The numbers of the rule. */
export const MATCHING = {
  rule:
    'A venue’s base symbol is a listing’s when the registry says so for that venue, or the venue’s own list of currencies ' +
    'by contract or name. What was matched once stays matched while its row is published: a price alone does not undo it, ' +
    'and a market that disagrees is an outlier. A new symbol is the best ranked listing of that symbol whose witnesses, ' +
    'aggregators and matched venues alike, have a median within the tolerance of the venue’s price on its busiest pair; ' +
    'the tolerance grows with the age of a price held against. Where the only listing of a symbol has at most one ' +
    'aggregator, and that one disagrees, `venues` venues that agree with each other are taken for it within ' +
    '`venues_factor` of the aggregator’s price. A symbol with no such listing is unmatched and never priced.',
  tolerance_percent: 10,
  tolerance_percent_per_hour: 2,
  tolerance_percent_most: 50,
  venues: 4,
  venues_factor: 3,
} as const

/** A listing that a symbol may identify. */
export interface Candidate {
  readonly slug: string
  /** Dollars, one for each aggregator, or the last price where none has one; empty: only the registry can match it. */
  readonly prices: readonly number[]
  /** How old the youngest of the prices is. */
  readonly ageHours: number
  /** Whether the directory knows no other asset of the symbol. */
  readonly isOnlyOne?: boolean
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

/** Evidence about venues' symbols other than prices. */
export interface KnownSymbols {
  readonly registry: Registry
  /** Matches of the last publication, by `matchKey`. */
  readonly remembered: ReadonlyMap<string, Match>
  /** Identity of a symbol in the venue's own list of currencies; null if it has none. */
  readonly identified?: (
    venue: string,
    symbol: string,
  ) => { readonly slug: string; readonly matched_by: 'contract' | 'name' } | null
  /** Whether the venue's own list identifies a symbol as another asset than a listing. */
  readonly contradicts?: (venue: string, symbol: string, slug: string) => boolean
}

export const matchKey = ({ venue, quote }: VenueQuote): string => `${venue} ${quote.base}`

/** One base symbol at one venue. */
interface VenueSymbol {
  readonly key: string
  readonly venue: string
  readonly symbol: string
  /** Dollars on the busiest pair; null if unknown. */
  readonly price: number | null
}

/**
 * The match of each base symbol of each venue, by {@link matchKey}; a symbol that stands for no listing is not in the map.
 *
 * @param candidates by upper-case symbol, best ranked first
 * @param at the run's clock, as published
 */
export function match(
  quotes: readonly VenueQuote[],
  candidates: ReadonlyMap<string, readonly Candidate[]>,
  rates: Rates,
  known: KnownSymbols,
  at: string,
): Map<string, Match> {
  const symbols = [...groupBy(quotes, matchKey)].flatMap(([key, own]): VenueSymbol[] => {
    const [first] = own
    return first ? [{ key, venue: first.venue, symbol: first.quote.base, price: busiestPrice(own, rates) }] : []
  })
  const free = (symbol: string) =>
    (candidates.get(symbol) ?? []).filter(({ slug }) => !known.registry.hasSpellings(slug))
  const matched = new Map<string, Match>()
  const candidateBySlug = new Map([...candidates.values()].flatMap((all) => all.map((one) => [one.slug, one] as const)))
  const established = { ...known, bySlug: (slug: string) => candidateBySlug.get(slug) }
  for (const one of symbols) {
    const found = establishedMatch(one, free(one.symbol), established, at)
    if (found) matched.set(one.key, found)
  }

  const prices = pricesBySlug(symbols, matched)
  for (const one of symbols) {
    if (matched.has(one.key)) continue
    const found = free(one.symbol).find((candidate) => agrees(one, candidate, prices.get(candidate.slug) ?? []))
    if (found) matched.set(one.key, { slug: found.slug, matched_by: 'price', matched_at: at })
  }

  for (const [symbol, own] of groupBy(symbols, ({ symbol }) => symbol)) {
    const [only, ...others] = candidates.get(symbol) ?? []
    if (!only || others.length > 0 || known.registry.hasSpellings(only.slug)) continue
    for (const { key } of only.prices.length === 0
      ? corroboratedVenues(own, only, matched, known)
      : agreeingVenues(own, only, matched))
      matched.set(key, { slug: only.slug, matched_by: 'venues', matched_at: at })
  }
  return matched
}

/** Returns a match by evidence that outweighs a price: the registry, the venue's own list, an earlier match. */
function establishedMatch(
  one: VenueSymbol,
  candidates: readonly Candidate[],
  {
    registry,
    remembered,
    identified,
    bySlug,
  }: KnownSymbols & { readonly bySlug: (slug: string) => Candidate | undefined },
  at: string,
): Match | undefined {
  const before = remembered.get(one.key)
  const since = (slug: string, matched_by: MatchEvidence): Match =>
    before?.slug === slug && before.matched_by === matched_by ? before : { slug, matched_by, matched_at: at }
  const reviewed = registry.listingAt(one.venue, one.symbol)
  if (reviewed !== undefined) return since(reviewed, 'registry')
  const own = identified?.(one.venue, one.symbol) ?? null
  if (own !== null && !registry.hasSpellings(own.slug)) {
    const ofSymbol = candidates.find(({ slug }) => slug === own.slug)
    if (!isRefuted(one, ofSymbol ?? bySlug(own.slug), ofSymbol !== undefined)) return since(own.slug, own.matched_by)
  }
  if (!before || registry.hasSpellings(before.slug)) return undefined
  // A match that the aggregator contradicted is confirmed once it no longer does.
  const candidate = candidates.find(({ slug }) => slug === before.slug)
  const confirmed = before.matched_by === 'venues' && candidate !== undefined && agrees(one, candidate, [])
  return confirmed ? { ...before, matched_by: 'price', matched_at: at } : before
}

/**
 * Whether a price refutes what a venue's list says. One of the same symbol may be off by as much as a wrong aggregator;
 * a listing of another symbol must have the same price.
 */
function isRefuted(one: VenueSymbol, candidate: Candidate | undefined, isOfSymbol: boolean): boolean {
  if (!candidate) return false
  if (!isOfSymbol) return !agrees(one, candidate, [])
  const { price } = one
  if (price === null || candidate.prices.length === 0) return false
  return Math.abs(Math.log(price / median(candidate.prices))) > Math.log(MATCHING.venues_factor)
}

function pricesBySlug(symbols: readonly VenueSymbol[], matched: ReadonlyMap<string, Match>): Map<string, number[]> {
  const prices = new Map<string, number[]>()
  for (const { key, price } of symbols) {
    const slug = matched.get(key)?.slug
    if (slug === undefined || price === null) continue
    const known = prices.get(slug)
    if (known) known.push(price)
    else prices.set(slug, [price])
  }
  return prices
}

/** Whether a venue's price is that of a candidate, whose witnesses are the aggregators and the venues matched to it. */
function agrees({ price }: VenueSymbol, { prices, ageHours }: Candidate, venues: readonly number[]): boolean {
  if (price === null || prices.length === 0) return false
  const expected = median([...prices, ...venues])
  const tolerance = Math.min(
    MATCHING.tolerance_percent_most,
    MATCHING.tolerance_percent + (venues.length > 0 ? 0 : MATCHING.tolerance_percent_per_hour * ageHours),
  )
  return Math.abs(Math.log(price / expected)) <= Math.log(1 + tolerance / 100)
}

/** The venues of a symbol that agree with each other against the one aggregator that knows its only listing. */
function agreeingVenues(
  symbols: readonly VenueSymbol[],
  { prices }: Candidate,
  matched: ReadonlyMap<string, Match>,
): VenueSymbol[] {
  const [aggregator, ...more] = prices
  if (symbols.every(({ key }) => matched.has(key))) return []
  const priced = symbols.flatMap((one) => (one.price === null ? [] : [{ ...one, price: one.price }]))
  if (aggregator === undefined || more.length > 0 || priced.length < MATCHING.venues) return []
  const consensus = consensusOf(priced.map(({ price }) => price))
  const agreeing = priced.filter(({ price }) => within(consensus, price))
  if (!consensus.majority || agreeing.length < MATCHING.venues) return []
  if (Math.abs(Math.log(consensus.center / aggregator)) > Math.log(MATCHING.venues_factor)) return []
  return agreeing.filter(({ key }) => !matched.has(key))
}

/** Returns the venues of a symbol that agree on its only listing if no aggregator prices it. */
function corroboratedVenues(
  symbols: readonly VenueSymbol[],
  { slug, isOnlyOne }: Candidate,
  matched: ReadonlyMap<string, Match>,
  { contradicts }: KnownSymbols,
): VenueSymbol[] {
  if (isOnlyOne !== true) return []
  const priced = symbols.flatMap((one) => {
    const found = matched.get(one.key)
    const isAnother = found ? found.slug !== slug : contradicts?.(one.venue, one.symbol, slug) === true
    return one.price === null ? [] : [{ one, price: one.price, isAnother }]
  })
  if (!areCorroborated(priced)) return []
  return priced.flatMap(({ one, isAnother }) => (isAnother || matched.has(one.key) ? [] : [one]))
}

/** Dollar price of the base on the pair with the most volume, corrected for a venue that is off. */
function busiestPrice(own: readonly VenueQuote[], rates: Rates): number | null {
  let busiest = { volume: -1, price: Number.NaN }
  for (const { quote, factor } of own) {
    const rate = rates.get(quote.quote)?.price_usd
    if (quote.last === null || rate === undefined) continue
    const price = (heldPrice({ last: quote.last, bid: quote.bid, ask: quote.ask }) / factor) * rate
    const volume = price * (quote.volume_24h_base ?? 0)
    if (volume > busiest.volume) busiest = { volume, price }
  }
  return busiest.volume < 0 ? null : busiest.price
}
