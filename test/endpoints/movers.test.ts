import { describe, expect, it } from 'vitest'
import { isoOf } from '../../src/core/contract/time.ts'
import { type Asset, NO_CHANGE } from '../../src/core/contract/asset.ts'
import { moversOf } from '../../src/core/endpoints/market-view.ts'
import { AT, HOUR, NOW, assetOf, basisOf } from '../feed/world.ts'

const moving = (slug: string, percent_change_24h: number | null, given: Partial<Asset> = {}) =>
  assetOf(slug, { percent_change_24h, volume_24h_usd: 50_000, ...given })
const slugs = (assets: readonly Asset[]) => assets.map(({ slug }) => slug)

describe('gainers and losers', () => {
  it('are those that moved, strongest first, of equals the better ranked', () => {
    const assets = [
      moving('a', 1),
      moving('b', -9),
      moving('c', 7),
      moving('d', 7, { market_cap_rank: 3 }),
      moving('e', -2),
      moving('f', 0),
    ]
    const { gainers, losers } = moversOf(assets, NOW)
    expect(slugs(gainers)).toEqual(['d', 'c', 'a'])
    expect(slugs(losers)).toEqual(['b', 'e'])
  })

  it.each<[string, Partial<Asset>]>([
    ['an unknown change', { percent_change_24h: null }],
    ['a volume under the floor', { volume_24h_usd: 49_999.99 }],
    ['an unknown volume', { volume_24h_usd: null }],
    ['a flag', { verification_status: 'flagged' }],
    ['a carried price', { price_basis: basisOf('carried') }],
    ['a change carried from an earlier run', { change_basis: { ...NO_CHANGE, method: 'carried' } }],
    ['an old price', { last_updated: isoOf(NOW - 5 * HOUR) }],
    ['a volume carried from an earlier run', { carried: { volume_24h_usd: AT } }],
    ['a volume that is next to nothing of its market cap', { market_cap_usd: 1e9 }],
    ['a category of stablecoins', { tags: ['USD Stablecoin'] }],
    ['no price', { listing_status: 'inactive', price_usd: null }],
  ])('leave out a listing with %s', (_, given) => {
    const { gainers, losers } = moversOf(
      [moving('out', 5, given), moving('out-too', -5, given)].map((asset) => ({ ...asset, ...given })),
      NOW,
    )
    expect([...gainers, ...losers]).toEqual([])
  })
})

describe('trending', () => {
  it('are the verified and ranked, by market cap', () => {
    const ranked = (slug: string, market_cap_rank: number | null, market_cap_usd: number, given: Partial<Asset> = {}) =>
      assetOf(slug, { market_cap_rank, market_cap_usd, verification_status: 'verified', ...given })
    const { trending } = moversOf(
      [
        ranked('small', 2, 10),
        ranked('large', 1, 20),
        ranked('unranked', null, 30),
        ranked('unverified', 3, 5, { verification_status: 'unverified' }),
      ],
      NOW,
    )
    expect(slugs(trending)).toEqual(['large', 'small'])
  })
})
