import { describe, expect, it } from 'vitest'
import { isolatedIn, moneyLabel, paddedRange, priceLabel, roundBetween } from '../../src/pages/chart.tsx'
import { DOLLARS } from '../../src/pages/format.ts'

describe('the labels of a price axis', () => {
  it.each([
    [[59_000, 60_000, 61_000], 1000, ['$59,000', '$60,000', '$61,000']],
    [[0.9995, 0.9996], 0.0001, ['$0.9995', '$0.9996']],
    [[0.195, 0.2, 0.205], 0.005, ['$0.195', '$0.200', '$0.205']],
    [[0.025, 0.05], 0.025, ['$0.025', '$0.050']],
    [[1e-9, 2e-9], 1e-9, ['$0.0₈1', '$0.0₈2']],
    [[0, 50, 100], 50, ['$0', '$50', '$100']],
  ])('of %j in steps of %d are %j', (values, step, labels) =>
    expect(values.map((value) => priceLabel(DOLLARS)(value, step))).toEqual(labels),
  )
})

it('amounts on an axis have the decimals of its steps', () => {
  const label = moneyLabel(DOLLARS)
  expect([0, 5e10].map((value) => label(value, 5e10))).toEqual(['$0', '$50B'])
  expect([1.85e12, 1.9e12].map((value) => label(value, 5e10))).toEqual(['$1.85T', '$1.90T'])
})

describe('the range of an axis', () => {
  it.each([false, true])('of one price lies close around it (logarithms: %s)', (isLog) => {
    const [low, high] = paddedRange(30, 30, isLog)
    expect(low).toBeGreaterThan(29)
    expect(high).toBeLessThan(31)
  })

  it.each([false, true])('of noise is calm (logarithms: %s)', (isLog) => {
    const [low, high] = paddedRange(0.9995, 1.0005, isLog)
    expect(high / low).toBeGreaterThan(1.015)
  })

  it('of prices does not go below nothing', () => expect(paddedRange(0.001, 100)[0]).toBe(0))
})

it('finds the points that have no neighbour', () => {
  expect(isolatedIn([1, 2, null, 3, null, 4, 5, null, 6])).toEqual([3, 8])
  expect(isolatedIn([1])).toEqual([0])
  expect(isolatedIn([null, null])).toEqual([])
})

describe('round values of a scale of logarithms', () => {
  it.each([
    [72, 225, [100, 150, 200]],
    [48_000, 66_000, [50_000, 55_000, 60_000, 65_000]],
    [0.3, 900, [0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500]],
  ])('between %d and %d are %j', (low, high, values) =>
    expect(roundBetween(low, high).map((value) => Number(value.toPrecision(6)))).toEqual(values),
  )
})
