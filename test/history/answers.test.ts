import { describe, expect, it } from 'vitest'
import type { PastBar } from '../../src/core/contract/observations.ts'
import { type PastAnswer, pointsFrom } from '../../src/core/history/answers.ts'
import { answerOf } from './pasts.ts'

const NOON = Date.UTC(2024, 5, 10, 12)
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

type Volume = number | null
const bar = (at: number, close: number, volume_base: Volume = null, volume_quote: Volume = null): PastBar => [
  at,
  close,
  volume_base,
  volume_quote,
]
const dollars = () => 1
const fromCandles = ({ now, bars, ...given }: Answer) => pointsFrom(answerOf(bars, given), now)
const fromInstants = ({ now, bars, ...given }: Omit<Answer, 'rateAt'>) =>
  pointsFrom(answerOf(bars, { ...given, isRolling: true }, 2), now)
interface Answer extends Pick<PastAnswer, 'interval' | 'rateAt'> {
  readonly bars: readonly PastBar[]
  readonly now: number
}
const rowsOf = (prices: ReadonlyMap<number, number>) =>
  [...prices].map(([bucket, price_usd]) => ({ bucket, price_usd }))

describe('the close of a bar', () => {
  it('belongs to the bucket that the bar covers, whatever the order of the bars', () => {
    const bars = [bar(NOON, 7), bar(NOON - 2 * HOUR, 5), bar(NOON - HOUR, 6)]
    expect(rowsOf(fromCandles({ bars, interval: '1h', now: NOON + HOUR, rateAt: dollars }))).toEqual([
      { bucket: NOON - 2 * HOUR, price_usd: 5 },
      { bucket: NOON - HOUR, price_usd: 6 },
      { bucket: NOON, price_usd: 7 },
    ])
  })

  it('belongs to the bucket that the bar ends in, if a venue starts its day at another hour', () => {
    const bars = [bar(NOON - 2 * DAY + 4 * HOUR, 5)]
    const points = fromCandles({ bars, interval: '1d', now: NOON, rateAt: dollars })
    expect([...points.keys()]).toEqual([NOON - DAY - 12 * HOUR])
  })

  it.each([
    ['is not there while the bar is open', NOON + HOUR - 1, []],
    ['is there as soon as the bar has ended', NOON + HOUR, [5]],
  ])('%s', (_, now, closes) => {
    const points = fromCandles({ bars: [bar(NOON, 5)], interval: '1h', now, rateAt: dollars })
    expect([...points.values()]).toEqual(closes)
  })

  it('is converted to dollars at the rate of its own time, and left out if none is known', () => {
    const rateAt = (ms: number) => (ms === NOON + HOUR - 1 ? 2 : null)
    const bars = [bar(NOON - HOUR, 5), bar(NOON, 6)]
    expect([...fromCandles({ bars, interval: '1h', now: NOON + DAY, rateAt })]).toEqual([[NOON, 12]])
  })

  it('is left out where a venue writes 0 for no trade', () => {
    expect(rowsOf(fromCandles({ bars: [bar(NOON, 0)], interval: '1h', now: NOON + DAY, rateAt: dollars }))).toEqual([])
  })
})

it('of several bars in a bucket the last counts', () => {
  const bars = [bar(NOON + 15 * MINUTE, 6), bar(NOON, 5), bar(NOON + 30 * MINUTE, 7)]
  expect(rowsOf(fromCandles({ bars, interval: '30m', now: NOON + HOUR, rateAt: dollars }))).toEqual([
    { bucket: NOON, price_usd: 6 },
    { bucket: NOON + 30 * MINUTE, price_usd: 7 },
  ])
})

it('of several bars with one time the last counts, also if it has no price', () => {
  const bars = [bar(NOON, 5), bar(NOON, 6), bar(NOON + HOUR, 7), bar(NOON + HOUR, 0)]
  expect(rowsOf(fromCandles({ bars, interval: '1h', now: NOON + DAY, rateAt: dollars }))).toEqual([
    { bucket: NOON, price_usd: 6 },
  ])
})

describe('the prices of an aggregator', () => {
  it('belong to the bucket of their time, the last of each', () => {
    const bars = [bar(NOON + 50 * MINUTE, 7, null, 70), bar(NOON + 3000, 6, null, 60), bar(NOON - 1, 5, null, 50)]
    expect(rowsOf(fromInstants({ bars, interval: '1h', now: NOON + DAY }))).toEqual([
      { bucket: NOON - HOUR, price_usd: 5 },
      { bucket: NOON, price_usd: 7 },
    ])
  })

  it.each([
    ['beyond the clock', bar(NOON + 1, 5)],
    ['that are 0', bar(NOON, 0)],
  ])('are left out %s', (_, candle) => {
    expect(rowsOf(fromInstants({ bars: [candle], interval: '1h', now: NOON }))).toEqual([])
  })
})
