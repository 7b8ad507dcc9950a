import { PREFIX } from '../core/contract/prefix.ts'
import { type RequestEvent, httpClient } from './request.ts'
import type { Methods } from './methods.ts'
import { methodsOf } from './conversion.ts'
import { mirrorsAt } from './mirror.ts'
import { type PriceAt, priceAtOf } from './price-at.ts'
import { type PricesByContract, pricesByContractOf } from './prices-by-contract.ts'
import { mirrorTransport } from './transport.ts'

export type * from './answers.ts'
export type { Result } from './call.ts'
export type { PastPrice, PastPriceIn } from './price-at.ts'
export type { ContractPrice } from './prices-by-contract.ts'
export { type Holding, type Valuation, type ValuationOptions, valuesOf } from './valuation.ts'
export { ApiError, ClientError, MirrorError, NoMirrorError, NotFoundError, StaleError } from './errors.ts'

/** Options of a client. */
export interface ClientOptions {
  /**
   * Base URLs of hosts of one tree, without the prefix, in order of preference. On a page they may be relative. A package,
   * `npm:<package>` or its address at jsDelivr or unpkg, is asked for at the other of them too, after all.
   */
  readonly mirrors: string | readonly string[]
  /** Path of the API on its hosts, such as `/v1/quotes`; `/api/mkt` by default. */
  readonly prefix?: string | undefined
  /** The global `fetch` by default. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Timeout per mirror and answer, 10 s by default. */
  readonly timeoutMs?: number | undefined
  /** Data that has been stale for longer is refused, and the next mirror is asked. No limit by default. */
  readonly maxStaleMs?: number | undefined
  /** Called with each request when it has ended, for logs and metrics. */
  readonly onRequest?: ((event: RequestEvent) => void) | undefined
  /** Time of day in ms since 1970. */
  readonly now?: (() => number) | undefined
}

/** A client of the API with one method per endpoint. */
export interface Client extends Methods {
  /** Returns the price of an asset at a past time from the finest data there is, and says which. */
  readonly priceAt: PriceAt
  /** Returns the prices of token contracts, in their order: one request per chain. */
  readonly pricesByContract: PricesByContract
}

/** Maximum number of last good answers. */
const KEPT_ANSWERS = 100

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
export function createClient({
  mirrors,
  prefix = PREFIX,
  fetch = (...request) => globalThis.fetch(...request),
  timeoutMs = 10_000,
  maxStaleMs = Infinity,
  onRequest,
  now = Date.now,
}: ClientOptions): Client {
  const http = httpClient({ fetch, timeoutMs, onRequest })
  const live = methodsOf(
    mirrorTransport({ http, maxStaleMs, keep: KEPT_ANSWERS, now, mirrors: mirrorsAt(mirrors, prefix) }),
  )
  return { ...live, priceAt: priceAtOf(live, now), pricesByContract: pricesByContractOf(live) }
}
