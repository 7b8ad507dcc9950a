import { describe, expect, it } from 'vitest'
import { sparkPath } from '../../src/pages/spark.tsx'

/** The heights of the points of a sparkline, from its upper edge. */
const heightsOf = (...prices: readonly (number | null)[]): number[] =>
  [...(sparkPath(prices) ?? '').matchAll(/[ML][\d.]+ ([\d.]+)/g)].map(([, height]) => Number(height))

describe('a sparkline', () => {
  it('uses its whole height for what moves', () => expect(heightsOf(100, 110, 90)).toEqual([16, 2, 30]))

  it('of a stablecoin is calm', () => {
    const heights = heightsOf(1, 1.0008, 0.9993, 1.0002)
    expect(Math.max(...heights) - Math.min(...heights)).toBeLessThan(5)
  })

  it('of one price that never changes is a line in the middle', () => expect(heightsOf(1, 1)).toEqual([16, 16]))

  it('needs two known prices', () => expect(sparkPath([null, 1, null])).toBeNull())
})
