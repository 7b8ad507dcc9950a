import { describe, expect, it } from 'vitest'
import {
  candidatesOf,
  countedByContract,
  opinionsOf,
  referencesOf,
  rememberedMatches,
} from '../../src/core/feed/expectations.ts'
import type { Identity } from '../../src/core/feed/identify.ts'
import type { Sighting } from '../../src/core/sources/source.ts'
import type { Report } from '../../src/core/sources/collect.ts'
import {
  AT,
  HOUR,
  NOW,
  assetOf,
  contractOn,
  entryOf,
  feedFrom,
  listOf,
  marketOf,
  publishedBy,
  quoteOf,
  registryOf,
  reportOf,
  sightingOf,
  sourceOf,
  venueOf,
} from './world.ts'

const seenBy = (id: string, given: Partial<Sighting> = {}) => ({
  source: { id, label: id },
  sighting: sightingOf('acme', given),
  contracts: [],
})
const identityOf = (given: Partial<Identity> = {}): Identity => ({
  slug: 'acme',
  entry: null,
  before: null,
  sighted: [],
  withheld: [],
  ...given,
})
const published = (slug: string, given: Parameters<typeof assetOf>[1] = {}) => ({
  asset: assetOf(slug, given),
  markets: [],
})
const opinion = (price_usd: number, at: number | null) => ({ source_id: 'list', pair: 'ACME/USD', price_usd, at })

describe('the opinions of an asset', () => {
  it('are the prices of its sources that are young enough or undated', () => {
    const sighted = [
      seenBy('undated', { price_usd: 1 }),
      seenBy('young', { price_usd: 2, at: NOW - 24 * HOUR }),
      seenBy('old', { price_usd: 3, at: NOW - 24 * HOUR - 1 }),
      seenBy('silent', { price_usd: null, at: NOW }),
    ]
    expect(opinionsOf(identityOf({ sighted }), NOW)).toEqual([
      { source_id: 'undated', pair: 'ACME/USD', price_usd: 1, at: null },
      { source_id: 'young', pair: 'ACME/USD', price_usd: 2, at: NOW - 24 * HOUR },
    ])
  })
})

describe('a candidate for a symbol', () => {
  const candidates = (identities: readonly Identity[], opinions: Parameters<typeof candidatesOf>[1] = new Map()) =>
    candidatesOf(identities, opinions, NOW).get('ACME')

  it('has the current prices of the aggregators, with the time of the newest', () => {
    const opinions = new Map([['acme', [opinion(1, NOW - 2 * HOUR), opinion(2, NOW - HOUR)]]])
    const said = candidates([identityOf({ sighted: [seenBy('list')] })], opinions)
    expect(said).toEqual([{ slug: 'acme', prices: [1, 2], ageHours: 1 }])
  })

  it('falls back to the last published price while it is fresh enough', () => {
    const price = (hours: number) =>
      candidatesOf([identityOf({ before: published('acme', { price_usd: 7 }) })], new Map(), NOW + hours * HOUR).get(
        'ACME',
      )
    expect(price(24)).toEqual([{ slug: 'acme', prices: [7], ageHours: 24 }])
    expect(price(25)).toEqual([{ slug: 'acme', prices: [], ageHours: 0 }])
  })

  it('has no price where none was published, or none with a time', () => {
    const nothing = [{ slug: 'acme', prices: [], ageHours: 0 }]
    expect(candidates([identityOf({ before: published('acme', { price_usd: null }) })])).toEqual(nothing)
    expect(candidates([identityOf({ before: published('acme', { last_updated: null }) })])).toEqual(nothing)
  })

  it('orders by reported or published rank, then by slug', () => {
    const ranked = (slug: string, now: number | null, last: number | null) =>
      identityOf({
        slug,
        sighted: [seenBy('list', { rank: now })],
        before: published(slug, { symbol: 'ACME', market_cap_rank: last }),
      })
    const order = [
      ranked('d', null, 1),
      ranked('c', 2, 9),
      ranked('a', 3, null),
      ranked('b', 3, null),
      ranked('e', null, null),
    ]
    expect(candidates(order.toReversed())?.map(({ slug }) => slug)).toEqual(['d', 'c', 'a', 'b', 'e'])
  })

  it('goes by the symbol of the registry, and after the listings of its own by that of a source', () => {
    const [entry = null] = registryOf(entryOf('acme', { symbol: 'OLD' })).assets
    const identities = [
      identityOf({ slug: 'acme', entry, sighted: [seenBy('list', { symbol: 'new', rank: 1 })] }),
      identityOf({ slug: 'namesake', sighted: [seenBy('list', { symbol: 'new', rank: 2 })] }),
    ]
    const found = candidatesOf(identities, new Map(), NOW)
    expect([...found].map(([symbol, all]) => [symbol, all.map(({ slug }) => slug)])).toEqual([
      ['OLD', ['acme']],
      ['NEW', ['namesake', 'acme']],
    ])
  })
})

describe('the remembered matches', () => {
  it('are those of the exchanges, by venue and symbol', () => {
    const markets = [
      marketOf('venue', 1, { matched_by: 'registry', matched_at: '2026-11-18T12:00:00Z' }),
      marketOf('earlier', 1, { matched_by: null, matched_at: null }),
      marketOf('swap', 1, { exchange_type: 'dex' }),
    ]
    const before = { asset: assetOf('acme'), markets }
    expect(rememberedMatches([identityOf({ before }), identityOf({ slug: 'new' })])).toEqual(
      new Map([
        ['venue ACME', { slug: 'acme', matched_by: 'registry', matched_at: '2026-11-18T12:00:00Z' }],
        ['earlier ACME', { slug: 'acme', matched_by: 'price', matched_at: AT }],
      ]),
    )
  })
})

