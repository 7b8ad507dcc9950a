import { PREFIX } from '../contract/prefix.ts'
import { type RequestEvent, httpClient } from './request.ts'
import type { Methods } from './methods.ts'
import { methodsOf } from './conversion.ts'
import { mirrorAt } from './mirror.ts'
import { type PriceAt, priceAtOf } from './price-at.ts'
import { type PricesByContract, pricesByContractOf } from './prices-by-contract.ts'
import { mirrorTransport } from './transport.ts'

export type * from './answers.ts'
export type { CallOptions, Result, Sent } from './call.ts'
export type { PastPrice, PastPriceIn, PastRate, PriceAt, PriceAtOptions } from './price-at.ts'
export type { ContractOf, ContractPrice } from './prices-by-contract.ts'
export type { RequestEvent } from './request.ts'
export { type Holding, type Valuation, type ValuationOptions, valuesOf } from './valuation.ts'
export {
  ApiError,
  ClientError,
  MirrorError,
  type MirrorFault,
  NoMirrorError,
  NotFoundError,
  StaleError,
} from './errors.ts'

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
  /** How often all mirrors are asked again if none answers, after 0.5 s and twice as long each time. None by default. */
  readonly retries?: number | undefined
  /** Called with each request when it has ended, for logs and metrics. */
  readonly onRequest?: ((event: RequestEvent) => void) | undefined
  /** Maximum number of cached answers, for conditional requests and as last good ones, 100 by default. */
  readonly cacheSize?: number | undefined
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

const CDNS = ['https://cdn.jsdelivr.net/npm/', 'https://unpkg.com/']

/** Returns a URL, followed by those of the same package at other CDNs for npm. */
function copiesOf(url: string): readonly string[] {
  const base = ['npm:', ...CDNS].find((one) => url.startsWith(one))
  const all = base ? CDNS.map((cdn) => cdn + url.slice(base.length)) : [url]
  return all.toSorted((a, b) => +(b === url) - +(a === url))
}

/**
 * Creates a client of the API.
 *
 * Mirrors are asked in order until one answers with a fresh snapshot: the next one when one fails, is stale, or does not answer
 * within `timeoutMs`. A mirror that is unreachable, invalid or too old is paused for a while. If none answers, the last good
 * answer is returned with the `failure`. Every method rejects with an `ApiError` if the API refuses (`NotFoundError` for missing data), with
 * a `NoMirrorError` if no mirror answers, and with the reason of an aborted signal. A listing request that is sent to the
 * next mirror after a failure is not duplicated if both mirrors share a queue.
 *
 * @throws TypeError if there is no mirror, or a mirror's URL is invalid
 */
export function createClient({
  mirrors,
  prefix = PREFIX,
  fetch = (...request) => globalThis.fetch(...request),
  timeoutMs = 10_000,
  maxStaleMs = Infinity,
  retries,
  onRequest,
  cacheSize = 100,
  now = Date.now,
}: ClientOptions): Client {
  const given = [mirrors].flat().map(copiesOf)
  const hosts = [...given.flatMap(([own = '']) => own), ...given.flatMap(([, ...others]) => others)].map((url) =>
    mirrorAt(url, prefix),
  )
  if (hosts.length === 0) throw new TypeError('A client needs a mirror')
  const http = httpClient({ fetch, timeoutMs, cacheSize, onRequest })
  const live = methodsOf(mirrorTransport({ http, maxStaleMs, retries, keep: cacheSize, now, mirrors: hosts }))
  return { ...live, priceAt: priceAtOf(live, now), pricesByContract: pricesByContractOf(live) }
}
