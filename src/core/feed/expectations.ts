import { roundPrice } from '../contract/numbers.ts'
import { compare, ensured, groupBy } from '../contract/order.ts'
import { type Ms, isoOf, HOUR_MS } from '../contract/time.ts'
import type { Registry } from '../registry/registry.ts'
import type { Report } from '../sources/collect.ts'
import type { Identity } from './identify.ts'
import { youngPrice } from './listing.ts'
import type { Candidate, Remembered } from './match.ts'
import { LIMITS } from './methodology.ts'
import { type Opinion } from './price.ts'
import type { RateOpinion, RateOpinions } from './rates.ts'
import { isWithin } from './statistics.ts'

export type DatedOpinion = Opinion & { readonly at: number | null }

export type Opinions = ReadonlyMap<string, readonly DatedOpinion[]>

/** The aggregators' dollar prices of an asset that are young enough, in order of the sources. */
export const opinionsOf = ({ sighted }: Identity, now: Ms): DatedOpinion[] =>
  sighted.flatMap(({ source, sighting: { price_usd, symbol, at } }) =>
    price_usd === null || (at !== null && now - at > LIMITS.carry_hours * HOUR_MS)
      ? []
      : [{ source_id: source.id, pair: `${symbol.toUpperCase()}/USD`, price_usd: roundPrice(price_usd), at }],
  )

/** Every listing as a candidate for the symbols of the venues: by upper-case symbol, best ranked first. */
export function candidatesOf(identities: readonly Identity[], opinions: Opinions, now: Ms) {
  const rank = ({ sighted, before }: Identity) =>
    Math.min(...sighted.map(({ sighting }) => sighting.rank ?? Infinity), before?.asset.market_cap_rank ?? Infinity)
  const ranked = identities.toSorted((a, b) => rank(a) - rank(b) || compare(a.slug, b.slug))
  const called = ranked.flatMap((identity) => {
    const candidate = candidateOf(identity, opinions, now)
    return [...symbolsOf(identity)].map((symbol, place) => ({ symbol, candidate, isFirst: place === 0 }))
  })
  // What only another of its sources calls it comes after the listings that go by the symbol.
  const inOrder = [...called.filter(({ isFirst }) => isFirst), ...called.filter(({ isFirst }) => !isFirst)]
  return new Map(
    [...groupBy(inOrder, ({ symbol }) => symbol)].map(([symbol, own]) => [symbol, own.map((one) => one.candidate)]),
  )
}

/** The symbols of an asset: that of the registry and those of its sources in this run, else the published one. */
function symbolsOf({ entry, sighted, before }: Identity): ReadonlySet<string> {
  const named = [...(entry ? [entry] : []), ...sighted.map(({ sighting }) => sighting)]
  const known = named.length > 0 || before === null ? named : [before.asset]
  return new Set(known.map(({ symbol }) => symbol.toUpperCase()))
}

function candidateOf({ slug, before, isOnlyOne }: Identity, opinions: Opinions, now: Ms): Candidate {
  const reported = opinions.get(slug) ?? []
  if (reported.length > 0) {
    const ages = reported.map(({ at }) => (at === null ? 0 : (now - at) / HOUR_MS))
    return { slug, prices: reported.map(({ price_usd }) => price_usd), ageHours: Math.min(...ages), isOnlyOne }
  }
  const last = youngPrice(before, now)
  return { slug, prices: last ? [last.price_usd] : [], ageHours: last?.ageHours ?? 0, isOnlyOne }
}

/** What each aggregator says that the best ranked listing of each symbol is worth, as if it were a venue that quotes dollars. */
export const listedPrices = (candidates: ReadonlyMap<string, readonly Candidate[]>, opinions: Opinions) =>
  [...candidates].flatMap(([base, [best]]) =>
    (opinions.get(best?.slug ?? '') ?? []).map((one) => {
      return { venue: one.source_id, base, quote: 'USD', price: one.price_usd }
    }),
  )

/** Matches of the venues' symbols in the last publication, by venue and symbol, those that were held back too. */
export function rememberedMatches(identities: readonly Identity[]): Map<string, Remembered> {
  const remembered = new Map<string, Remembered>()
  for (const { slug, before } of identities)
    for (const { field, offered_value, source_ids, since } of before?.asset.held ?? [])
      if (field === 'matches')
        for (const venue of source_ids)
          remembered.set(`${venue} ${offered_value}`, { slug, matched_by: 'price', matched_at: since, isHeld: true })
  for (const { slug, before } of identities)
    for (const market of before?.markets ?? [])
      if (market.exchange_type === 'cex')
        remembered.set(`${market.exchange_id} ${market.base_symbol}`, {
          slug,
          matched_by: market.matched_by ?? 'price',
          matched_at: market.matched_at ?? market.collected_at,
        })
  return remembered
}

/** What aggregators say of each currency that markets are quoted in, and central banks of fiat money, by symbol. */
export function referencesOf(registry: Registry, opinions: Opinions, reports: readonly Report[]): RateOpinions {
  const reported = new Map<string, RateOpinion[]>(
    [...registry.references].map(([symbol, slug]) => [symbol, [...(opinions.get(slug) ?? [])]]),
  )
  for (const { source, references } of reports)
    for (const { of, price_usd, at } of references)
      if ('currency' in of)
        ensured(reported, of.currency, () => []).push({ source_id: source.id, price_usd, set_on: isoOf(at) })
  return reported
}

export type ContractOpinion = Omit<DatedOpinion, 'pair'> & { readonly at: number }

/** Returns the opinions of sources that price contracts, by slug: one of each source, for its first contract. */
export function contractOpinions(
  reports: readonly Report[],
  registry: Registry,
  slugOf: (chain: string, address: string) => string | null,
  now: Ms,
): ReadonlyMap<string, readonly ContractOpinion[]> {
  const bySlug = new Map<string, ContractOpinion[]>()
  for (const { source, references } of reports)
    for (const { of, price_usd, at } of references) {
      if ('currency' in of || now - at > LIMITS.live_hours * HOUR_MS) continue
      for (const { chain, address } of registry.contractsSeen(source.id, [{ decimals: null, ...of }])) {
        const slug = slugOf(chain, address)
        const known = bySlug.get(slug ?? '') ?? []
        if (slug === null || known.some(({ source_id }) => source_id === source.id)) continue
        bySlug.set(slug, [...known, { source_id: source.id, price_usd: roundPrice(price_usd), at }])
      }
    }
  return bySlug
}

/** The opinions by contract that count beside others; `venuePrice` is that of a quorum of venues, null without one. */
export function countedByContract<One extends Opinion>(
  byContract: readonly One[],
  aggregators: readonly Opinion[],
  venuePrice: () => number | null,
): One[] {
  const others = aggregators.length > 0 ? aggregators.map(({ price_usd }) => price_usd) : [venuePrice()]
  const repeats = (price: number) =>
    others.some((other) => other === null || isWithin(LIMITS.few_percent, price, other))
  return byContract.filter(({ price_usd }) => !repeats(price_usd))
}
