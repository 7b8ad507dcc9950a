import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { cutHolding, cutsFor } from '../../src/contract/limit-variants.ts'

it('the cut that holds some rows is the smallest that is written for a list which is long enough', () =>
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 3000 }), fc.nat(3000), (rows, more) => {
      const written = [...cutsFor(Math.ceil(rows / 100) * 100 + more)]
      expect(cutHolding(rows)).toBe(written.find((size) => size >= rows))
    }),
  ))
