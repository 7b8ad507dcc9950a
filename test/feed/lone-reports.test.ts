import { describe, expect, it } from 'vitest'
import type { Sighting } from '../../src/core/sources/source.ts'
import { feedFrom, listOf, publishedBy, quoteOf, sightingOf, venueOf } from './world.ts'

const SLUGS = ['acme', 'bolt', 'cord', 'dune', 'echo']
/** Three venues that trade two million dollars of each. */
const venues = ['a', 'b', 'c'].map((id) => venueOf(id, ...SLUGS.map((slug) => quoteOf(`${slug.toUpperCase()}/USD`, 2))))
const listed = (source: string, given: Partial<Sighting>) =>
  listOf(
    source,
    ...SLUGS.map((id) => sightingOf(id, { symbol: id.toUpperCase(), price_usd: 2, circulating_supply: 1e9, ...given })),
  )
const acmeOf = (...reports: Parameters<typeof feedFrom>) => feedFrom(...reports).snapshot.bySlug.get('acme')?.asset
const honest = listed('coinpaprika', { volume_24h_usd: 8e6, percent_change_24h: 1, percent_change_1h: 0.5 })

describe('the volume of an asset', () => {
  it.each([
    ['is that of the first source', 7e6, 7e6],
    ['is that of another where the first is far above it', 1e15, 8e6],
    ['is that of another where the first is far below what its markets trade', 1e5, 8e6],
  ])('%s', (_, volume_24h_usd, expected) => {
    const asset = acmeOf([listed('coingecko', { volume_24h_usd }), honest, ...venues])
    expect(asset).toMatchObject({ volume_24h_usd: expected, market_flag: null, market_cap_rank: 1 })
  })

  it('is that of its markets where every report is far below it, and a coin that trades keeps its rank', () => {
    const asset = acmeOf([listed('coingecko', { volume_24h_usd: 5 }), listed('coinpaprika', {}), ...venues])
    expect(asset).toMatchObject({ volume_24h_usd: 6e6, told_by: {}, market_flag: null, market_cap_rank: 1 })
  })
})

describe('a source that is off', () => {
  const off = { price_usd: 2.6, volume_24h_usd: 9e6, percent_change_24h: 30, percent_change_1h: 55 }

  it('reports no volume and no change where another source does', () => {
    const previous = publishedBy(feedFrom([listed('coingecko', {}), honest, ...venues]))
    const asset = acmeOf([listed('coingecko', off), honest, ...venues], { previous })
    expect(asset).toMatchObject({ price_usd: 2, volume_24h_usd: 8e6, percent_change_24h: 1, percent_change_1h: 0.5 })
    expect(asset?.change_basis.sources.map(({ source_id }) => source_id)).toEqual(['coinpaprika'])
  })

  it('is as good as silent: what it alone reported before is carried', () => {
    const first = feedFrom([listed('coingecko', { percent_change_1h: 0.1 }), ...venues])
    const asset = acmeOf([listed('coingecko', off), ...venues], { previous: publishedBy(first) })
    expect(asset).toMatchObject({ price_usd: 2, volume_24h_usd: 6e6, percent_change_1h: 0.1 })
    expect(Object.keys(asset?.carried ?? {})).toEqual(['percent_change_1h'])
  })
})
