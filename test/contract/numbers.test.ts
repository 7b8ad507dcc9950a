import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decimal, roundMoney, roundPercent, roundPrice } from '../../src/core/contract/numbers.ts'

describe('decimal', () => {
  it.each([
    [9e-8, '0.00000009'],
    [-1.5e-7, '-0.00000015'],
    [1.25e21, '1250000000000000000000'],
    [0.1, '0.1'],
    [42, '42'],
  ])('prints %d as %s', (value, text) => expect(decimal(value)).toBe(text))

  it('prints every number without an exponent, and as the same number', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = decimal(value)
        expect(text).toMatch(/^-?\d+(\.\d+)?$/)
        expect(Number(text) + 0).toBe(value + 0)
      }),
    )
  })
})

describe('rounding', () => {
  it.each([
    [roundPrice, 16204.123456789, 16204.123],
    [roundPrice, 0.000000091234567891, 0.000000091234568],
    [roundMoney, 1234.567, 1234.57],
    [roundMoney, -0.001, 0],
    [roundPercent, -2.34567, -2.3457],
    [roundMoney, 1e300, 1e300],
  ])('%o of %d is %d', (round, value, expected) => expect(round(value)).toBe(expected))

  // Doubles of every size, and decimals that lie on a tie or next to one.
  const price = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc
      .tuple(fc.integer({ min: -(10 ** 10), max: 10 ** 10 }), fc.integer({ min: -25, max: 25 }))
      .map(([digits, exponent]) => Number(`${digits}e${exponent}`)),
    fc
      .tuple(fc.integer({ min: 10 ** 7, max: 10 ** 8 }), fc.integer({ min: -30, max: 20 }))
      .map(([digits, exponent]) => Number(`${digits}.5e${exponent}`)),
    fc.constantFrom(0, -0, 9999999.95, 99999999.5, 0.1 + 0.2, 1e22, 1e23, 5e-324, Number.MAX_VALUE),
  )

  it('of a price is that of its text with 8 significant digits', () => {
    fc.assert(
      fc.property(price, (value) => {
        expect(roundPrice(value)).toBe(Number(value.toPrecision(8)))
      }),
      { numRuns: 2000 },
    )
  })

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        for (const round of [roundPrice, roundMoney, roundPercent]) expect(round(round(value))).toBe(round(value))
      }),
      { examples: [[366552004368.60077]], numRuns: 1000 },
    )
  })
})