it('the references of quote currencies come from aggregators, if they have any', () => {
  const registry = registryOf(
    entryOf('bitcoin', { symbol: 'BTC' }),
    entryOf('tether', { symbol: 'USDT' }),
    entryOf('acme'),
  )
  const opinions = new Map([
    ['bitcoin', [opinion(100, NOW)]],
    ['acme', [opinion(1, NOW)]],
  ])
  expect(referencesOf(registry, opinions, [])).toEqual(
    new Map([
      ['BTC', [opinion(100, NOW)]],
      ['USDT', []],
    ]),
  )
})

it('the references of fiat money come from central banks, with the day of each rate', () => {
  const bank = reportOf(sourceOf('ecb', 'reference'), {
    references: [
      { kind: 'reference', of: { currency: 'EUR' }, price_usd: 1.1, at: NOW },
      { kind: 'reference', of: { platform: 'ethereum', address: '0x1' }, price_usd: 5, at: NOW },
    ],
  })
  expect(referencesOf(registryOf(), new Map(), [bank])).toEqual(
    new Map([['EUR', [{ source_id: 'ecb', price_usd: 1.1, set_on: AT }]]]),
  )
})

const ADDRESS = `0x${'ab'.repeat(20)}`
const contracts = [contractOn('ethereum', ADDRESS)]
const registry = registryOf(entryOf('other'))
const defillama = (price_usd: number, at = NOW): Report =>
  reportOf(sourceOf('defillama', 'reference'), {
    references: [{ kind: 'reference', of: { platform: 'ethereum', address: ADDRESS }, price_usd, at }],
  })
const told = (id: string, price_usd: number) => listOf(id, sightingOf('acme', { price_usd, contracts, rank: 1 }))
const traded = (price: number, ...venues: readonly string[]) =>
  venues.map((id) => venueOf(id, quoteOf('ACME/USD', price)))
const acme = (...reports: readonly Report[]) => {
  const asset = feedFrom(reports, { registry }).snapshot.bySlug.get('acme')?.asset
  return asset && { price_usd: asset.price_usd, ...asset.price_basis }
}

describe('a price by contract', () => {
  it('changes nothing where it repeats the aggregator', () => {
    expect(acme(told('coingecko', 2), defillama(2.05))).toEqual(acme(told('coingecko', 2)))
  })

  it('supports a venue of an earlier run against the aggregator', () => {
    const previous = publishedBy(feedFrom([told('coingecko', 2), ...traded(2, 'a')], { registry }))
    const then = (...reports: readonly Report[]) =>
      feedFrom(reports, { registry, previous, now: NOW + HOUR }).snapshot.bySlug.get('acme')?.asset.price_usd
    expect(then(told('coingecko', 2), ...traded(2.3, 'a'))).toBe(2)
    expect(then(told('coingecko', 2), ...traded(2.3, 'a'), defillama(2.3, NOW + HOUR))).toBe(2.3)
  })

  it('is of the first contract of a listing that its source prices', () => {
    const both = [...contracts, contractOn('tron', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t')]
    const listed = listOf('coingecko', sightingOf('acme', { price_usd: 2, contracts: both, rank: 1 }))
    const references = both.map(({ platform, address }, at) => {
      return { kind: 'reference', of: { platform, address }, price_usd: 3 + at, at: NOW } as const
    })
    const [first] = references.map((one) => reportOf(sourceOf('defillama', 'reference'), { references: [one] }))
    const all = reportOf(sourceOf('defillama', 'reference'), { references })
    expect(first && acme(listed, first)?.excluded).toHaveLength(1)
    expect(acme(listed, all)).toEqual(first && acme(listed, first))
  })

  it('does not outvote an aggregator alone, but casts doubt', () => {
    expect(acme(told('coingecko', 2), defillama(3))).toMatchObject({ price_usd: 2, low_confidence_reason: 'split' })
  })

  it('does not move the price of a quorum of venues', () => {
    const venues = traded(2, 'a', 'b', 'c')
    expect(acme(told('coingecko', 2), ...venues, defillama(9))?.price_usd).toBe(2)
  })

  it('makes no price on its own', () => {
    expect(acme(listOf('coingecko', sightingOf('acme', { contracts })), defillama(2))?.price_usd ?? null).toBeNull()
  })

  it('is not used when it is old, or of a contract that two listings claim', () => {
    const lists = listOf(
      'coingecko',
      sightingOf('acme', { price_usd: 2, contracts }),
      sightingOf('twin', { price_usd: 2, contracts }),
    )
    expect(acme(told('coingecko', 2), defillama(3, NOW - 5 * HOUR))?.excluded).toEqual([])
    expect(acme(lists, defillama(3))?.excluded).toEqual([])
  })
})

it('counts beside a quorum of venues where no aggregator has a price, and not beside fewer', () => {
  const opinion = { source_id: 'defillama', pair: 'ACME/USD', price_usd: 3 }
  expect(countedByContract([opinion], [], () => 2)).toEqual([opinion])
  expect(countedByContract([opinion], [], () => 2.9)).toEqual([])
  expect(countedByContract([opinion], [], () => null)).toEqual([])
})
