import { describe, expect, it } from 'vitest'
import type { PriceBasis } from '../../src/core/contract/asset.ts'
import { confidenceOf } from '../../src/core/feed/confidence.ts'
import type { Evidence } from '../../src/core/feed/price.ts'
import { SURE, basisOf, marketOf } from './world.ts'

/** Evidence of venues with these prices and a million each, and of aggregators with those. */
const told = (venues: readonly number[], aggregators: readonly number[] = []): Evidence => ({
  markets: venues.map((price, index) => marketOf(`venue-${index}`, price)),
  aggregators: aggregators.map((price_usd, index) => ({ source_id: `list-${index}`, pair: 'ACME/USD', price_usd })),
  ...SURE,
})
const confidence = (
  method: PriceBasis['method'],
  evidence: Evidence,
  low_confidence_reason: PriceBasis['low_confidence_reason'] = null,
) => confidenceOf({ price_usd: 1, basis: { ...basisOf(method), low_confidence_reason } }, evidence)

const eight = told(Array.from({ length: 8 }, () => 1))

describe('the confidence of a price', () => {
  it.each<readonly [string, number | null, number]>([
    ['of eight venues that agree', confidence('exchanges', eight), 0.875],
    ['of four venues that agree', confidence('exchanges', told([1, 1, 1, 1])), 0.75],
    ['of three venues that agree', confidence('exchanges', told([1, 1, 1])), 0.666667],
    ['of three of four', confidence('exchanges', told([1, 1, 1, 1.021])), 0.5],
    ['of two is bounded', confidence('exchanges', told([1, 1])), 0.3],
    ['of two of many is less', confidence('exchanges', told([1, 1, 2, 3, 4])), 0.2],
    ['of one is none', confidence('aggregators', told([], [1])), 0],
    ['of none is none', confidence('exchanges', told([2, 2], [2])), 0],
    ['counts aggregators as venues', confidence('mixed', told([1, 1], [1.019, 1])), 0.75],
    ['counts no aggregator beyond the tolerance', confidence('exchanges', told([1, 1, 1], [1.021])), 0.5],
    ['of a pool', confidence('dex', told([])), 0],
    ['that is carried', confidence('carried', eight), 0],
  ])('%s', (_, actual, expected) => {
    expect(actual).toBe(expected)
  })

  it('is unknown without a price', () => {
    expect(confidenceOf({ price_usd: null, basis: basisOf('none') }, eight)).toBeNull()
  })

  it('is low where the price is doubted', () => {
    for (const reason of ['split', 'match_disputed', 'contested', 'dispersed', 'halted'] as const)
      expect(confidence('exchanges', eight, reason)).toBe(0.3)
  })
})
