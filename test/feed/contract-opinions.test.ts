import { describe, expect, it } from 'vitest'
import { countedByContract } from '../../src/core/feed/expectations.ts'
import type { Report } from '../../src/core/sources/collect.ts'
import {
  HOUR,
  NOW,
  contractOn,
  entryOf,
  feedFrom,
  listOf,
  publishedBy,
  quoteOf,
  registryOf,
  reportOf,
  sightingOf,
  sourceOf,
  venueOf,
} from './world.ts'

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
