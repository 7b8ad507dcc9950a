import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../src/core/feed/methodology.ts'
import { sum } from '../../src/core/feed/statistics.ts'
import { backedVolume, venueWeights } from '../../src/core/feed/weights.ts'
import { marketOf } from './world.ts'

describe('the weight of a venue', () => {
  it('leaves two at the cap too little to push the middle fifth past the other venues', () => {
    expect(LIMITS.venue_cap).toBe(0.15)
    const weights = venueWeights([1e12, 1e6, 1e6, 1e6, 1e6, 1e6, 1e6, 1e6])
    expect(weights[0]).toBeCloseTo(0.15, 10)
    expect(sum(weights)).toBeCloseTo(1, 10)
  })

  it('is at most the cap, however little it is above', () => {
    expect(venueWeights([6e6, 1e6, 1e6, 1e6, 1e6, 1e6, 1e6, 1e6])[0]).toBeCloseTo(0.15, 10)
  })

  it('is an equal share where there are fewer', () => {
    const [large = 0, small = 0] = venueWeights([1e9, 1])
    expect(large).toBeCloseTo(0.5, 10)
    expect(small).toBeCloseTo(0.5, 10)
  })

  it('grows as the square root of its volume below the cap', () => {
    const [one = 0, four = 0] = venueWeights([1e6, 4e6, 2e6, 2e6, 2e6, 2e6, 2e6, 2e6, 2e6, 2e6])
    expect(four / one).toBeCloseTo(2, 10)
  })
})

it.each([
  [0.5, 100],
  [1, 100],
  [4, 25],
  [null, 50],
])('the volume of a market with a spread of %d %% counts as %d of 100', (spread_percent, volume) => {
  expect(backedVolume(marketOf('a', 1, { spread_percent, volume_24h_usd: 100 }))).toBe(volume)
})
