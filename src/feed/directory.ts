import { group } from 'd3-array'
import type { Asset } from '../contract/asset.ts'
import { Chain, type ContractRow, type SourceIdRow } from '../contract/identity.ts'
import { foldedAddress, symbolKey } from '../contract/names.ts'

/** Which listings a name stands for. Rows are assets: an endpoint's schema leaves out what it does not show. */
export interface Directory {
  /** By the key of the symbol, each group by rank. */
  readonly symbols: ReadonlyMap<string, readonly Asset[]>
  /** By chain, each group by address. */
  readonly chains: ReadonlyMap<string, readonly ContractRow[]>
  /** By source, each group by id. */
  readonly sources: ReadonlyMap<string, readonly SourceIdRow[]>
}

/** The names of these assets, which come by rank. Those that cannot stand in an address are left out. */
export function directoryOf(assets: readonly Asset[]): Directory {
  const symbols = group(assets, ({ symbol }) => symbolKey(symbol))
  symbols.delete('')
  const contracts = assets.flatMap((asset) =>
    asset.contracts.map(({ chain, address, decimals, standard }) => ({
      group: chain,
      row: { ...asset, address: foldedAddress(address), decimals, standard },
    })),
  )
  const ids = assets.flatMap((asset) =>
    Object.entries(asset.external_ids).map(([source, id]) => ({ group: source, row: { ...asset, id } })),
  )
  return {
    symbols,
    chains: grouped(contracts, (row) => `${row.address} ${row.slug}`),
    sources: grouped(ids, (row) => `${row.id} ${row.slug}`),
  }
}

function grouped<Row>(
  named: readonly { readonly group: string; readonly row: Row }[],
  keyOf: (row: Row) => string,
): ReadonlyMap<string, readonly Row[]> {
  const addressable = named.filter(({ group }) => Chain.safeParse(group).success)
  const ascending = (a: Row, b: Row) => (keyOf(a) < keyOf(b) ? -1 : 1)
  return new Map(
    [...group(addressable, ({ group }) => group)].map(([group, members]) => [
      group,
      members.map(({ row }) => row).toSorted(ascending),
    ]),
  )
}
