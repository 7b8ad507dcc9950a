import { describe, expect, it } from 'vitest'
import { pathOf } from '../../src/pages/line.ts'

const pointsOf = (prices: readonly (number | null)[]) =>
  prices.flatMap((price, at) => (price === null ? [] : [{ at, price }]))

/** The heights of the points of a sparkline, from its upper edge. */
const heightsOf = (...prices: readonly (number | null)[]): number[] =>
  [...(pathOf(pointsOf(prices), [112, 32], 0.01) ?? '').matchAll(/[ML][\d.]+ ([\d.]+)/g)].map(([, height]) =>
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
    expect(pathOf(pointsOf([1, 2, 3, 4, null, null, null, null, 5]), [112, 32])?.match(/M/g)).toHaveLength(2))

  it('needs two known prices', () => expect(pathOf(pointsOf([null, 1, null]), [112, 32])).toBeNull())
})
