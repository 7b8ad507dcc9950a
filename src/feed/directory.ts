import type { Asset } from '../contract/asset.ts'
import { Chain, type ContractRow, type SourceIdRow } from '../contract/identity.ts'
import { foldedAddress, symbolKey } from '../contract/names.ts'
import { by, groupBy } from '../contract/order.ts'

export type Directory = ReturnType<typeof directoryOf>

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
