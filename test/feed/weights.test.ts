import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../src/core/feed/methodology.ts'
import { sum } from '../../src/core/feed/statistics.ts'
import { backedVolume, credibleVolume, implausibleVolumes, venueWeights } from '../../src/core/feed/weights.ts'
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

const trading = (venue: string, volume_24h_usd: number | null, given: object = {}) =>
  marketOf(venue, 1, { volume_24h_usd, ...given })

describe('the credible volume of an asset', () => {
  it.each([
    ['is the sum of its venues', [trading('a', 100), trading('b', 300)], 400],
    ['adds the markets of a venue', [trading('a', 100), trading('a', 50), trading('b', 300)], 450],
    ['leaves out stale markets', [trading('a', 100), trading('b', 300, { is_stale: true })], 100],
    ['leaves out outliers', [trading('a', 100), trading('b', 300, { is_outlier: true })], 100],
    [
      'leaves out what is stale and an outlier',
      [trading('a', 7), trading('b', 3, { is_stale: true, is_outlier: true })],
      7,
    ],
    ['counts ten times the others of a venue', [trading('a', 100), trading('b', 9000)], 1100],
    ['takes the only venue at its word', [trading('a', 9000)], 9000],
    ['is zero where every venue says zero', [trading('a', 0)], 0],
    ['is unknown where no market reports one', [trading('a', null), trading('b', null, { is_stale: true })], null],
    ['is unknown without markets', [], null],
  ])('%s', (_, markets, volume) => {
    expect(credibleVolume(markets)).toBe(volume)
  })
})

describe('the implausible venues of an asset', () => {
  it('are those above ten times the others, not those at it', () => {
    expect(implausibleVolumes([trading('a', 100), trading('b', 1001)])).toEqual(new Set(['b']))
    expect(implausibleVolumes([trading('a', 100), trading('b', 1000)])).toEqual(new Set())
  })

  it('are computed from live markets only', () => {
    const live = [trading('a', 100), trading('b', 1001)]
    for (const given of [{ is_stale: true }, { is_outlier: true }])
      expect(implausibleVolumes([...live, trading('c', 1000, given)])).toEqual(new Set(['b']))
  })
})
