import { foldedAddress } from '../core/contract/names.ts'
import type { CallOptions, ClientOptions } from './call.ts'
import { orNull } from './errors.ts'
import type { Methods } from './method-types.ts'
import { methodsOf } from './transport.ts'
import { type PriceAt, priceAtOf } from './price-at.ts'

export type * from './answers.ts'
export type { ClientOptions, Result } from './call.ts'
export type { PastPrice, PastPriceIn } from './price-at.ts'
export { type Holding, type Valuation, type ValuationOptions, valuesOf } from './valuation.ts'
export { ApiError, ClientError, MirrorError, NoMirrorError, NotFoundError, StaleError } from './errors.ts'

/** A token contract on a chain, as `chains` names it. */
interface ContractOf {
  readonly chain: string
  readonly address: string
}

export interface ContractPrice extends ContractOf {
  /** The listing it is of; null if no priced listing has this contract. */
  readonly slug: string | null
  readonly price_usd: number | null
  readonly stale: boolean
}

/** A client of the API with one method per endpoint. */
export interface Client extends Methods {
  /** Returns the price of an asset at a past time from the finest data there is, and says which. */
  readonly priceAt: PriceAt
  /** Returns the prices of token contracts, in their order: one request per chain. */
  readonly pricesByContract: (
    contracts: readonly ContractOf[],
    options?: CallOptions,
  ) => Promise<readonly ContractPrice[]>
}

/**
 * Creates a client of the API.
 *
 * Mirrors are asked in order until one answers with a fresh snapshot: the next one when one fails, is stale, does not have the
 * document or the endpoint, or does not answer within `timeoutMs`. One that failed is asked last for a minute. If none answers,
 * the last good answer is returned with the `failure`. Every method rejects with an `ApiError` if the API refuses
 * (`NotFoundError` if no mirror has the data), with a `NoMirrorError` if no mirror answers, and with the reason of an aborted
 * signal. A listing request that is sent to the next mirror after a failure is not duplicated if both mirrors share a queue.
 *
 * @throws TypeError if there is no mirror, or a mirror's address is not valid
 */
export function createClient(options: ClientOptions): Client {
  const live = methodsOf(options)
  return {
    ...live,
    priceAt: priceAtOf(live, options.now ?? Date.now),
    async pricesByContract(contracts, options = {}) {
      const chains = [...new Set(contracts.map(({ chain }) => chain))]
      const read = async (chain: string) => [chain, await orNull(live.chainPrices(chain, options))] as const
      const answers = new Map(await Promise.all(chains.map(read)))
      return contracts.map(({ chain, address }) => {
        const answer = answers.get(chain)
        const { slug = null, price_usd = null } = answer?.data.prices[foldedAddress(address)] ?? {}
        return { chain, address, slug, price_usd, stale: answer?.stale ?? false }
      })
    },
  }
}
