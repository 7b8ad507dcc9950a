import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changeLabels, linearTicks, logTicks, paddedLogRange, paddedRange, priceLabels } from '../../src/pages/axis.ts'

describe('the labels of a price axis', () => {
  it.each([
    [
      [59_000, 60_000, 61_000],
      ['$59,000', '$60,000', '$61,000'],
    ],
    [
      [0.9995, 0.9996],
      ['$0.9995', '$0.9996'],
    ],
    [
      [0.195, 0.2, 0.205],
      ['$0.195', '$0.200', '$0.205'],
    ],
    [
      [1e-9, 2e-9],
      ['$0.000000001', '$0.000000002'],
    ],
    [
      [0, 50, 100],
      ['$0', '$50', '$100'],
    ],
  ])('of %j are %j', (values, labels) => expect(priceLabels(values)).toEqual(labels))

  it('tell any two ticks apart, and have equally many decimals', () =>
    fc.assert(
      fc.property(
        fc.double({ min: 1e-12, max: 1e9, noNaN: true }),
        fc.double({ min: 1e-4, max: 10, noNaN: true }),
        (low, spread) => {
          const [from, to] = paddedRange(low, low * (1 + spread))
          const labels = priceLabels(linearTicks(from, to, 320))
          expect(new Set(labels).size).toBe(labels.length)
          expect(new Set(labels.map((label) => label.split('.')[1]?.length ?? 0)).size).toBe(1)
        },
      ),
    ))
})

it('changes have a sign, and no more decimals than they need', () =>
  expect(changeLabels([-10, 0, 10])).toEqual(['\u221210\u202f%', '0\u202f%', '+10\u202f%']))

describe('the range of an axis', () => {
  it('of one price lies close around it, not from nothing to twice of it', () => {
    const [low, high] = paddedRange(30, 30)
    expect(low).toBeGreaterThan(29)
    expect(high).toBeLessThan(31)
  })

  it('of prices does not go below nothing', () => expect(paddedRange(0.001, 100)[0]).toBe(0))
})

it('an axis of logarithms has at least two ticks within its range', () =>
  fc.assert(
    fc.property(
      fc.double({ min: 1e-9, max: 1e6, noNaN: true }),
      fc.double({ min: 1.01, max: 1e6, noNaN: true }),
      (low, factor) => {
        const [from, to] = paddedLogRange(low, low * factor)
        const ticks = logTicks(from, to, 320)
        expect(ticks.length).toBeGreaterThanOrEqual(2)
        expect(ticks.every((tick) => tick >= from && tick <= to)).toBe(true)
        expect(ticks).toEqual(ticks.toSorted((a, b) => a - b))
      },
    ),
  ))
