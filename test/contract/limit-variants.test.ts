import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { limitVariants, variantHolding } from '../../src/core/contract/limit-variants.ts'

it.each([
  [0, [10]],
  [9, [10]],
  [10, [10]],
  [99, [10, 20, 25, 50]],
  [3_012, [10, 20, 25, 50, 100, 250, 500, 1000]],
])('a list of %i rows has the smallest variant, and others up to its length', (rows, sizes) =>
  expect(limitVariants(rows)).toEqual(sizes),
)

it('the variant that holds some rows is the smallest that a list which is long enough has', () =>
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3000 }), fc.nat(3000), (rows, more) => {
      const written = limitVariants(Math.max(1_000, rows) + more)
      expect(variantHolding(rows)).toBe(written.find((size) => size >= rows) ?? null)
    }),
  ))
