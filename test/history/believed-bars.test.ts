import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PastBar } from '../../src/core/contract/observations.ts'
import { doubtOf, heldBars } from '../../src/core/history/believed-bars.ts'
import { answerOf as readable } from './pasts.ts'

const DAY = 86_400_000
const answerOf = (closes: readonly number[], source_id = 'venue') => {
  const bars = closes.map((close, day): PastBar => [day * DAY, close, null, null])
  return { answer: readable(bars, { source_id, days: 365, interval: '1d' }), bars }
}
type Answer = ReturnType<typeof answerOf>

function believedAmong({ answer, bars }: Answer, all: readonly Answer[], present: number | null) {
  const doubts = all.flatMap((one) => {
    const doubt = doubtOf(one, () => present)
    return doubt === null ? [] : [[one.answer, doubt] as const]
  })
  return bars.slice(heldBars(answer, new Map(doubts)))
}

/** Returns the closes that are believed of one source alone. */
function believed(closes: readonly number[], present: number | null): number[] {
  const answer = answerOf(closes)
  return believedAmong(answer, [answer], present).map(([, close]) => close)
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
    const isConfirmed = (answer: Answer, other: Answer) =>
      believedAmong(answer, [answer, other], 1).length === answer.bars.length
    const [one, same] = [answerOf([900, 1, 1]), answerOf([1000, 1, 1], 'other')]
    expect(isConfirmed(one, same)).toBe(true)
    for (const other of [
      one,
      answerOf([5000, 1, 1], 'other'),
      answerOf([900, 900, 900, 1], 'other'),
      { ...same, answer: { ...same.answer, slug: 'b' } },
    ])
      expect(isConfirmed(one, other)).toBe(false)
    const away = answerOf([900, 900], 'other')
    expect(isConfirmed(away, answerOf([900, 900], 'third'))).toBe(false)
  })
})
