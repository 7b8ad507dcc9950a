import { describe, expect, it } from 'vitest'
import type { Asset } from '../../src/core/contract/asset.ts'
import type { SourceRow } from '../../src/core/contract/collector.ts'
import { marketView } from '../../src/core/endpoints/market-view.ts'
import { sourceRow } from '../../src/core/feed/health.ts'
import { NOTHING_BEFORE } from '../../src/core/feed/listing.ts'
import { type SnapshotRows, snapshotOf } from '../../src/core/feed/snapshot.ts'
import { SourceError } from '../../src/core/sources/source-error.ts'
import { AT, HOUR, TALLY, assetOf, basisOf, marketOf, reportOf, sourceOf } from '../feed/world.ts'

const listingOf = (slug: string, given: Partial<Asset> = {}, venues: readonly string[] = []) => ({
  asset: assetOf(slug, given),
  markets: venues.map((venue) => marketOf(venue, 1)),
})
const viewOf = (given: Partial<SnapshotRows>, members: Parameters<typeof marketView>[1] = [], cadence = 0) =>
  marketView(
    snapshotOf(NOTHING_BEFORE, { at: AT, listings: [], pairs: [], sources: [], rates: [], ...given }),
    members,
    cadence,
  )
const row = (id: string, type: SourceRow['source_type'], answers = true): SourceRow =>
  sourceRow(
    reportOf(sourceOf(id, type), { error: answers ? null : new SourceError('source_timeout', 'no answer') }),
    TALLY,
    NOTHING_BEFORE,
  )

describe('the coverage', () => {
  it('counts the listings that have a price, and those that two sources know', () => {
    const listings = [
      listingOf('a', { external_ids: { list: 'a', index: 'a' } }),
      listingOf('b', { external_ids: { list: 'b' } }, ['venue', 'venue']),
      listingOf('c', { price_usd: null }, ['venue', 'venue']),
      listingOf('d', { listing_status: 'delisted' }, ['venue', 'other']),
    ]
    expect(viewOf({ listings }).coverage).toEqual({
      listings: 3,
      priced: 2,
      priced_percent: 66.6667,
      with_two_sources: 2,
    })
  })

  it('of nothing is zero percent', () => {
    expect(viewOf({}).coverage.priced_percent).toBe(0)
  })
})

it('the freshness has the oldest value, the carried prices and the time at which the feed is stale', () => {
  const listings = [
    listingOf('a', { last_updated: '2026-11-20T11:00:00Z' }),
    listingOf('b', { last_updated: '2026-11-20T10:00:00Z', price_basis: basisOf('carried') }),
    listingOf('c', { last_updated: null }),
  ]
  expect(viewOf({ listings }).freshness).toEqual({
    collectedAt: AT,
    oldestValueAt: '2026-11-20T10:00:00Z',
    staleAfter: '2026-11-20T13:30:00Z',
    carriedForward: 1,
  })
  expect(viewOf({}).freshness.oldestValueAt).toBeNull()
  expect(viewOf({}, [], 2 * HOUR).freshness.staleAfter).toBe('2026-11-20T16:00:00Z')
})

describe('the health', () => {
  const silent = [row('list', 'aggregator', false), row('venue', 'exchange', false)]

  it('of the lists is that of aggregators and exchanges: stale while values are kept, down without any', () => {
    const sources = [...silent, row('pools', 'dex')]
    expect(viewOf({ sources, listings: [listingOf('a')] }).health.sourceStatus).toBe('stale')
    expect(viewOf({ sources, listings: [listingOf('a', { price_usd: null })] }).health.sourceStatus).toBe('down')
  })

  it('of the pools is that of the DEX sources alone', () => {
    expect(viewOf({ sources: [...silent, row('pools', 'dex')] }).dexHealth.sourceStatus).toBe('ok')
    expect(viewOf({ sources: [row('list', 'aggregator'), row('pools', 'dex', false)] }).dexHealth.sourceStatus).toBe(
      'down',
    )
  })

  it('of a listing is that of the sources that feed it', () => {
    const sources = [row('list', 'aggregator'), row('venue', 'exchange', false)]
    const listings = [
      listingOf('by-list', { external_ids: { list: 'a' } }),
      listingOf('by-venue', {}, ['venue']),
      listingOf('by-none'),
    ]
    const { healthOf } = viewOf({ sources, listings })
    expect([...healthOf].map(([slug, { sourceStatus }]) => [slug, sourceStatus])).toEqual([
      ['by-list', 'ok'],
      ['by-none', 'ok'],
      ['by-venue', 'stale'],
    ])
  })
})

it('the ecosystem has its members, counted by status', () => {
  const part = { role: 'base', protocol: 'tap' } as const
  const listings = [
    listingOf('a', { verification_status: 'verified' }),
    listingOf('b', { verification_status: 'pending', price_usd: null }),
    listingOf('c', { verification_status: 'verified' }),
  ]
  const { ecosystem, registryCounts } = viewOf({ listings }, [
    { slug: 'a', ...part },
    { slug: 'b', ...part },
  ])
  expect(ecosystem.map(({ slug, role }) => [slug, role])).toEqual([
    ['a', 'base'],
    ['b', 'base'],
  ])
  expect(registryCounts).toEqual({ assets: 2, verified: 1, unverified: 0, pending: 1, flagged: 0, with_price: 1 })
})
