import type { SourceRow } from '../contract/collector.ts'
import type { DexPair } from '../contract/ecosystem.ts'
import type { Market } from '../contract/market.ts'
import { groupBy } from '../contract/order.ts'
import type { QuarantineRow } from '../contract/quarantine.ts'
import { isoOf } from '../contract/time.ts'
import type { Report } from '../sources/collect.ts'
import type { Profile, Source } from '../sources/source.ts'
import { auditAggregators } from './aggregator-audit.ts'
import { buildListing } from './merge.ts'
import { carriedMarkets, carriedPairs, keepTime, withUnchangedSince } from './carry.ts'
import type { PastPrice } from './change.ts'
import { judgeContracts } from './contract-claims.ts'
import { contractKey, ownersOf } from './contracts.ts'
import { type Acquaintance, EXCHANGES, NO_ACQUAINTANCE, exchangeListings } from './exchange-listings.ts'
import {
  contractOpinions,
  type DatedOpinion,
  candidatesOf,
  listedPrices,
  opinionsOf,
  referencesOf,
  rememberedMatches,
} from './expectations.ts'
import type { Hearing } from './freshness.ts'
import { HEALTH, sourceRow, sparedRow, staleAnswer } from './health.ts'
import { disputedIdentity, disputedMatches } from './hold.ts'
import { type Identity, identify } from './identify.ts'
import { chosenListings, withoutDisplacedPrices, worthListing } from './listed-identities.ts'
import { type Listing, type Previous, withoutRemoved } from './listing.ts'
import { pairOrder, pairsOf, poolMarket } from './pools.ts'
import { type Expectations, type Matched, type Quoted, quoted } from './quotes.ts'
import { type Heard, heardAmong, marketFlagOf, ranksOf } from './rank.ts'
import { rateDependence } from './rate-dependence.ts'
import { type Setting, type Snapshot, snapshotOf } from './snapshot.ts'
import { type ContractsOf, venueLists } from './venue-lists.ts'
import { marketsByVenue, neededWitnesses } from './venues.ts'

/** Inputs of a feed. */
export interface FeedInput extends Setting {
  readonly reports: readonly Report[]
  /**
   * Sources of the feed, those that are not asked in this run too. Nothing is kept of any other. By default those of the
   * reports and of the last publication.
   */
  readonly configured?: readonly Pick<Source, 'id'>[]
  /** The listings that the publisher names; all by default. Who is who is decided among all that the sources list. */
  readonly only?: readonly string[] | null | undefined
  /** The oldest published price of a listing in the last day; null where there is none. */
  readonly priceDayAgo?: (slug: string) => number | null
  /** Who is who; without it, only aggregators and the registry make listings. */
  readonly acquaintance?: Acquaintance | undefined
  /** Our own price of a listing about a day ago, from history. Without it, the 24-hour change is that of the sources. */
  readonly dayAgo?: (slug: string) => PastPrice | null
  /** The price with which the 7-day history of this run begins. Without it, the 7-day change is that of the sources. */
  readonly weekAgo?: (slug: string) => PastPrice | null
}

/** A snapshot, with the quotes it was made of: history asks the venues for candles by their own names of the pairs. */
export interface Feed {
  readonly snapshot: Snapshot
  readonly matched: readonly Matched[]
}

/** Observations of one run and the last publication, made into one world. Pure: equal input gives an equal world. */
export function feedOf(given: FeedInput): Feed {
  const { configured } = given
  const previous = configured ? withoutRemoved(given.previous, new Set(configured.map(({ id }) => id))) : given.previous
  const input: FeedInput = { ...given, previous }
  const { reports, registry, now } = input
  const hearing = hearingOf(input)
  const { identities, unchosen, quotes, opinions, contractsOf, heldOf } = whoIsWho(input, hearing)
  const { rates, tallies, distrusted } = quotes
  const matched = ofListings(quotes.matched, identities)
  const slugOf = slugsByContract(identities, contractsOf)
  const byContract = contractOpinions(reports, registry, slugOf, now)
  const pairs = pairsOfRun(input, slugOf, hearing)

  const quotesOf = groupBy(matched, ({ slug }) => slug)
  const poolsOf = groupBy(pairs, ({ base_asset_id }) => base_asset_id)
  const profiles = profilesOf(reports)
  const offBy = new Map([...distrusted, ...auditAggregators(opinions, matched, distrusted)])
  const notBelieved = new Set(offBy.keys())
  const dependence = rateDependence(rates)
  const built = identities.map((identity) => {
    const ownQuotes = quotesOf.get(identity.slug) ?? []
    const fresh = sinceBefore(ownQuotes, identity, now)
    return buildListing(identity, {
      hearing,
      registry,
      rows: [
        ...fresh,
        ...carriedMarkets(identity, fresh, hearing),
        ...(poolsOf.get(identity.slug) ?? []).map(poolMarket),
      ],
      quotes: ownQuotes.map(({ quote }) => quote),
      distrusted: notBelieved,
      rates: dependence,
      dayAgo: input.dayAgo?.(identity.slug) ?? null,
      weekAgo: input.weekAgo?.(identity.slug) ?? null,
      contracts: contractsOf(identity.slug),
      held: heldOf(identity),
      opinions: opinions.get(identity.slug) ?? [],
      byContract: byContract.get(identity.slug) ?? [],
      profiles: identity.sighted.flatMap(({ source, sighting }) => profiles.get(`${source.id} ${sighting.id}`) ?? []),
      firstListed: previous.unreadable?.has(identity.slug) ? null : isoOf(now),
      priceDayAgo: () => input.priceDayAgo?.(identity.slug) ?? null,
    })
  })
  const listings = withRanks(built, identities, sourcesHeard(input))
  const sources = sourceRows(input, identities, listings, { tallies, matched, distrusted: offBy, byContract })
  return {
    snapshot: snapshotOf(
      { ...input, previous: without(previous, unchosen) },
      { current: listings, pairs, sources, rates: [...rates.values()] },
    ),
    matched,
  }
}

