import type { Facts } from './source.ts'

/** Rate limit of one host. */
export interface Pace {
  /** Reserves and returns the earliest time that the limit allows, not before `now`. */
  book(now: number): number
  /** Postpones all later reservations until `moment`, as the host asked for with Retry-After. */
  hold(moment: number): void
}

/** Creates a limit of `requests` requests in any `perSeconds` seconds. Times are in ms of the caller's clock. */
export function paceOf({ requests, perSeconds }: Facts['pace']): Pace {
  const booked: number[] = []
  let held = -Infinity
  return {
    book(now) {
      const oldest = booked.length < requests ? undefined : booked.shift()
      const moment = Math.max(now, held, oldest === undefined ? -Infinity : oldest + perSeconds * 1000)
      booked.push(moment)
      return moment
    },
    hold(moment) {
      held = Math.max(held, moment)
    },
  }
}
