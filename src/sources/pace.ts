import type { Facts } from './source.ts'

/** A calendar of the moments at which one host may be asked. */
export interface Pace {
  /** Books the earliest moment the pace allows, not before `now`. */
  book(now: number): number
  /** Puts off everything that is booked from here on until `moment`: the host asked for a rest. */
  hold(moment: number): void
}

/** At most `requests` moments in any `perSeconds` seconds. Times are ms of whatever clock the caller reads. */
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