/** Returns the last publication without listings that the publisher no longer names, whose documents then go. */
const without = (previous: Previous, unchosen: ReadonlySet<string>): Previous => ({
  ...previous,
  listings: new Map(
    [...previous.listings].filter(([slug, { asset }]) => !unchosen.has(slug) && !unchosen.has(asset.replaced_by ?? '')),
  ),
})

/** Returns the prices that are known before those of the venues. */
function expectationsOf(
  { reports, registry, previous, now }: FeedInput,
  offered: readonly Identity[],
  opinions: ReadonlyMap<string, readonly DatedOpinion[]>,
): Expectations {
  const candidates = candidatesOf(offered, opinions, now)
  return {
    candidates,
    listed: listedPrices(candidates, opinions),
    references: referencesOf(registry, opinions, reports),
    rates: previous.rates,
  }
}

/** Decides which listings there are, which markets and contracts are theirs, and what of that is held back. */
function whoIsWho(input: FeedInput, hearing: Hearing) {
  const { reports, registry, previous, now } = input
  const acquaintance = input.acquaintance ?? NO_ACQUAINTANCE
  const traded = exchangeListings(reports, registry, acquaintance)
  const offered = identify({ reports, traded }, registry, previous, now)
  const judged = judgeContracts(offered, { registry, lists: acquaintance.lists, ...hearing })
  const contractsOf = (slug: string) => judged.get(slug)?.contracts ?? []
  const opinions = new Map(offered.map((identity) => [identity.slug, opinionsOf(identity, now)] as const))
  const known = {
    registry,
    remembered: rememberedMatches(offered),
    ...venueLists(offered, contractsOf, registry, acquaintance),
  }
  const expected = expectationsOf(input, offered, opinions)
  const quotes = quoted(reports, expected, known, isoOf(now))
  const heldMatches = groupBy(quotes.held, ({ slug }) => slug)
  const worthy = worthListing(withoutDisplacedPrices(offered, quotes), {
    traded,
    matched: quotes.matched,
    isAlone: sourcesHeard(input).aggregators === 0,
  })
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

/** Returns the quotes of listed assets. The others count as unmatched. */
function ofListings(quotes: readonly Matched[], identities: readonly Identity[]): Matched[] {
  const slugs = new Set(identities.map(({ slug }) => slug))
  return quotes.filter(({ slug }) => slugs.has(slug))
}

/** Returns the markets of quotes, with the time since which each is unchanged, from the last publication. */
function sinceBefore(quotes: readonly Matched[], { before }: Identity, now: number): Market[] {
  const at = isoOf(now)
  const last = new Map(before?.markets.map((market) => [`${market.exchange_id} ${market.pair}`, market]))
  return quotes.map(({ market }) => {
    const old = last.size === 0 ? undefined : last.get(`${market.exchange_id} ${market.pair}`)
    return keepTime(withUnchangedSince(market, old, at), old, now)
  })
}

/** The profiles of a run by source and id. */
const profilesOf = (reports: readonly Report[]): ReadonlyMap<string, Profile> =>
  new Map(
    reports.flatMap(({ source, profiles }) =>
      profiles.map((profile) => [`${source.id} ${profile.id}`, profile] as const),
    ),
  )

/** Which sources the run heard. Of the exchanges together it heard if most of them answered. */
function hearingOf({ reports, previous, configured, now }: FeedInput): Hearing {
  const ids = (of: readonly Report[]) => of.map(({ source }) => source.id)
  const answered = new Set(ids(reports.filter((report) => report.error === null && !staleAnswer(report))))
  const known = new Set([...(configured?.map(({ id }) => id) ?? previous.sources.keys()), ...ids(reports)])
  const exchanges = ids(reports.filter(({ source }) => source.type === 'exchange'))
  const heard = exchanges.filter((id) => answered.has(id))
  const areHeard = heard.length > exchanges.length * HEALTH.exchanges_share
  return {
    now,
    isSilent: (source) => (source === EXCHANGES ? !areHeard : known.has(source) && !answered.has(source)),
    lastHeard: (source) => previous.sources.get(source)?.last_success ?? null,
  }
}

/** Returns the pools of a run, of the named listings if some are named, and those carried from earlier ones, the deepest first. */
function pairsOfRun(input: FeedInput, slugOf: ReturnType<typeof slugsByContract>, hearing: Hearing): DexPair[] {
  const { reports, registry, previous, only } = input
  const all = pairsOf(reports, registry, slugOf, previous.pairs)
  const found = only ? all.filter(({ base_asset_id }) => base_asset_id !== null) : all
  return [...found, ...carriedPairs(previous.pairs, found, idByLabel(input), hearing)].toSorted(pairOrder)
}

/** Returns the id of the source with a label. */
function idByLabel({ reports, previous }: FeedInput): (label: string) => string | null {
  const ids = new Map([...previous.sources.values()].map(({ source_id, source_label }) => [source_label, source_id]))
  for (const { source } of reports) ids.set(source.label, source.id)
  return (label) => ids.get(label) ?? null
}

/** How many sources have answered, in this run or before. */
function sourcesHeard({ reports, previous }: FeedInput): Heard {
  const rows = new Map(
    [...previous.sources].map(([id, { source_type, last_success }]) => [id, { source_type, last_success }]),
  )
  for (const { source, error } of reports)
    if (error === null) rows.set(source.id, { source_type: source.type, last_success: '' })
  return heardAmong(rows.values())
}

function withRanks(unranked: readonly Listing[], identities: readonly Identity[], heard: Heard): Listing[] {
  const flagged = unranked.map(({ asset, markets }) => ({ ...asset, market_flag: marketFlagOf(asset, markets, heard) }))
  const ranks = ranksOf(flagged, eligibleFor(identities))
  return flagged.map((asset, place) => ({
    asset: { ...asset, market_cap_rank: ranks.get(asset.slug) ?? null },
    markets: unranked[place]?.markets ?? [],
  }))
}

/**
 * The listings that may be ranked, by slug: those that a source ranks or that were ranked before, and those of sources that
 * rank nothing in this run.
 */
function eligibleFor(identities: readonly Identity[]): ReadonlySet<string> {
  const ranking = new Set(
    identities.flatMap(({ sighted }) =>
      sighted.flatMap(({ source, sighting }) => (sighting.rank === null ? [] : source.id)),
    ),
  )
  return new Set(
    identities.flatMap(({ slug, sighted, before }) => {
      const isRanked = sighted.some(({ sighting }) => sighting.rank !== null)
      const wasRanked = (before?.asset.market_cap_rank ?? null) !== null
      return isRanked || wasRanked || !sighted.some(({ source }) => ranking.has(source.id)) ? [slug] : []
    }),
  )
}

/** The listing that a contract belongs to; none for a contract that two claim. */
function slugsByContract(identities: readonly Identity[], contractsOf: ContractsOf) {
  const owners = ownersOf(identities, ({ slug }) => contractsOf(slug))
  return (chain: string, address: string) => owners.get(contractKey({ chain, address }))?.slug ?? null
}

type ByContract = ReturnType<typeof contractOpinions>

function sourceRows(
  { reports, previous, now }: FeedInput,
  identities: readonly Identity[],
  listings: readonly Listing[],
  { tallies, matched, distrusted, byContract }: Omit<Quoted, 'rates' | 'held'> & { readonly byContract: ByContract },
): SourceRow[] {
  const priced = groupBy([...byContract.values()].flat(), ({ source_id }) => source_id)
  const seen = countsByVenue(listings)
  const used = groupBy(matched, ({ market }) => market.exchange_id)
  const rows = reports.map((report) => {
    const id = report.source.id
    const { market_count, asset_count, ...counts } = seen(id)
    const assets = identities.filter(({ sighted }) => sighted.some(({ source }) => source.id === id)).length
    const { sightings, pools, references } = report
    const { live_count, ...tally } = tallies.get(id) ?? {
      live_count: sightings.length + pools.length + references.length,
      dead_count: 0,
      duplicate_count: 0,
    }
    const used_count = tallies.has(id) ? (used.get(id)?.length ?? 0) : live_count
    return sourceRow(
      report,
      {
        ...tally,
        used_count,
        unmatched_count: live_count - used_count,
        asset_count: assets || asset_count || (priced.get(id)?.length ?? 0),
        market_count: market_count || pools.length,
        price_factor: distrusted.get(id) ?? null,
        ...counts,
      },
      previous,
    )
  })
  const asked = new Set(rows.map(({ source_id }) => source_id))
  const spared = [...previous.sources.values()].filter(({ source_id }) => !asked.has(source_id))
  return [...rows, ...spared.map((row) => sparedRow(row, seen(row.source_id), now))]
}

/** Returns how many markets and listings a venue has, how many outliers, and for how many listings it is needed. */
function countsByVenue(listings: readonly Listing[]) {
  const [markets, needed] = [marketsByVenue(listings), neededWitnesses(listings)]
  return (id: string) => {
    const own = markets.get(id) ?? []
    return {
      market_count: own.length,
      asset_count: new Set(own.map(({ slug }) => slug)).size,
      outlier_count: own.filter(({ market }) => market.is_outlier).length,
      needed_count: needed.get(id) ?? 0,
    }
  }
}
