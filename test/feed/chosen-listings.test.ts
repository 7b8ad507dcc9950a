import { describe, expect, it } from 'vitest'
import { entryOf, feedFrom, listOf, publishedBy, quoteOf, registryOf, sightingOf, silent, venueOf } from './world.ts'

const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const gecko = listOf(
  'coingecko',
  sightingOf('bitcoin', { symbol: 'btc', price_usd: 50_000, rank: 1 }),
  sightingOf('usd-coin', { symbol: 'usdc', price_usd: 1, rank: 2 }),
  sightingOf('uniswap', { symbol: 'uni', price_usd: 5, rank: 3 }),
  sightingOf('unicorn-token', { symbol: 'uni', price_usd: 0.01, rank: 4 }),
)
const registry = registryOf(
  entryOf('usd-coin', {
    external_ids: { coingecko: 'usd-coin' },
    contracts: [{ chain: 'ethereum', address: usdc, decimals: 6 }],
  }),
)
const venue = venueOf('a', quoteOf('BTC/USD', 50_010), quoteOf('UNI/USD', 5.01))
const slugsOf = (only: readonly string[] | null, given: Parameters<typeof feedFrom>[1] = {}) =>
  feedFrom([gecko, venue], { registry, ...given, only }).snapshot.listed.map(({ asset }) => asset.slug)

describe('a feed of the listings that a publisher names', () => {
  it('has these by slug, contract and symbol, and no others', () => {
    expect(slugsOf(['uniswap', `ethereum:${usdc.toUpperCase().replace('0X', '0x')}`, 'BTC'])).toEqual([
      'bitcoin',
      'uniswap',
      'usd-coin',
    ])
    expect(slugsOf(null)).toHaveLength(4)
  })

  it('decides who is who among all that the sources list', () => {
    const both = feedFrom([gecko, venue]).snapshot.bySlug
    const one = feedFrom([gecko, venue], { only: ['uniswap'] }).snapshot.bySlug
    const figures = (of: typeof one) => {
      const { price_usd, price_basis } = of.get('uniswap')?.asset ?? {}
      return { price_usd, price_basis, markets: of.get('uniswap')?.markets }
    }
    expect(figures(one)).toEqual(figures(both))
    expect(one.get('uniswap')?.markets).toHaveLength(1)
  })

  it('refuses a symbol that several have, with their slugs, and a name that none has', () => {
    expect(() => slugsOf(['uni', 'bitcoinn'])).toThrow(
      'only: "uni" is the name of unicorn-token, uniswap. Name one of these slugs.\nonly: no source lists "bitcoinn".',
    )
  })

  it('drops a listing that is no longer named', () => {
    const before = publishedBy(feedFrom([gecko, venue], { registry, only: ['bitcoin', 'uniswap'] }))
    const after = feedFrom([gecko, venue], { registry, previous: before, only: ['bitcoin'] })
    expect([...after.snapshot.bySlug.keys()]).toEqual(['bitcoin'])
  })

  it('keeps what it has published while no source answers', () => {
    const before = publishedBy(feedFrom([gecko, venue], { only: ['bitcoin', 'uniswap'] }))
    const { snapshot } = feedFrom([silent(gecko), silent(venue)], { previous: before, only: ['bitcoin', 'uniswap'] })
    expect(snapshot.listed.map(({ asset }) => asset.slug)).toEqual(['bitcoin', 'uniswap'])
  })
})
