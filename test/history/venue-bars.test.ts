import { expect, it } from 'vitest'
import type { PastRow } from '../../src/core/contract/observations.ts'
import { venueBars } from '../../src/core/history/answers.ts'
import { answerOf } from './pasts.ts'

const HOUR = 3_600_000
const NOON = Date.UTC(2024, 5, 10, 12)
const AFTER = NOON + 24 * HOUR

const answer = (bars: PastRow['bars'], interval: PastRow['interval'] = '1h') => ({ bars, interval })
const barsBy = ({ bars: own, interval }: ReturnType<typeof answer>, now = AFTER, rate: number | null = 1) =>
  Object.fromEntries(
    (['1h', '4h', '1d'] as const).flatMap((grid) => {
      const bars = [...(venueBars(answerOf(own, { interval, rateAt: () => rate }), now).get(grid) ?? [])]
      return bars.length > 0 ? [[grid, bars]] : []
    }),
  )

const bar = (
  at: number,
  open: number,
  high: number,
  low: number,
  close: number,
  volume = 1,
): PastRow['bars'][number] => [at, close, volume, null, open, high, low]

it('keeps the figures of a bar in dollars, and joins four hours to one bar', () => {
  const hours = [
    bar(NOON, 10, 12, 9, 11, 0.1),
    bar(NOON + HOUR, 11, 15, 11, 14, 0.2),
    bar(NOON + 2 * HOUR, 14, 14, 8, 9, 0.3),
    bar(NOON + 3 * HOUR, 9, 10, 9, 10, 0.4),
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
    Array.from({ length: count }, (_, hour) => bar(NOON + (first + hour) * HOUR, 1, 1, 1, 1))
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
  ['whose high is below its close', bar(NOON, 5, 5, 4, 6)],
  ['whose low is above its open', bar(NOON, 5, 8, 6, 7)],
  ['that begins off the grid', bar(NOON + 60_000, 5, 5, 5, 5)],
] satisfies [string, PastRow['bars'][number]][])('leaves out a bar %s', (_, one) => {
  expect(barsBy(answer([one]))).toEqual({})
})

it('leaves out a joined bar of which one part cannot be read', () => {
  const hours = [0, 1, 2, 3].map((hour) => bar(NOON + hour * HOUR, 1, hour === 2 ? 0.5 : 1, 1, 1))
  const { '1h': own, '4h': joined } = barsBy(answer(hours))
  expect([own?.length, joined]).toEqual([3, undefined])
})

it('leaves out bars in a currency whose rate is unknown, and converts the others', () => {
  const days = answer([bar(NOON - 12 * HOUR, 10, 12, 9, 11)], '1d')
  expect(barsBy(days, AFTER, null)).toEqual({})
  const bars = barsBy(days, AFTER, 2)['1d']
  expect(bars?.[0]?.[1]).toMatchObject({ open_usd: 20, high_usd: 24, low_usd: 18, close_usd: 22 })
})
