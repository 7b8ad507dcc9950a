import type { TokenContract } from '../contract/asset.ts'
import { groupBy } from '../contract/order.ts'

export const contractKey = ({ chain, address }: Pick<TokenContract, 'chain' | 'address'>): string =>
  `${chain} ${address}`

export const shareContract = (a: readonly TokenContract[], b: readonly TokenContract[]): boolean => {
  const known = new Set(b.map(contractKey))
  return a.some((contract) => known.has(contractKey(contract)))
}

/** Whether both name a contract on some chain, and on no such chain the same one. */
export const contractsDiffer = (a: readonly TokenContract[], b: readonly TokenContract[]): boolean => {
  const chains = new Set(b.map(({ chain }) => chain))
  const shared = a.filter(({ chain }) => chains.has(chain))
  return shared.length > 0 && !shareContract(shared, b)
}

export function byContract<Row>(rows: readonly Row[], contractsOf: (row: Row) => readonly TokenContract[]) {
  const named = rows.flatMap((row) => [...new Set(contractsOf(row).map(contractKey))].map((key) => ({ key, row })))
  return new Map([...groupBy(named, ({ key }) => key)].map(([key, own]) => [key, own.map(({ row }) => row)]))
}

/** The owner of each contract, by its key; null for a contract claimed by two, which identifies neither. */
export const ownersOf = <Owner>(...given: Parameters<typeof byContract<Owner>>): ReadonlyMap<string, Owner | null> =>
  new Map(
    [...byContract(...given)].map(([key, [owner, ...others]]) => [key, others.length > 0 ? null : (owner ?? null)]),
  )

/** Each contract once, with its decimals where any of its rows has them. */
export function distinct(contracts: readonly TokenContract[]): TokenContract[] {
  const unique = new Map<string, TokenContract>()
  for (const contract of contracts) {
    const key = contractKey(contract)
    const known = unique.get(key)
    unique.set(key, known ? { ...known, decimals: known.decimals ?? contract.decimals } : contract)
  }
  return [...unique.values()]
}
