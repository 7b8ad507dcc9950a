import type * as z from 'zod'
import type { Asset } from '../contract/asset.ts'
import type { CollectorMembers, Methodology, ReferenceRate, SourceRow } from '../contract/collector.ts'
import type { DexPair, EcosystemMembers, EcosystemRow } from '../contract/ecosystem.ts'
import { roundPercent } from '../contract/numbers.ts'
import { Chain, type ContractRow, type SourceIdRow } from '../contract/identity.ts'
import { foldedAddress, symbolKey } from '../contract/names.ts'
import { by, groupBy } from '../contract/order.ts'
import type { QuarantineRow } from '../contract/quarantine.ts'
import { isoOf } from '../contract/time.ts'
import type { Entry, Registry } from '../registry/registry.ts'
import { FEED_MINUTES } from './freshness.ts'
import { type Health, healthFrom } from './health.ts'
import type { Listing, Previous } from './listing.ts'
import { METHODOLOGY } from './methodology.ts'
import { moversOf, byRank } from './rank.ts'
import { type Category, categoriesOf } from './totals.ts'
import { type Venue, venuesOf } from './venues.ts'

/** The world as one run leaves it: everything that the answers are made of, but for history. */
export interface Snapshot {
  readonly at: string
  /** Shown in the index: what kind of data this is. */
  readonly label: string
  /** Every listing with a document of its own, delisted and renamed ones too, by slug. */
  readonly listings: readonly Listing[]
  readonly bySlug: ReadonlyMap<string, Listing>
  /** The feed: by rank, unranked last, then by slug. Its length is `total` everywhere. */
  readonly listed: readonly Listing[]
  readonly directory: ReturnType<typeof directoryOf>
  /** Listings by tag, by id of the category. */
  readonly categories: ReadonlyMap<string, Category>
  /** Markets by venue, by id of the venue. */
  readonly venues: ReadonlyMap<string, Venue>
  readonly gainers: readonly Asset[]
  readonly losers: readonly Asset[]
  readonly trending: readonly Asset[]
  readonly ecosystem: readonly EcosystemRow[]
  readonly registryCounts: z.infer<(typeof EcosystemMembers)['registry']>
  readonly pairs: readonly DexPair[]
  readonly sources: readonly SourceRow[]
  readonly rates: readonly ReferenceRate[]
  /** Figures that are held back, by slug and field. */
  readonly quarantine: readonly QuarantineRow[]
  readonly coverage: Omit<z.infer<(typeof CollectorMembers)['coverage']>, 'with_history'>
  readonly freshness: z.infer<(typeof CollectorMembers)['freshness']>
  readonly methodology: Methodology
  readonly nextBuildAt: string
  /** Of the lists. */
  readonly health: Health
  /** Of the ecosystem's rows and of the pools. */
  readonly dexHealth: Health
  /** Of one listing's own documents, by slug. */
  readonly healthOf: ReadonlyMap<string, Health>
}

export interface Setting {
  readonly registry: Registry
  readonly previous: Previous
  readonly now: number
  readonly label: string
  /** When the next run is due, in ms. */
  readonly nextBuildAt: number
}

/** What a run has computed of its sources' answers. */
export interface RunResult extends Pick<Snapshot, 'pairs' | 'sources' | 'rates'> {
  readonly current: readonly Listing[]
}

/** Returns the snapshot of a run: its listings, and those of the last publication that were renamed since. */
export const snapshotOf = (
  { registry, previous, now, label, nextBuildAt }: Omit<Setting, 'registry'> & { readonly registry: EcosystemRegistry },
  { current, pairs, sources, rates }: RunResult,
): Snapshot =>
  snapshotFrom({
    listings: [...current, ...renamed(current, previous)].toSorted(by((row) => row.asset.slug)),
    pairs,
    sources,
    rates,
    members: membersOf(registry),
    now,
    label,
    nextBuildAt,
  })

/** An asset of the publisher's ecosystem, as the registry describes it. */
export type EcosystemMember = Pick<EcosystemRow, 'slug' | 'role' | 'protocol'>

/** Returns the assets of the ecosystem in a registry. */
export const membersOf = ({ assets }: EcosystemRegistry): EcosystemMember[] =>
  assets.flatMap(({ slug, ecosystem }) => (ecosystem ? [{ slug, ...ecosystem }] : []))

/** What a snapshot is made of. */
interface SnapshotRows extends Pick<Snapshot, 'listings' | 'pairs' | 'sources' | 'rates' | 'label'> {
  readonly members: readonly EcosystemMember[]
  /** Time of the run, and when the next is due, in ms since 1970. */
  readonly now: number
  readonly nextBuildAt: number
}

