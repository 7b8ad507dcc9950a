import { marketView } from '../../src/core/endpoints/market-view.ts'
import { describe, expect, it } from 'vitest'
import { marketFlagOf, ranksOf } from '../../src/core/feed/rank.ts'
import { globalOf } from '../../src/core/endpoints/whole-market.ts'
import type { Feed } from '../../src/core/feed/feed.ts'
import { HOUR, NOW, assetOf, entryOf, feedFrom } from './world.ts'
import { listOf, marketOf, publishedBy, registryOf, sightingOf } from './world.ts'

const TWO = { aggregators: 1, exchanges: 1 }
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
    expect(marketFlagOf(assetOf('acme', given), [], TWO)).toBe(expected)
  })

  it('has a venue as its second witness, or needs none where one source alone ever answered', () => {
    const asset = assetOf('acme', { external_ids: { coingecko: 'acme' }, market_cap_usd: 1e9, volume_24h_usd: 1e6 })
    expect(marketFlagOf(asset, [marketOf('a', 1)], TWO)).toBeNull()
    expect(marketFlagOf(asset, [marketOf('a', 1, { is_outlier: true })], TWO)).toBe('one_witness')
    expect(marketFlagOf(asset, [], { aggregators: 1, exchanges: 0 })).toBeNull()
  })

  it('of a billion dollars and more needs a second aggregator where there is one', () => {
    const flagOf = (market_cap_usd: number, external_ids: Record<string, string>) =>
      marketFlagOf(assetOf('acme', { external_ids, market_cap_usd, volume_24h_usd: 1e8 }), [marketOf('a', 1)], {
        aggregators: 2,
        exchanges: 1,
      })
    expect(flagOf(1e9, { coingecko: 'acme' })).toBe('one_witness')
    expect(flagOf(9e8, { coingecko: 'acme' })).toBeNull()
    expect(flagOf(1e9, both.external_ids)).toBeNull()
  })

  it.each([
    ['the registry or a category says', { tags: ['Liquid Staking Tokens'] }, 'wrapped'],
    ['its name says, where no category is known', { name: 'Lido Staked Ether' }, 'wrapped'],
    ['a category of its own denies', { name: 'Bridged Thing', tags: ['Liquid Staking Governance Tokens'] }, null],
    ['no source says', { name: 'Unwrapped' }, null],
  ])('of a wrapped form of another asset is not supported: %s', (_, given, expected) => {
    const asset = assetOf('acme', { ...both, market_cap_usd: 1e9, volume_24h_usd: 1e8, ...given })
    expect(marketFlagOf(asset, [], TWO)).toBe(expected)
  })

  it('that is not supported has no rank', () => {
    const assets = [
      assetOf('huge', { market_cap_usd: 3e12, market_flag: 'low_turnover' }),
      assetOf('real', { market_cap_usd: 1e12 }),
    ]
    expect([...ranksOf(assets, new Set(['huge', 'real']))]).toEqual([['real', 1]])
  })
})

describe('ranks, totals and lists', () => {
  const listed = (source: string, rank: number | null, given: object = {}) =>
    listOf(
      source,
      ...['bitcoin', 'staked-ether'].map((id) =>
        sightingOf(id, { rank, price_usd: 2, circulating_supply: 1e9, volume_24h_usd: 1e8, ...given }),
      ),
    )
  const registry = registryOf(
    ...['bitcoin', 'staked-ether'].map((slug) => entryOf(slug, { external_ids: { coingecko: slug, coinlore: slug } })),
  )
  const worldOf = (reports: Parameters<typeof feedFrom>[0], last?: Feed) =>
    feedFrom(reports, last ? { registry, previous: publishedBy(last), now: NOW + HOUR } : { registry })
  const seen = ({ snapshot }: Feed) => ({
    ranks: snapshot.listed.map(({ asset }) => asset.market_cap_rank),
    total: globalOf({ ...snapshot, ...marketView(snapshot, [], 0) }).market_cap_usd,
    trending: marketView(snapshot, [], 0).trending.length,
  })
  const ALL = { ranks: [1, null], total: 2e9, trending: 1 }

  it('do not count a staked form of another asset, however many aggregators know it', () => {
    const feed = worldOf([listed('coingecko', 1), listed('coinlore', 1)])
    expect(seen(feed)).toEqual(ALL)
    expect(feed.snapshot.bySlug.get('staked-ether')?.asset).toMatchObject({
      market_flag: 'wrapped',
      tags: ['liquid-staking-tokens'],
      market_cap_usd: 2e9,
    })
  })

  it.each([
    ['in a fresh tree', undefined],
    ['in one run', worldOf([listed('coingecko', 1)])],
  ])('are all there when a source leaves out all ranks %s', (_, last) => {
    expect(seen(worldOf([listed('coingecko', null)], last))).toEqual(ALL)
  })

  it('are all there when a source leaves out all supplies in one run', () => {
    const before = worldOf([listed('coingecko', 1), listed('coinlore', 1, { circulating_supply: null })])
    const bare = { circulating_supply: null }
    expect(seen(worldOf([listed('coingecko', 1, bare), listed('coinlore', 1, bare)], before))).toEqual(ALL)
  })
})
