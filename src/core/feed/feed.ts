import type { SourceRow } from '../contract/collector.ts'
import { type Market, marketKey } from '../contract/market.ts'
import { groupBy } from '../contract/order.ts'
import type { QuarantineRow } from '../contract/quarantine.ts'
import { type Ms, isoOf } from '../contract/time.ts'
import type { Registry } from '../registry/registry.ts'
import type { Report } from '../sources/collect.ts'
import type { Source } from '../sources/source.ts'
import { auditAggregators } from './audit.ts'
import { buildListing } from './merge.ts'
import { carriedMarkets, keepTime, withUnchangedSince } from './carry.ts'
import type { PastPrices } from './change.ts'
import { judgeContracts, venueLists } from './contract-claims.ts'
import { contractKey, ownersOf } from './contracts.ts'
import { type AssetDirectory, exchangeListings } from './exchange-listings.ts'
import { contractOpinions, candidatesOf, listedPrices } from './expectations.ts'
import { opinionsOf, referencesOf, rememberedMatches } from './expectations.ts'
import { type SourceHealth, movedSince } from './freshness.ts'
import { HEALTH, sourceRow, hasAnswered, sparedRow } from './health.ts'
import { disputedIdentity, disputedMatches } from './holds.ts'
import { type Identity, type Sighted, identify } from './identify.ts'
import { chosenListings, withoutDisplacedPrices, worthListing } from './listed-identities.ts'
import { EXCHANGES, type Listing, type Previous, withoutRemoved } from './listing.ts'
import { LIMITS } from './methodology.ts'
import { pairsOf, poolMarket } from './pools.ts'
import { type Matched, type Quoted, quoted } from './quotes.ts'
import { type AnswersByType, marketFlagOf, ranksOf } from './rank.ts'
import { rateDependence } from './rate-dependence.ts'
import { stocksOf } from './stocks.ts'
import { snapshotOf } from './snapshot.ts'

export interface FeedInput {
  readonly registry: Registry
  readonly previous: Previous
  readonly now: Ms
  readonly reports: readonly Report[]
  /** Sources of the feed, also those not asked in this run: nothing is kept of any other. */
  readonly configured: readonly Pick<Source, 'id'>[]
  /** The listings that the publisher names; all by default. Who is who is decided among all that the sources list. */
  readonly only?: readonly string[] | null | undefined
  readonly pastPrices: (slug: string) => PastPrices
  /** Who is who; where it is empty, only aggregators and the registry make listings. */
  readonly assetDirectory: AssetDirectory
}

/** A snapshot, with the quotes it was made of: history asks the venues for candles by their own names of the pairs. */
export type Feed = ReturnType<typeof feedOf>

/** Observations of one run and the last publication, made into one world. Pure: equal input gives an equal world. */
export function feedOf(given: FeedInput) {
  const { reports, registry, now } = given
  const previous = withoutRemoved(given.previous, new Set(given.configured.map(({ id }) => id)))
  const input = { ...given, previous }
  const hearing = hearingOf(input)
  const { identities, unchosen, quotes, opinions, contractsOf, heldOf } = whoIsWho(input, hearing)
  const { rates, tallies, distrusted } = quotes
  // The quotes of other assets count as unmatched.
  const slugs = new Set(identities.map(({ slug }) => slug))
  const matched = quotes.matched.filter(({ slug }) => slugs.has(slug))
  const owners = ownersOf(identities, ({ slug }) => contractsOf(slug))
  const slugOf = (chain: string, address: string) => owners.get(contractKey({ chain, address }))?.slug ?? null
  const byContract = contractOpinions(reports, registry, slugOf, now)
  const allPairs = pairsOf(reports, registry, slugOf, { ...previous, ...hearing })
  const pairs = input.only ? allPairs.filter(({ base_asset_id }) => base_asset_id !== null) : allPairs

  const quotesOf = groupBy(matched, ({ slug }) => slug)
  const poolsOf = groupBy(pairs, ({ base_asset_id }) => base_asset_id)
  const profiles = new Map(
    reports.flatMap(({ source, profiles: own }) => own.map((one) => [`${source.id} ${one.id}`, one] as const)),
  )
  const offBy = new Map([...distrusted, ...auditAggregators(opinions, matched, distrusted)])
  const notBelieved = new Set(offBy.keys())
  const dependence = rateDependence(rates)
  const rows = identities.map((identity) => {
    const fresh = sinceBefore(quotesOf.get(identity.slug) ?? [], identity, now)
    const pools = (poolsOf.get(identity.slug) ?? []).map(poolMarket)
    return [...fresh, ...carriedMarkets(identity, fresh, hearing), ...pools]
  })
  const since = movedSince(rows.flat(), now)
  const built = identities.map((identity, place) =>
    buildListing(identity, {
      hearing,
      registry,
      rows: rows[place] ?? [],
      movedSince: since,
      quotes: (quotesOf.get(identity.slug) ?? []).map(({ quote }) => quote),
      distrusted: notBelieved,
      rates: dependence,
      past: input.pastPrices(identity.slug),
      contracts: contractsOf(identity.slug),
      held: heldOf(identity),
      opinions: opinions.get(identity.slug) ?? [],
      byContract: byContract.get(identity.slug) ?? [],
      profiles: identity.sighted.flatMap(({ source, sighting }) => profiles.get(`${source.id} ${sighting.id}`) ?? []),
    }),
  )
  const listings = withRanks(built, identities, answersOf(input))
  const sources = sourceRows(input, identities, listings, { tallies, matched, distrusted: offBy, byContract })
  return {
    snapshot: snapshotOf(without(previous, unchosen), {
      at: isoOf(now),
      listings,
      pairs,
      sources,
      rates: [...rates.values()],
    }),
    matched,
    stocks: input.only ? [] : stocksOf(reports, rates),
  }
}

