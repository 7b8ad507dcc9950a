import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { centralMean, median } from '../../src/core/feed/statistics.ts'

describe('the median', () => {
  it.each([
    ['is the middle one of an odd number', [9, 1, 10], 9],
    ['is the mean of the middle two of an even number', [1, 100, 3, 2], 2.5],
    ['is not a number without values', [], Number.NaN],
  ])('%s', (_, values, expected) => {
    expect(median(values)).toBe(expected)
  })
})

it('the median of values in any order, few or many, is that of the sorted ones', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 40 }), (values) => {
      const sorted = values.toSorted((a, b) => a - b)
      const middle = sorted.slice((sorted.length - 1) >> 1, (sorted.length >> 1) + 1)
      expect(median(values)).toBe(middle.reduce((total, value) => total + value, 0) / middle.length)
    }),
  )
})

describe('the central mean', () => {
  const of = (...pairs: readonly (readonly [number, number])[]) => pairs.map(([value, weight]) => ({ value, weight }))

  it.each([
    ['is the value that holds the middle', of([1, 45], [2, 10], [3, 45]), 2],
    ['averages the values that share the middle', of([1, 50], [3, 50]), 2],
    ['averages by the share of the middle', of([1, 42], [3, 58]), 2.8],
    [
      'is that of the sorted values where there are many',
      of(...Array.from({ length: 41 }, (_, index) => [(index * 7) % 41, 1] as const)),
      20,
    ],
    ['is the only value', of([7, 0.1]), 7],
  ])('%s', (_, entries, expected) => {
    expect(centralMean(entries)).toBeCloseTo(expected, 12)
  })

  it.each([
    ['one value without weight', of([7, 0])],
    ['many values without weight', of([7, 0], [8, 0])],
    ['no values', of()],
  ])('is not a number of %s', (_, entries) => {
    expect(centralMean(entries)).toBeNaN()
  })

  // Values repeat on purpose: the order of equal ones must not show in the last digit, or equal data gives unequal bytes.
  const entry = fc.record({
    value: fc.integer({ min: 1, max: 3 }),
    weight: fc.double({ min: 0.01, max: 1, noNaN: true }),
  })

  it('is the same to the last digit in any order of the entries', () => {
    // Up to 32 values are sorted in another way than more of them.
    const few = fc.array(entry, { minLength: 2, maxLength: 12 })
    const many = fc.array(entry, { minLength: 30, maxLength: 40 })
    fc.assert(
      fc.property(fc.oneof(few, many), fc.infiniteStream(fc.nat()), (entries, keys) => {
        const shuffled = entries
          .map((one) => ({ one, key: keys.next().value ?? 0 }))
          .toSorted((a, b) => a.key - b.key)
          .map(({ one }) => one)
        expect(centralMean(shuffled)).toBe(centralMean(entries))
      }),
    )
  })
})
