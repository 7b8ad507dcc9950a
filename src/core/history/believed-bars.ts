import { type Ms, INTERVAL_MS } from '../contract/time.ts'
import type { PastRow } from '../contract/observations.ts'
import { type PastAnswer, startsOf } from './answers.ts'
import { barsFor } from './grid.ts'

export const PAST_WITNESS = {
  rule:
    'Bars of one source are taken while each is within `step_factor` of the next younger one, and the youngest within ' +
    '`known_factor` of the next price that is known of the `known_hours` after it. Those before a larger step are held ' +
    'back until another source has the same step, within `agreement_factor`, in the same run.',
  known_factor: 5,
  known_hours: 48,
  step_factor: 10,
  agreement_factor: 1.5,
} as const

/** From where on the bars of an answer are believed. */
export interface Doubt {
  /** Start of the oldest believed bar; Infinity: none is believed. */
  readonly from: Ms
  /** Close of the bar before it, in the currency of the answer. */
  readonly before: number
}

/** How many times one price is the other, whichever is larger. Infinity if one of them is no price. */
export const factorOf = (a: number, b: number): number => (a > 0 && b > 0 ? Math.max(a / b, b / a) : Infinity)

/**
 * Returns from where on the bars of an answer are believed; null if all of them are.
 *
 * @param knownAfter the first known price of the listing after a time in ms since 1970, in US dollars; null: none is known
 *   soon after it. The quote currencies of past prices are dollars
 */
export function doubtOf({ bars }: Pick<PastRow, 'bars'>, knownAfter: (ms: Ms) => number | null): Doubt | null {
  const last = bars.findLastIndex((bar, place) => {
    const younger = bars[place + 1]
    const next = younger ? younger[1] : (knownAfter(bar[0]) ?? bar[1])
    return factorOf(bar[1], next) >= (younger ? PAST_WITNESS.step_factor : PAST_WITNESS.known_factor)
  })
  const before = bars[last]
  return before ? { from: bars[last + 1]?.[0] ?? Infinity, before: before[1] } : null
}

/** Returns how many bars of an answer, the oldest ones, are held back. @param doubts about this answer and others */
export function heldBars(answer: PastAnswer, doubts: ReadonlyMap<PastAnswer, Doubt>): number {
  const doubt = doubts.get(answer)
  if (!doubt) return 0
  const isConfirmed = [...doubts].some(
    ([other, its]) =>
      other.slug === answer.slug &&
      other.source_id !== answer.source_id &&
      Math.abs(doubt.from - its.from) <= INTERVAL_MS[barsFor(answer.interval)] &&
      factorOf(doubt.before, its.before) <= PAST_WITNESS.agreement_factor,
  )
  return isConfirmed ? 0 : startsOf(answer).filter((at) => at < doubt.from).length
}