/** Returns the last publication without listings that the publisher no longer names, whose documents then go. */
const without = (previous: Previous, unchosen: ReadonlySet<string>): Previous => ({
  ...previous,
  listings: new Map(
    [...previous.listings].filter(([slug, { asset }]) => !unchosen.has(slug) && !unchosen.has(asset.replaced_by ?? '')),
  ),
})

function whoIsWho(input: FeedInput, hearing: SourceHealth) {
  const { reports, registry, previous, now, assetDirectory } = input
  const traded = exchangeListings(reports, registry, assetDirectory)
  const offered = identify(reports, registry, previous, { now, traded })
  const judged = judgeContracts(offered, { registry, lists: assetDirectory.lists, ...hearing })
  const contractsOf = (slug: string) => judged.get(slug)?.contracts ?? []
  const opinions = new Map(offered.map((identity) => [identity.slug, opinionsOf(identity, now)] as const))
  const known = {
    registry,
    remembered: rememberedMatches(offered),
    ...venueLists(offered, contractsOf, registry, assetDirectory.lists),
  }
  const candidates = candidatesOf(offered, opinions, now)
  const expected = {
    candidates,
    listed: listedPrices(candidates, opinions),
    references: referencesOf(registry, opinions, reports),
    rates: previous.rates,
  }
  const quotes = quoted(reports, expected, known, isoOf(now))
  const heldMatches = groupBy(quotes.held, ({ slug }) => slug)
  const isAlone = answersOf(input).aggregators === 0
  const worthy = worthListing(withoutDisplacedPrices(offered, quotes), traded, quotes.matched, isAlone)
  const identities = input.only ? chosenListings(worthy, input.only, contractsOf) : worthy
  const heldOf = (identity: Identity): QuarantineRow[] => [
    ...(judged.get(identity.slug)?.held ?? []),
    ...disputedIdentity(identity, now),
    ...disputedMatches(identity, heldMatches.get(identity.slug) ?? [], hearing),
  ]
  const chosen = new Set(identities)
  const unchosen = new Set(worthy.flatMap((identity) => (chosen.has(identity) ? [] : identity.slug)))
  return { identities, unchosen, quotes, opinions, contractsOf, heldOf }
}

function sinceBefore(quotes: readonly Matched[], { before }: Identity, now: Ms): Market[] {
  const last = new Map(before?.markets.map((market) => [marketKey(market), market]))
  return quotes.map(({ market }) => {
    const old = last.size === 0 ? undefined : last.get(marketKey(market))
    return keepTime(withUnchangedSince(market, old, isoOf(now)), old, now)
  })
}

/** Which sources answered the run. The exchanges together did if most of them did. */
function hearingOf({ reports, previous, configured, now }: FeedInput): SourceHealth {
  const ids = (of: readonly Report[]) => of.map(({ source }) => source.id)
  const answered = new Set(ids(reports.filter(hasAnswered)))
  const known = new Set([...configured.map(({ id }) => id), ...ids(reports)])
  const exchanges = ids(reports.filter(({ source }) => source.type === 'exchange'))
  const answering = exchanges.filter((id) => answered.has(id))
  const haveAnswered = answering.length > exchanges.length * HEALTH.exchanges_share
  return {
    now,
    isSilent: (source) => (source === EXCHANGES ? !haveAnswered : known.has(source) && !answered.has(source)),
    lastHeard: (source) => previous.sources.get(source)?.last_success ?? null,
  }
}

