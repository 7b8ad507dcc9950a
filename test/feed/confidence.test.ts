import { describe, expect, it } from 'vitest'
import type { LowConfidenceReason, PriceBasis } from '../../src/contract/asset.ts'
import { confidenceOf } from '../../src/feed/confidence.ts'
import type { Evidence } from '../../src/feed/price.ts'
import { basisOf, marketOf } from './world.ts'

/** Evidence of venues with these prices and a million each, and of aggregators with those. */
const told = (venues: readonly number[], aggregators: readonly number[] = []): Evidence => ({
  markets: venues.map((price, index) => marketOf(`venue-${index}`, price)),
  aggregators: aggregators.map((price_usd, index) => ({ source_id: `list-${index}`, pair: 'ACME/USD', price_usd })),
  distrusted: new Set(),
})
const confidence = (
  method: PriceBasis['method'],
  evidence: Evidence,
  ageHours = 0,
  low_confidence_reason: LowConfidenceReason | null = null,
) => confidenceOf({ price_usd: 1, basis: { ...basisOf(method), low_confidence_reason } }, evidence, ageHours)

const eight = told(Array.from({ length: 8 }, () => 1))

describe('the confidence of a price', () => {
  it.each<readonly [string, number | null, number]>([
    ['of eight deep venues that agree is whole', confidence('exchanges', eight), 1],
    ['of four deep venues counts half of the venues', confidence('exchanges', told([1, 1, 1, 1])), 0.8],
    ['counts no venue further than 2 % from the median', confidence('exchanges', told([1, 1, 1, 1.023])), 0.7],
    ['below the quorum is half of it', confidence('exchanges_below_quorum', told([1, 1])), 0.3],
    ['of one aggregator', confidence('aggregators', told([], [1])), 0.3],
    ['of two aggregators', confidence('aggregators', told([], [1, 1.04])), 0.5],
    ['counts no aggregator beyond its tolerance', confidence('aggregators', told([], [1, 1.06])), 0.3],
    [
      'below the quorum is that of the aggregators where it is larger',
      confidence('exchanges_below_quorum', told([1], [1, 1])),
      0.5,
    ],
    ['of a pool', confidence('dex', told([])), 0.2],
    ['that is carried', confidence('carried', eight), 0.1],
    ['that nobody tells', confidence('none', eight), 0],
  ])('%s', (_, actual, expected) => {
    expect(actual).toBe(expected)
  })

  it('is unknown without a price', () => {
    expect(confidenceOf({ price_usd: null, basis: basisOf('none') }, eight, 0)).toBeNull()
  })

  it('falls in two steps with the age of the value', () => {
    expect([0.99, 1, 5.99, 6, 100].map((hours) => confidence('exchanges', eight, hours))).toEqual([
      1, 0.8, 0.8, 0.5, 0.5,
    ])
  })

  it('is low where the price is doubted', () => {
    for (const reason of ['split', 'venues_split', 'match_disputed'] as const)
      expect(confidence('exchanges', eight, 0, reason)).toBe(0.3)
  })

  it('is low where every aggregator disagrees, unless the venues have a quorum', () => {
    const strong = told([1, 1, 1, 1, 1, 1, 1], [9])
    expect(confidence('exchanges_below_quorum', strong, 0, 'aggregators_disagree')).toBe(0.3)
    expect(confidence('exchanges', strong, 0, 'aggregators_disagree')).toBe(0.95)
  })
})
