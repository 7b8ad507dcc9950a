import type { TokenContract } from '../contract/asset.ts'
import { groupBy } from '../contract/order.ts'
import { namesAlike } from '../registry/name-words.ts'
import type { Registry } from '../registry/registry.ts'
import type { Currency } from '../sources/source.ts'
import { contractKey, contractsDiffer, ownersOf, shareContract } from './contracts.ts'
import type { Acquaintance } from './exchange-listings.ts'
import { type Identity, namesOf } from './identify.ts'
import type { KnownSymbols } from './match.ts'

/** An identity with everything that a list may know it by. */
type Described = ReturnType<typeof describedOf>

export type ContractsOf = (slug: string) => readonly TokenContract[]

/** What the venues' own lists of currencies say about their symbols, as evidence for matching. */
export function venueLists(
  identities: readonly Identity[],
  contractsOf: ContractsOf,
  registry: Registry,
  { lists }: Acquaintance,
): Required<Pick<KnownSymbols, 'identified' | 'contradicts'>> {
  if (lists.size === 0) return { identified: () => null, contradicts: () => false }
  const all = identities.map((identity) => describedOf(identity, contractsOf(identity.slug)))
  const bySlug = new Map(all.map((one) => [one.slug, one]))
  const bySymbol = groupBy(all, ({ symbol }) => symbol)
  const byContract = ownersOf(all, ({ contracts }) => contracts)
  const rowOf = (venue: string, symbol: string) => {
    const row = lists.get(venue)?.get(symbol)
    return row ? { row, contracts: registry.contractsSeen(venue, row.contracts) } : null
  }
  return {
    identified(venue, symbol) {
      const own = rowOf(venue, symbol)
      if (own === null) return null
      const { row, contracts } = own
      const holders = new Set(contracts.flatMap((contract) => byContract.get(contractKey(contract)) ?? []))
      // A contract of another name and symbol is a wrapped form, or a mistake, and no evidence.
      const [holder, ...more] = [...holders].filter((one) => one.symbol === symbol || isNamed(row, one))
      if (holder) return more.length > 0 ? null : { slug: holder.slug, matched_by: 'contract' }
      if (holders.size > 0) return null
      const [only, ...others] = (bySymbol.get(symbol) ?? []).filter(
        (one) => isNamed(row, one) && !contractsDiffer(contracts, one.contracts),
      )
      return only && others.length === 0 ? { slug: only.slug, matched_by: 'name' } : null
    },
    contradicts(venue, symbol, slug) {
      const own = rowOf(venue, symbol)
      const asset = bySlug.get(slug)
      if (own === null || asset === undefined) return false
      if (shareContract(own.contracts, asset.contracts)) return false
      if (contractsDiffer(own.contracts, asset.contracts)) return true
      const { name } = own.row
      const said = asset.names.filter((one) => one.toUpperCase() !== symbol)
      return name !== null && said.length > 0 && !said.some((one) => namesAlike(name, one))
    },
  }
}

const isNamed = ({ name }: Currency, { names }: Described): boolean =>
  name !== null && names.some((one) => namesAlike(name, one))

function describedOf(identity: Identity, contracts: readonly TokenContract[]) {
  const known = namesOf(identity)
  const symbol = (known[0]?.symbol ?? '').toUpperCase()
  return { slug: identity.slug, symbol, names: known.map(({ name }) => name), contracts }
}
