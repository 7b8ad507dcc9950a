import { exchangeOver } from './request.ts'
import { type Methods, methodsOf } from './methods.ts'
import { mirrorAt } from './mirror.ts'
import { transportOver } from './transport.ts'

export type * from './answers.ts'
export type { CallOptions, Result, Sent } from './call.ts'
export {
  ApiError,
  ClientError,
  MirrorError,
  type MirrorFault,
  NoMirrorError,
  NotFoundError,
  StaleError,
} from './errors.ts'

/** How a client is set up. */
export interface ClientOptions {
  /** Addresses of hosts of one tree, the best first: what stands before `/api/mkt`. In a page, they may be relative. */
  readonly mirrors: string | readonly string[]
  /** That of the platform, unless told. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** How long one mirror may take for one answer, 10 s unless told. */
  readonly timeoutMs?: number | undefined
  /** Data that has been out of date for longer is refused, and the next mirror asked. Any is taken, unless told. */
  readonly maxStaleMs?: number | undefined
  /** How many answers are kept, to be asked for only if they changed: 100 unless told. */
  readonly cacheSize?: number | undefined
  /** Time of day in ms since 1970. */
  readonly now?: (() => number) | undefined
}

/** A client of the API: one method an endpoint. */
export type Client = Methods

/**
 * Makes a client of the API.
 *
 * Mirrors are asked in their order until one answers: one that cannot be reached, takes too long, says something else than
 * the API would or is too old is passed over, and left alone for a while. Every method rejects with an `ApiError` when the
 * API refuses (`NotFoundError` for what is not there), with a `NoMirrorError` when no mirror answers, and with the reason
 * of a signal that ends it. A body that is sent again to the next mirror makes no second request where both lead to one
 * queue: it has the same name there.
 *
 * @throws TypeError when there is no mirror, or its address is none
 */
export function createClient({
  mirrors,
  fetch = (...request) => globalThis.fetch(...request),
  timeoutMs = 10_000,
  maxStaleMs = Infinity,
  cacheSize = 100,
  now = Date.now,
}: ClientOptions): Client {
  const hosts = [mirrors].flat().map(mirrorAt)
  if (hosts.length === 0) throw new TypeError('A client needs a mirror')
  return methodsOf(
    transportOver({ mirrors: hosts, exchange: exchangeOver({ fetch, timeoutMs, cacheSize }), maxStaleMs, now }),
  )
}
