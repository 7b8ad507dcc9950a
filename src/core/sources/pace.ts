import type { Ms } from '../contract/time.ts'
import type { Facts } from './source.ts'

export const HTTP_LIMITS = {
  connectMs: 10_000,
  /** From sending the request to the last header of the answer. */
  headersMs: 15_000,
  /** From the first to the last byte of the body, so that a slow body ends too. */
  bodyMs: 30_000,
  /** After decoding. */
  maxBytes: 64 * 2 ** 20,
  /** Decoded to received bytes. */
  maxRatio: 200,
  retries: 3,
  /** Longest wait before the first retry. It doubles with each retry, up to `maxBackoffMs`. */
  backoffMs: 500,
  maxBackoffMs: 15_000,
  redirects: 3,
}
export type HttpLimits = Readonly<typeof HTTP_LIMITS>

export type Pace = ReturnType<typeof paceOf>

/** Creates a limit of `requests` requests in any `perSeconds` seconds. Times are in ms of the caller's clock. */
export function paceOf({ requests, perSeconds }: Facts['pace']) {
  const booked: number[] = []
  let held = -Infinity
  return {
    /** Reserves and returns the earliest time that the limit allows, not before `now`. */
    book(now: Ms): number {
      const oldest = booked.length < requests ? undefined : booked.shift()
      const moment = Math.max(now, held, oldest === undefined ? -Infinity : oldest + perSeconds * 1000)
      booked.push(moment)
      return moment
    },
    /** Postpones all later reservations until `moment`, as the host asked for with Retry-After. */
    hold(moment: number): void {
      held = Math.max(held, moment)
    },
  }
}