/** Returns the snapshot of these rows: everything else in it is computed from them. */
export function snapshotFrom(rows: SnapshotRows): Snapshot {
  const { listings, pairs, sources, rates, members, now, label, nextBuildAt } = rows
  const listed = listings
    .filter(({ asset }) => asset.listing_status !== 'delisted')
    .toSorted((a, b) => byRank(a.asset, b.asset))
  const assets = listed.map(({ asset }) => asset)
  const ofType = (...types: SourceRow['source_type'][]) =>
    sources.filter(({ source_type }) => types.includes(source_type))
  const bySlug = new Map(listings.map((listing) => [listing.asset.slug, listing]))
  return {
    at: isoOf(now),
    label,
    listings,
    bySlug,
    listed,
    directory: directoryOf(assets),
    categories: categoriesOf(assets),
    venues: venuesOf(listed, sources),
    ...moversOf(assets, now),
    ...ecosystemOf(members, bySlug),
    pairs,
    sources,
    rates,
    quarantine: listings.flatMap(({ asset }) => asset.held.toSorted(by((row) => row.field))),
    coverage: coverageOf(listed),
    freshness: {
      collectedAt: isoOf(now),
      oldestValueAt: assets.flatMap(({ last_updated }) => last_updated ?? []).toSorted()[0] ?? null,
      staleAfter: isoOf(now + FEED_MINUTES * 60_000),
      carriedForward: assets.filter(({ price_basis }) => price_basis.method === 'carried').length,
    },
    methodology: METHODOLOGY,
    nextBuildAt: isoOf(nextBuildAt),
    health: healthFrom(
      ofType('aggregator', 'exchange'),
      assets.some(({ price_usd }) => price_usd !== null),
    ),
    dexHealth: healthFrom(ofType('dex'), pairs.length > 0),
    healthOf: healthOf(listings, sources),
  }
}

/** The health of each listing's own documents, by slug: that of its aggregators and of the sources of its markets. */
export function healthOf(listings: readonly Listing[], sources: readonly SourceRow[]): ReadonlyMap<string, Health> {
  const byId = new Map(sources.map((row) => [row.source_id, row]))
  // The market of a pool has the id of its exchange, which is no source.
  const idOf = new Map(sources.map(({ source_id, source_label }) => [source_label, source_id]))
  return new Map(
    listings.map(({ asset, markets }) => {
      const ids = new Set(Object.keys(asset.external_ids))
      for (const { exchange_id, source_label } of markets) ids.add(idOf.get(source_label) ?? exchange_id)
      return [
        asset.slug,
        healthFrom(
          [...ids].flatMap((id) => byId.get(id) ?? []),
          true,
        ),
      ] as const
    }),
  )
}

/** Documents that lead from a slug that was given up to the one that took its place. */
function renamed(current: readonly Listing[], previous: Previous): Listing[] {
  const taken = new Set(current.map(({ asset }) => asset.slug))
  const successor = new Map(current.flatMap(({ asset }) => asset.aliases.map((alias) => [alias, asset.slug] as const)))
  return [...previous.listings.values()]
    .filter(({ asset }) => !taken.has(asset.slug))
    .map(({ asset }) => ({
      asset: {
        ...asset,
        replaced_by: successor.get(asset.slug) ?? asset.replaced_by,
        listing_status: 'delisted',
        held: [],
      },
      markets: [],
    }))
}

interface EcosystemRegistry {
  readonly assets: readonly Pick<Entry, 'slug' | 'ecosystem'>[]
}

function ecosystemOf(members: readonly EcosystemMember[], bySlug: ReadonlyMap<string, Listing>) {
  const ecosystem = members.flatMap(({ slug, role, protocol }) => {
    const listing = bySlug.get(slug)
    return listing ? [{ ...listing.asset, role, protocol }] : []
  })
  const having = (status: Asset['verification_status']) =>
    ecosystem.filter(({ verification_status }) => verification_status === status).length
  const counts = { verified: having('verified'), unverified: having('unverified'), pending: having('pending') }
  const with_price = ecosystem.filter(({ price_usd }) => price_usd !== null).length
  return { ecosystem, registryCounts: { assets: ecosystem.length, ...counts, flagged: having('flagged'), with_price } }
}

function coverageOf(listed: readonly Listing[]): Snapshot['coverage'] {
  const priced = listed.filter(({ asset }) => asset.price_usd !== null).length
  return {
    listings: listed.length,
    priced,
    priced_percent: listed.length === 0 ? 0 : roundPercent((priced / listed.length) * 100),
    with_two_sources: listed.filter(
      ({ asset, markets }) =>
        Object.keys(asset.external_ids).length + new Set(markets.map(({ exchange_id }) => exchange_id)).size >= 2,
    ).length,
  }
}

/** Returns the names of assets, which are in order of rank. Names that cannot be part of a URL are left out. */
export function directoryOf(assets: readonly Asset[]) {
  const symbols = groupBy(assets, ({ symbol }) => symbolKey(symbol))
  symbols.delete('')
  const contracts: Named<ContractRow>[] = []
  const ids: Named<SourceIdRow>[] = []
  for (const asset of assets) {
    const { slug, symbol, name, verification_status, listing_status } = asset
    for (const { chain, address: spelled, decimals, standard } of asset.contracts) {
      const address = foldedAddress(spelled)
      const row = { address, slug, symbol, name, verification_status, listing_status, decimals, standard }
      contracts.push({ group: chain, key: `${address} ${slug}`, row })
    }
    for (const [source, id] of Object.entries(asset.external_ids)) {
      const row = { id, slug, symbol, name, verification_status, listing_status }
      ids.push({ group: source, key: `${id} ${slug}`, row })
    }
  }
  // Symbols by their key, each group by rank; chains by address; sources by id.
  return { symbols, chains: grouped(contracts), sources: grouped(ids) }
}

/** A row with the group that it belongs to and its place within. */
interface Named<Row> {
  readonly group: string
  readonly key: string
  readonly row: Row
}

const grouped = <Row>(named: readonly Named<Row>[]): ReadonlyMap<string, readonly Row[]> =>
  new Map(
    [...groupBy(named, ({ group }) => group)]
      .filter(([group]) => Chain.safeParse(group).success)
      .map(([group, members]) => [group, members.toSorted(by((row) => row.key)).map(({ row }) => row)]),
  )
