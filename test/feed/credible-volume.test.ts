import { describe, expect, it } from 'vitest'
import { credibleVolume, implausibleVolumes } from '../../src/core/feed/weights.ts'
import { marketOf } from './world.ts'

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
