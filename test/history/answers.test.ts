import { describe, expect, it } from 'vitest'
import type { PastBar, PastRow } from '../../src/core/contract/observations.ts'
import { type PastAnswer, pointsFrom, venueBars } from '../../src/core/history/answers.ts'
import { answerOf } from './pasts.ts'

const NOON = Date.UTC(2024, 5, 10, 12)
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

type Volume = number | null
const bar = (...[at, close, base = null, quote = null]: [number, number, Volume?, Volume?]): PastBar => [
  at,
  close,
  base,
  quote,
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

const AFTER = NOON + DAY

const answer = (bars: PastRow['bars'], interval: PastRow['interval'] = '1h') => ({ bars, interval })
const barsBy = ({ bars: own, interval }: ReturnType<typeof answer>, now = AFTER, rate: number | null = 1) =>
  Object.fromEntries(
    (['1h', '4h', '1d'] as const).flatMap((grid) => {
      const columns = venueBars(answerOf(own, { interval, rateAt: () => rate }), grid, now)
      const bars = columns.buckets('close_usd').map((start) => [start, columns.row(start)] as const)
      return bars.length > 0 ? [[grid, bars]] : []
    }),
  )

type Figures = [at: number, open: number, high: number, low: number, close: number, volume?: number]
const barOf = (...[at, open, high, low, close, volume = 1]: Figures): PastBar => [
  at,
  close,
  volume,
  null,
  open,
  high,
  low,
]

it('keeps the figures of a bar in dollars, and joins four hours to one bar', () => {
  const hours = [
    barOf(NOON, 10, 12, 9, 11, 0.1),
    barOf(NOON + HOUR, 11, 15, 11, 14, 0.2),
    barOf(NOON + 2 * HOUR, 14, 14, 8, 9, 0.3),
    barOf(NOON + 3 * HOUR, 9, 10, 9, 10, 0.4),
  ]
  const { '1h': own, '4h': joined } = barsBy(answer(hours))
  const figures = (open_usd: number, high_usd: number, low_usd: number, close_usd: number, volume_base: number) => {
    return { open_usd, high_usd, low_usd, close_usd, volume_base, volume_usd: Number.NaN }
  }
  expect(own?.[0]).toEqual([NOON, figures(10, 12, 9, 11, 0.1)])
  expect(own).toHaveLength(4)
  expect(joined).toEqual([[NOON, figures(10, 15, 8, 10, 1)]])
})

it('joins no bar whose hours it may not have in full', () => {
  const from = (first: number, count: number) =>
    Array.from({ length: count }, (_, hour) => barOf(NOON + (first + hour) * HOUR, 1, 1, 1, 1))
  // It begins within the bar, it ends within it, and the last hour is still open.
  expect(barsBy(answer(from(1, 3)))['4h']).toBe(undefined)
  expect(barsBy(answer(from(0, 3)))['4h']).toBe(undefined)
  expect(barsBy(answer(from(0, 4)), NOON + 4 * HOUR - 1)['4h']).toBe(undefined)
  expect(barsBy(answer(from(0, 4)), NOON + 4 * HOUR)['4h']).toHaveLength(1)
  // An hour without trades has no bar at some venues.
  expect(barsBy(answer(from(0, 8).filter((_, hour) => hour !== 1)))['4h']).toHaveLength(2)
})

it.each([
  ['of a source with one price a bar', [NOON, 5, 1, null]],
  ['whose high is below its close', barOf(NOON, 5, 5, 4, 6)],
  ['whose low is above its open', barOf(NOON, 5, 8, 6, 7)],
  ['that begins off the grid', barOf(NOON + 60_000, 5, 5, 5, 5)],
] satisfies [string, PastBar][])('leaves out a bar %s', (_, one) => {
  expect(barsBy(answer([one]))).toEqual({})
})

it('leaves out a joined bar of which one part cannot be read', () => {
  const hours = [0, 1, 2, 3].map((hour) => barOf(NOON + hour * HOUR, 1, hour === 2 ? 0.5 : 1, 1, 1))
  const { '1h': own, '4h': joined } = barsBy(answer(hours))
  expect([own?.length, joined]).toEqual([3, undefined])
})

it('leaves out bars in a currency whose rate is unknown, and converts the others', () => {
  const days = answer([barOf(NOON - 12 * HOUR, 10, 12, 9, 11)], '1d')
  expect(barsBy(days, AFTER, null)).toEqual({})
  const bars = barsBy(days, AFTER, 2)['1d']
  expect(bars?.[0]?.[1]).toMatchObject({ open_usd: 20, high_usd: 24, low_usd: 18, close_usd: 22 })
})
