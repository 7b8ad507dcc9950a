import { foldedAddress } from '../core/contract/names.ts'
import { orNull } from './errors.ts'
import type { Methods } from './methods.ts'

/** A token contract on a chain, as `chains` names it. */
export interface ContractOf {
  readonly chain: string
  readonly address: string
}

/** The price of a token contract. */
export interface ContractPrice extends ContractOf {
  /** The listing it is of; null if no priced listing has this contract. */
  readonly slug: string | null
  readonly price_usd: number | null
  readonly stale: boolean
}

/** Returns the prices of token contracts, in their order: one request per chain. */
export type PricesByContract = ReturnType<typeof pricesByContractOf>

export const pricesByContractOf =
  ({ chainPrices }: Pick<Methods, 'chainPrices'>) =>
  async (
    contracts: readonly ContractOf[],
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<readonly ContractPrice[]> => {
    const chains = [...new Set(contracts.map(({ chain }) => chain))]
    const read = async (chain: string) => [chain, await orNull(chainPrices(chain, { signal }))] as const
    const answers = new Map(await Promise.all(chains.map(read)))
    return contracts.map(({ chain, address }) => {
      const answer = answers.get(chain)
      const { slug = null, price_usd = null } = answer?.data.prices[foldedAddress(address)] ?? {}
      return { chain, address, slug, price_usd, stale: answer?.stale ?? false }
    })
  }
