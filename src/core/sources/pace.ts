import type { Ms } from '../contract/time.ts'
import type { Facts } from './source.ts'

export const HTTP_LIMITS = {
  connectMs: 10_000,
  /** From sending the request to the last header of the answer. */
  headersMs: 15_000,
  /** From the first to the last byte of the body, so that a slow body ends too. */
  bodyMs: 30_000,
  maxBytes: 64 * 2 ** 20,
  maxRatio: 200,
  retries: 3,
  /** Longest wait before the first retry. It doubles with each retry, up to `maxBackoffMs`. */
  backoffMs: 500,
  maxBackoffMs: 15_000,
  redirects: 3,
}
export type HttpLimits = Readonly<typeof HTTP_LIMITS>

export type Pace = ReturnType<typeof paceOf>

export function paceOf({ requests, perSeconds }: Facts['pace']) {
  const booked: number[] = []
  let held = -Infinity
  return {
    book(now: Ms): number {
      const oldest = booked.length < requests ? undefined : booked.shift()
      const moment = Math.max(now, held, oldest === undefined ? -Infinity : oldest + perSeconds * 1000)
      booked.push(moment)
      return moment
    },
    hold(moment: number): void {
      held = Math.max(held, moment)
    },
  }
}
