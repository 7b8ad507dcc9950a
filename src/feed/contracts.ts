import type { TokenContract } from '../contract/asset.ts'

/** One text for a contract, to look it up by. */
export const contractKey = ({ chain, address }: Pick<TokenContract, 'chain' | 'address'>): string =>
  `${chain} ${address}`

/** Whether both name a contract on some chain, and on no such chain the same one. */
export const contractsDiffer = (a: readonly TokenContract[], b: readonly TokenContract[]): boolean => {
  const chains = new Set(b.map(({ chain }) => chain))
  const shared = a.filter(({ chain }) => chains.has(chain))
  const known = new Set(b.map(contractKey))
  return shared.length > 0 && !shared.some((contract) => known.has(contractKey(contract)))
}

/** The owner of each contract, by its key; null for a contract claimed by two, which identifies neither. */
export function ownersOf<Owner>(
  owners: readonly Owner[],
  contractsOf: (owner: Owner) => readonly TokenContract[],
): ReadonlyMap<string, Owner | null> {
  const known = new Map<string, Owner | null>()
  for (const owner of owners)
    for (const key of new Set(contractsOf(owner).map(contractKey))) known.set(key, known.has(key) ? null : owner)
  return known
}
