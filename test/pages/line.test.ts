import { describe, expect, it } from 'vitest'
import { chartGridOf, pathOf } from '../../src/pages/line.ts'
import { weekOf } from '../../src/pages/figures.tsx'
import { answer, at, point } from './series-answer.ts'

/** The heights of the points of a sparkline, from its upper edge. */
const heightsOf = (...prices: readonly (number | null)[]): number[] =>
  [...(pathOf(prices, { width: 112, height: 32 }, 0.01) ?? '').matchAll(/[ML][\d.]+ ([\d.]+)/g)].map(([, height]) =>
    Number(height),
  )

describe('a sparkline', () => {
  it('uses its whole height for what moves', () => expect(heightsOf(100, 110, 90)).toEqual([16, 2, 30]))

  it('of a stablecoin is calm', () => {
    const heights = heightsOf(1, 1.0008, 0.9993, 1.0002)
    expect(Math.max(...heights) - Math.min(...heights)).toBeLessThan(5)
  })

  it('of one price that never changes is a line in the middle', () => expect(heightsOf(1, 1)).toEqual([16, 16]))

  it('breaks where values are missing for long', () =>
    expect(pathOf([1, 2, 3, 4, null, null, null, null, 5], { width: 112, height: 32 })?.match(/M/g)).toHaveLength(2))

  it('needs two known prices', () => expect(pathOf([null, 1, null], { width: 112, height: 32 })).toBeNull())
})

describe('a range', () => {
  it('has a place for every step, and a gap where a row is missing', () => {
    const { times, at: rows } = chartGridOf(answer)
    expect(rows.map((row) => row?.price_usd ?? null)).toEqual([2, 4, null, null, 3])
    expect(times.map((time) => new Date(time).toISOString())).toEqual(
      [0, 1, 2, 3, 4].map((hour) => at(hour).replace('Z', '.000Z')),
    )
  })

  it('without a row is empty', () =>
    expect(chartGridOf({ ...answer, rows: [], to: null })).toEqual({ times: [], at: [] }))

  it('that begins late has no empty frame before it', () =>
    expect(chartGridOf({ ...answer, rows: [point(2, 2), point(3, 4), point(4, 3)] }).at).toHaveLength(3))
})

it('a line of a week begins where its published change is measured from, and so rises exactly if that is positive', () => {
  const sparkline_7d = [120, 110, null, 101]
  const week = weekOf(99, -1, sparkline_7d)
  expect(week).toEqual([expect.closeTo(100), 110, null, 101, 99])
  expect(weekOf(99, null, sparkline_7d)).toEqual([120, 110, null, 101, 99])
  expect(weekOf(null, null, sparkline_7d)).toEqual(sparkline_7d)
})
