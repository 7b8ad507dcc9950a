import { describe, expect, it } from 'vitest'
import { marketFlagOf, ranksOf } from '../../src/feed/rank.ts'
import { assetOf, marketOf } from './world.ts'

const both = { external_ids: { coingecko: 'acme', coinpaprika: 'acme' } }

describe('a market cap', () => {
  it.each([
    ['that trades is supported', { ...both, market_cap_usd: 1e9, volume_24h_usd: 10_000 }, null],
    ['with $5.40 of volume is not', { ...both, market_cap_usd: 3.33e12, volume_24h_usd: 5.4 }, 'low_turnover'],
    ['without any volume is not', { ...both, market_cap_usd: 1e9, volume_24h_usd: null }, 'no_volume'],
    [
      'that one source alone knows is not',
      { external_ids: { coingecko: 'acme' }, market_cap_usd: 1e9, volume_24h_usd: 1e6 },
      'one_witness',
    ],
  ])('%s', (_, given, expected) => {
    expect(marketFlagOf(assetOf('acme', given), [], 2)).toBe(expected)
  })

  it('has a venue as its second witness, or needs none where one source alone ever answered', () => {
    const asset = assetOf('acme', { external_ids: { coingecko: 'acme' }, market_cap_usd: 1e9, volume_24h_usd: 1e6 })
    expect(marketFlagOf(asset, [marketOf('a', 1)], 2)).toBeNull()
    expect(marketFlagOf(asset, [marketOf('a', 1, { is_outlier: true })], 2)).toBe('one_witness')
    expect(marketFlagOf(asset, [], 1)).toBeNull()
  })

  it('that is not supported has no rank', () => {
    const assets = [
      assetOf('huge', { market_cap_usd: 3e12, market_flag: 'low_turnover' }),
      assetOf('real', { market_cap_usd: 1e12 }),
    ]
    expect([...ranksOf(assets, new Set(['huge', 'real']))]).toEqual([['real', 1]])
  })
})
