import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { limitVariants, variantHolding } from '../../src/contract/limit-variants.ts'

it.each([
  [20, 100],
  [199, 100],
  [200, 101],
  [3_012, 104],
  [100_000, 104],
])('a list of %i rows has %i variants', (rows, count) => expect([...limitVariants(rows)]).toHaveLength(count))

it('above 100 the variants are 200, 250, 500 and 1000', () =>
  expect([...limitVariants(3_012)].filter((size) => size > 100)).toEqual([200, 250, 500, 1_000]))

it('the variant that holds some rows is the smallest that a list which is long enough has', () =>
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3000 }), fc.nat(3000), (rows, more) => {
      const written = [...limitVariants(Math.max(1_000, rows) + more)]
      expect(variantHolding(rows)).toBe(written.find((size) => size >= rows) ?? null)
    }),
  ))