/** How many aggregators and exchanges ever answered. */
function answersOf({ reports, previous }: FeedInput): AnswersByType {
  const before = [...previous.sources.values()].filter(({ last_success }) => last_success !== null)
  const types = new Map(before.map(({ source_id, source_type }) => [source_id, source_type]))
  for (const { source, error } of reports) if (error === null) types.set(source.id, source.type)
  const count = (type: SourceRow['source_type']) => [...types.values()].filter((one) => one === type).length
  return { aggregators: count('aggregator'), exchanges: count('exchange') }
}

function withRanks(unranked: readonly Listing[], identities: readonly Identity[], count: AnswersByType): Listing[] {
  const flagged = unranked.map(({ asset, markets }) => ({ ...asset, market_flag: marketFlagOf(asset, markets, count) }))
  const ranks = ranksOf(flagged, eligibleFor(identities))
  return flagged.map((asset, place) => ({
    asset: { ...asset, market_cap_rank: ranks.get(asset.slug) ?? null },
    markets: unranked[place]?.markets ?? [],
  }))
}

/** The listings that may be ranked: those that a source ranks or that were, and those of sources that rank nothing. */
function eligibleFor(identities: readonly Identity[]): ReadonlySet<string> {
  const isRanked = ({ sighting }: Sighted) => sighting.rank !== null
  const ranking = new Set(identities.flatMap(({ sighted }) => sighted.filter(isRanked).map(({ source }) => source.id)))
  const eligible = identities.filter(
    ({ sighted, before }) =>
      sighted.some(isRanked) ||
      (before?.asset.market_cap_rank ?? null) !== null ||
      !sighted.some(({ source }) => ranking.has(source.id)),
  )
  return new Set(eligible.map(({ slug }) => slug))
}

function sourceRows(
  { reports, previous, now }: FeedInput,
  identities: readonly Identity[],
  listings: readonly Listing[],
  counted: Omit<Quoted, 'rates' | 'held'> & { readonly byContract: ReturnType<typeof contractOpinions> },
): SourceRow[] {
  const { tallies, matched, distrusted, byContract } = counted
  const priced = groupBy([...byContract.values()].flat(), ({ source_id }) => source_id)
  const seen = venueMarkets(listings)
  const used = groupBy(matched, ({ market }) => market.exchange_id)
  const labelled = (label: string): number =>
    listings.filter(({ markets }) => markets.some(({ source_label }) => source_label === label)).length
  const rows = reports.map((report) => {
    const { source, sightings, pools, references } = report
    const { id } = source
    const { market_count, asset_count, ...counts } = seen(id).counts
    const assets = identities.filter(({ sighted }) => sighted.some((one) => one.source.id === id)).length
    const others = sightings.length + pools.length + references.length
    const { live_count, ...tally } = tallies.get(id) ?? { live_count: others, dead_count: 0, duplicate_count: 0 }
    const used_count = tallies.has(id) ? (used.get(id)?.length ?? 0) : live_count
    const all = {
      ...tally,
      used_count,
      unmatched_count: live_count - used_count,
      asset_count: assets || asset_count || (priced.get(id)?.length ?? 0) || labelled(source.label),
      market_count: market_count || pools.length,
      price_factor: distrusted.get(id) ?? null,
      ...counts,
    }
    return sourceRow(report, all, previous)
  })
  const asked = new Set(rows.map(({ source_id }) => source_id))
  const spared = [...previous.sources.values()].filter(({ source_id }) => !asked.has(source_id))
  return [...rows, ...spared.map((row) => sparedRow(row, seen(row.source_id).counts, now))]
}

/** Returns the markets of a venue in these listings, and the counts of them. */
export function venueMarkets(listings: readonly Listing[]) {
  const all = listings.flatMap(({ asset: { slug }, markets }) => markets.map((market) => ({ slug, market })))
  const byVenue = groupBy(all, ({ market }) => market.exchange_id)
  const needed = neededWitnesses(listings)
  return (id: string) => {
    const markets = byVenue.get(id) ?? []
    const asset_count = new Set(markets.map(({ slug }) => slug)).size
    const outlier_count = markets.filter(({ market }) => market.is_outlier).length
    const counts = { market_count: markets.length, asset_count, outlier_count, needed_count: needed.get(id) ?? 0 }
    return { markets, counts }
  }
}

/** For how many listings each venue is a needed witness: no more venues than the quorum make their price, it among them. */
export function neededWitnesses(listings: readonly Listing[]): ReadonlyMap<string, number> {
  const needed = new Map<string, number>()
  for (const { asset } of listings) {
    const { method, sources } = asset.price_basis
    const venues = new Set(sources.map(({ source_id }) => source_id))
    if (method !== 'exchanges' || venues.size > LIMITS.quorum) continue
    for (const venue of venues) needed.set(venue, (needed.get(venue) ?? 0) + 1)
  }
  return needed
}
