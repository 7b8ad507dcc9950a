import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PastRow } from '../../src/core/contract/observations.ts'
import { areSameStep, believedPart, doubtOf } from '../../src/core/history/believed-bars.ts'

const DAY = 86_400_000
const answerOf = (closes: readonly number[], source_id = 'venue'): PastRow => ({
  source_id,
  kind: 'past',
  slug: 'acme',
  days: 365,
  interval: '1d',
  market: 'ACME/USD',
  quote: 'USD',
  bars: closes.map((close, day) => [day * DAY, close, null, null]),
})
const closesOf = ({ bars }: PastRow) => bars.map(([, close]) => close)

/** Returns the closes that are believed of one source alone. */
function believed(closes: readonly number[], present: number | null): number[] {
  const answer = answerOf(closes)
  const doubt = doubtOf(answer, () => present)
  return closesOf(doubt === null ? answer : believedPart(answer, doubt))
}

describe('the past of one source', () => {
  it.each([
    ['that moves as prices do', [1, 3, 2, 8, 9], 10, [1, 3, 2, 8, 9]],
    ['of another magnitude than the price', [10, 11, 10], 1, []],
    ['that was 730,000 times as high', [730_000, 720_000, 1, 1.1], 1, [1, 1.1]],
    ['that fell by exactly the factor', [10, 1], 1, [1]],
    ['that fell by less', [9.99, 1], 1, [9.99, 1]],
    ['without a known price', [7, 8], null, [7, 8]],
    ['with a close of zero', [1, 0, 1], 1, [1]],
    ['without bars', [], 1, []],
  ] as const)('%s', (_, closes, present, expected) => expect(believed(closes, present)).toEqual(expected))

  it('is believed as a whole where no step is large, and up to the newest large step otherwise', () =>
    fc.assert(
      fc.property(fc.array(fc.constantFrom(1, 2, 5, 40, 900), { minLength: 1 }), (closes) => {
        const kept = believed(closes, closes.at(-1) ?? null)
        expect(closes.slice(closes.length - kept.length)).toEqual(kept)
        for (const [at, close] of kept.entries()) {
          const next = kept[at + 1]
          if (next !== undefined) expect(Math.max(close / next, next / close)).toBeLessThan(10)
        }
      }),
    ))

  it('is confirmed by another source with the same step, and by nothing else', () => {
    const known = () => 1
    const [one, same] = [answerOf([900, 1, 1]), answerOf([1000, 1, 1], 'other')]
    const stepOf = (answer: PastRow) => doubtOf(answer, known) ?? { from: 0, before: 0 }
    expect(areSameStep(one, stepOf(one), same, stepOf(same))).toBe(true)
    for (const other of [
      one,
      answerOf([5000, 1, 1], 'other'),
      answerOf([900, 900, 900, 1], 'other'),
      { ...same, slug: 'b' },
    ])
      expect(areSameStep(one, stepOf(one), other, stepOf(other))).toBe(false)
    const away = answerOf([900, 900], 'other')
    expect(areSameStep(away, stepOf(away), { ...away, source_id: 'third' }, stepOf(away))).toBe(false)
  })
})
