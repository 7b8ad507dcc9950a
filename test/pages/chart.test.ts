import { describe, expect, it } from 'vitest'
import { labelled, paddedRange, priceLabel } from '../../src/pages/chart.ts'
import { DOLLARS } from '../../src/pages/format.ts'

describe('the labels of a price axis', () => {
  it.each([
    [59_000, 61_000, ['$59,000', '$59,500', '$60,000', '$60,500', '$61,000']],
    [0.9995, 0.9999, ['$0.9995', '$0.9996', '$0.9997', '$0.9998', '$0.9999']],
    [0.195, 0.205, ['$0.196', '$0.198', '$0.200', '$0.202', '$0.204']],
    [1e-9, 2e-9, ['$0.0₈1', '$0.0₈12', '$0.0₈14', '$0.0₈16', '$0.0₈18', '$0.0₈2']],
  ])('from %d to %d are %j', (low, high, labels) => {
    const values = labelled(low, high, false)
    const step = (values[1] ?? 0) - (values[0] ?? 0)
    expect(values.map((value) => priceLabel(value, step, DOLLARS))).toEqual(labels)
  })

  it('on a scale of logarithms are powers of ten where prices differ much', () => {
    expect(labelled(0.3, 900, true).map((value) => Number(value.toPrecision(6)))).toEqual([1, 10, 100])
    expect(labelled(72, 225, true)).toContain(100)
  })
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
