import { describe, expect, it } from 'vitest'
import { changeLabels, paddedRange, priceLabels } from '../../src/pages/chart.ts'
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
    expect(priceLabels(values, step, DOLLARS)).toEqual(labels),
  )
})

it('changes have a sign, and no more decimals than they need', () =>
  expect(changeLabels([-10, 0, 10], 10)).toEqual(['\u221210\u202f%', '0\u202f%', '+10\u202f%']))

describe('the range of an axis', () => {
  it.each([false, true])('of one price lies close around it (logarithms: %s)', (isLog) => {
    const [low, high] = paddedRange(30, 30, isLog)
    expect(low).toBeGreaterThan(29)
    expect(high).toBeLessThan(31)
  })

  it('of prices does not go below nothing', () => expect(paddedRange(0.001, 100)[0]).toBe(0))
})
