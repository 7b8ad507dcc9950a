import type { Asset } from '../contract/asset.ts'
import type { ReferenceRate, SourceRow } from '../contract/collector.ts'
import type { DexPair } from '../contract/ecosystem.ts'
import { ChainId, type ContractRow, type SourceIdRow } from '../contract/identity.ts'
import { foldedAddress, symbolKey } from '../contract/names.ts'
import { by, groupBy } from '../contract/order.ts'
import type { QuarantineRow } from '../contract/quarantine.ts'
import type { Listing, Previous } from './listing.ts'
import { byRank } from './rank.ts'
import { categoriesOf } from './totals.ts'

/** The rows of a publication that the rest of its snapshot is computed from. */
export interface SnapshotRows {
  readonly at: string
  /** Every listing with a document of its own, delisted and renamed ones too, by slug. */
  readonly listings: readonly Listing[]
  readonly pairs: readonly DexPair[]
  readonly sources: readonly SourceRow[]
  readonly rates: readonly ReferenceRate[]
}

export type Snapshot = ReturnType<typeof snapshotFrom>

/** Returns the snapshot of a run: its listings, and those of the last publication that were renamed since. */
export const snapshotOf = (previous: Previous, { listings: current, ...rows }: SnapshotRows): Snapshot => {
  const listings = [...current, ...renamed(current, previous)].toSorted(by((row) => row.asset.slug))
  return snapshotFrom({ ...rows, listings })
}

/** Returns the snapshot of these rows: everything else in it is computed from them. */
export function snapshotFrom(rows: SnapshotRows) {
  // By rank, unranked last, then by slug. Its length is `total` everywhere.
  const listed = rows.listings
    .filter(({ asset }) => asset.listing_status !== 'delisted')
    .toSorted((a, b) => byRank(a.asset, b.asset))
  const assets = listed.map(({ asset }) => asset)
  const bySlug = new Map(rows.listings.map((listing) => [listing.asset.slug, listing]))
  // Figures that are held back, by slug and field.
  const quarantine: readonly QuarantineRow[] = rows.listings.flatMap(({ asset }) =>
    asset.held.toSorted(by((row) => row.field)),
  )
  return { ...rows, listed, bySlug, quarantine, directory: directoryOf(assets), categories: categoriesOf(assets) }
}

function renamed(current: readonly Listing[], previous: Previous): Listing[] {
  const taken = new Set(current.map(({ asset }) => asset.slug))
  const successor = new Map(current.flatMap(({ asset }) => asset.aliases.map((alias) => [alias, asset.slug] as const)))
  return [...previous.listings.values()]
    .filter(({ asset }) => !taken.has(asset.slug))
    .map(({ asset }) => {
      const replaced_by = successor.get(asset.slug) ?? asset.replaced_by
      return {
        asset: { ...asset, replaced_by, listing_status: 'delisted', market_cap_rank: null, held: [] },
        markets: [],
      }
    })
}

/** Returns the names of assets, which are in order of rank. Names that cannot be part of a URL are left out. */
export function directoryOf(assets: readonly Asset[]) {
  const symbols = groupBy(assets, ({ symbol }) => symbolKey(symbol))
  symbols.delete('')
  const contracts = assets.flatMap(({ slug, symbol, name, verification_status, listing_status, contracts }) =>
    contracts.map(({ chain, address: spelled, decimals, standard }) => {
      const address = foldedAddress(spelled)
      const row = { address, slug, symbol, name, verification_status, listing_status, decimals, standard }
      return { group: chain, key: `${address} ${slug}`, row }
    }),
  )
  const ids = assets.flatMap(({ slug, symbol, name, verification_status, listing_status, external_ids }) =>
    Object.entries(external_ids).map(([source, id]) => {
      const row = { id, slug, symbol, name, verification_status, listing_status }
      return { group: source, key: `${id} ${slug}`, row }
    }),
  )
  // Symbols by their key, each group by rank; chains by address; sources by id.
  return { symbols, chains: grouped<ContractRow>(contracts), sources: grouped<SourceIdRow>(ids) }
}

const grouped = <Row>(named: readonly { readonly group: string; readonly key: string; readonly row: Row }[]) =>
  new Map(
    [...groupBy(named, ({ group }) => group)]
      .filter(([group]) => ChainId.safeParse(group).success)
      .map(([group, members]) => [group, members.toSorted(by((row) => row.key)).map(({ row }) => row)]),
  )
