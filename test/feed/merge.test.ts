import { describe, expect, it } from 'vitest'
import type { Sighting } from '../../src/core/sources/source.ts'
import { HOUR, NOW, entryOf, feedFrom, listOf, publishedBy, quoteOf, registryOf, sightingOf, venueOf } from './world.ts'

const merged = (given: Partial<Sighting>, entry: object = {}) => {
  const acme = sightingOf('acme', { price_usd: 2, ...given })
  const registry = registryOf(entryOf('acme', { external_ids: { list: 'acme' }, ...entry }))
  const asset = feedFrom([listOf('list', acme)], { registry }).snapshot.bySlug.get('acme')?.asset
  if (!asset) throw new Error('acme is not listed')
  return asset
}

describe('the fully diluted value', () => {
  it.each([
    ['is of the largest supply there will be', { total_supply: 150, max_supply: 200 }, 400],
    ['is of the total supply where no largest one is known', { total_supply: 150, max_supply: null }, 300],
    ['is what a source says where no supply is known', { fully_diluted_valuation_usd: 77 }, 77],
    ['is unknown where none is reportedthing of it', {}, null],
  ])('%s', (_, told, value) => {
    expect(merged(told).fully_diluted_valuation_usd).toBe(value)
  })

  it('is of the supply that the registry has, where no source knows one or one alone contradicts it', () => {
    expect(merged({ total_supply: 150 }, { max_supply: 1000 }).fully_diluted_valuation_usd).toBe(2000)
    expect(merged({ total_supply: 150, max_supply: 200 }, { max_supply: 1000 }).fully_diluted_valuation_usd).toBe(2000)
  })
})

describe('the market cap', () => {
  it('is of our own price where the supply is known', () => {
    expect(merged({ circulating_supply: 100, market_cap_usd: 250 }).market_cap_usd).toBe(200)
  })

  it('is taken from a source otherwise', () => {
    expect(merged({ market_cap_usd: 999 }).market_cap_usd).toBe(999)
  })
})

describe('the change of 24 hours', () => {
  const registry = registryOf(entryOf('acme', { exchange_symbols: { '*': 'ACME' }, external_ids: { list: 'acme' } }))
  const list = listOf('list', sightingOf('acme', { price_usd: 2, percent_change_24h: 5 }))
  const venues = ['a', 'b', 'c'].map((id) => venueOf(id, quoteOf('ACME/USD', 2)))
  const yesterday = { timestamp: '2026-11-19T13:00:00Z', price_usd: 1.6 }
  const previous = publishedBy(feedFrom([list, ...venues], { registry }))
  const nextRun = (reports: Parameters<typeof feedFrom>[0], dayAgo: typeof yesterday | null) => {
    const feed = feedFrom(reports, {
      registry,
      previous,
      now: NOW + HOUR,
      pastPrices: () => ({ dayAgo, oldest: null }),
    })
    const { percent_change_24h, change_basis, carried } = feed.snapshot.bySlug.get('acme')?.asset ?? {}
    return { change: percent_change_24h, method: change_basis?.method, carried: carried?.percent_change_24h ?? null }
  }

  it.each([
    ['is ours where an aggregator reports another one', [list, ...venues], yesterday, 25, 'history'],
    ['is ours, and not carried, where the aggregator is silent', venues, yesterday, 25, 'history'],
    ['is that of the aggregator where history does not reach back', [list, ...venues], null, 5, 'witnesses'],
  ] as const)('%s', (_, reports, dayAgo, change, method) => {
    expect(nextRun(reports, dayAgo)).toEqual({ change, method, carried: null })
  })

  it('is the last one, marked as carried, while no source reports any', () => {
    expect(nextRun(venues, null)).toMatchObject({ change: 5, method: 'carried', carried: '2026-11-20T12:00:00Z' })
  })

  it('is unknown where it was from our own past, the price is live, and there is none of a day ago', () => {
    const before = publishedBy(feedFrom(venues, { previous, pastPrices: () => ({ dayAgo: yesterday, oldest: null }) }))
    const { asset } = feedFrom(venues, { previous: before, now: NOW + HOUR }).snapshot.bySlug.get('acme') ?? {}
    expect([before.listings.get('acme')?.asset.percent_change_24h, asset?.percent_change_24h]).toEqual([25, null])
  })

  it('is unknown where the sources know the asset and report none', () => {
    const withoutChange = listOf('list', sightingOf('acme', { price_usd: 2 }))
    expect(nextRun([withoutChange, ...venues], null)).toEqual({ change: null, method: 'none', carried: null })
  })
})

describe('what several sources report', () => {
  it('is that of the first source that knows it', () => {
    const [one, other] = [
      sightingOf('acme', { price_usd: 2, max_supply: null, total_supply: 5 }),
      sightingOf('acme', { price_usd: 2, max_supply: 9, total_supply: 6 }),
    ]
    const registry = registryOf(entryOf('acme', { external_ids: { list: 'acme', index: 'acme' } }))
    const feed = feedFrom([listOf('list', one), listOf('index', other)], { registry })
    expect(feed.snapshot.bySlug.get('acme')?.asset).toMatchObject({ total_supply: 5, max_supply: 9 })
  })

  it('yields to the identity in the registry', () => {
    const acme = merged({ name: 'Fake', symbol: 'fake' }, { name: 'Acme', symbol: 'ACME', tags: ['a'] })
    expect(acme).toMatchObject({ name: 'Acme', symbol: 'ACME', tags: ['a'], external_ids: { list: 'acme' } })
  })
})

it('counts venues once and markets each', () => {
  const registry = registryOf(entryOf('acme', { external_ids: { list: 'acme' } }))
  const list = listOf('list', sightingOf('acme', { price_usd: 2 }))
  const venue = venueOf('venue', quoteOf('ACME/USD', 2), quoteOf('ACME/EUR', 2))
  const asset = feedFrom([list, venue, venueOf('other', quoteOf('ACME/USD', 2))], { registry }).snapshot.bySlug.get(
    'acme',
  )?.asset
  expect(asset?.exchange_count).toBe(2)
  expect(asset?.market_count).toBeGreaterThanOrEqual(2)
})
