import { describe, expect, it } from 'vitest'
import type { Asset } from '../../src/contract/asset.ts'
import type { QuarantineRow } from '../../src/contract/quarantine.ts'
import type { SourceRow } from '../../src/contract/collector.ts'
import { sourceRow } from '../../src/feed/health.ts'
import { NOTHING_BEFORE } from '../../src/feed/listing.ts'
import { type RunResult, snapshotOf } from '../../src/feed/snapshot.ts'
import { SourceError } from '../../src/sources/source-error.ts'
import { AT, HOUR, NOW, assetOf, basisOf, before, entryOf, marketOf, registryOf, reportOf, sourceOf } from './world.ts'

const listingOf = (slug: string, given: Partial<Asset> = {}, venues: readonly string[] = []) => ({
  asset: assetOf(slug, given),
  markets: venues.map((venue) => marketOf(venue, 1)),
})
const snapshot = (given: Partial<RunResult>, previous = NOTHING_BEFORE, registry = registryOf()) =>
  snapshotOf(
    { registry, previous, now: NOW, label: 'test', nextBuildAt: NOW + HOUR },
    { current: [], pairs: [], sources: [], rates: [], ...given },
  )
const TALLY = {
  asset_count: 0,
  market_count: 0,
  used_count: 0,
  unmatched_count: 0,
  dead_count: 0,
  duplicate_count: 0,
  outlier_count: 0,
  needed_count: 0,
  price_factor: 1,
}
const row = (id: string, type: SourceRow['source_type'], answers = true): SourceRow =>
  sourceRow(
    reportOf(sourceOf(id, type), { error: answers ? null : new SourceError('source_timeout', 'no answer') }),
    TALLY,
    NOTHING_BEFORE,
  )
const slugs = (listings: readonly { readonly asset: Asset }[]) => listings.map(({ asset }) => asset.slug)

describe('the listings of a snapshot', () => {
  it('are sorted by slug; the feed by rank, without the delisted', () => {
    const current = [
      listingOf('c', { market_cap_rank: 1 }),
      listingOf('b', { listing_status: 'delisted' }),
      listingOf('a', { market_cap_rank: 2 }),
    ]
    const { listings, listed } = snapshot({ current })
    expect([slugs(listings), slugs(listed)]).toEqual([
      ['a', 'b', 'c'],
      ['c', 'a'],
    ])
  })

  it('keep a retired slug, which names its successor and has no markets', () => {
    const previous = before(listingOf('old', {}, ['venue']), listingOf('older', { replaced_by: 'old' }))
    const { bySlug, listed } = snapshot({ current: [listingOf('new', { aliases: ['old'] })] }, previous)
    expect(bySlug.get('old')).toMatchObject({ asset: { replaced_by: 'new', listing_status: 'delisted' }, markets: [] })
    expect(bySlug.get('older')).toMatchObject({ asset: { replaced_by: 'old' } })
    expect(slugs(listed)).toEqual(['new'])
  })
})

it('the quarantine has what the listings hold back, by slug and field', () => {
  const held = (slug: string, field: QuarantineRow['field']): QuarantineRow => ({
    slug,
    field,
    held_value: 1,
    offered_value: 2,
    rule: 'price_jump',
    source_ids: [],
    reason: 'It jumped.',
    since: AT,
    releases_at: AT,
    release: 'A witness.',
  })
  const current = [
    listingOf('b', { held: [held('b', 'price_usd'), held('b', 'circulating_supply')] }),
    listingOf('a', { held: [held('a', 'price_usd')] }),
  ]
  const retired = listingOf('old', { held: [held('old', 'price_usd')] })
  const { quarantine } = snapshot({ current }, before(retired))
  expect(quarantine.map(({ slug, field }) => `${slug} ${field}`)).toEqual([
    'a price_usd',
    'b circulating_supply',
    'b price_usd',
  ])
})

describe('the coverage', () => {
  it('counts the listings that have a price, and those that two sources know', () => {
    const current = [
      listingOf('a', { external_ids: { list: 'a', index: 'a' } }),
      listingOf('b', { external_ids: { list: 'b' } }, ['venue', 'venue']),
      listingOf('c', { price_usd: null }, ['venue', 'venue']),
      listingOf('d', { listing_status: 'delisted' }, ['venue', 'other']),
    ]
    expect(snapshot({ current }).coverage).toEqual({
      listings: 3,
      priced: 2,
      priced_percent: 66.6667,
      with_two_sources: 2,
    })
  })

  it('of nothing is zero percent', () => {
    expect(snapshot({}).coverage.priced_percent).toBe(0)
  })
})

it('the freshness has the oldest value, the carried prices and the time at which the feed is stale', () => {
  const current = [
    listingOf('a', { last_updated: '2026-11-20T11:00:00Z' }),
    listingOf('b', { last_updated: '2026-11-20T10:00:00Z', price_basis: basisOf('carried') }),
    listingOf('c', { last_updated: null }),
  ]
  expect(snapshot({ current }).freshness).toEqual({
    collectedAt: AT,
    oldestValueAt: '2026-11-20T10:00:00Z',
    staleAfter: '2026-11-20T13:30:00Z',
    carriedForward: 1,
  })
  expect(snapshot({}).freshness.oldestValueAt).toBeNull()
})

describe('the health', () => {
  const silent = [row('list', 'aggregator', false), row('venue', 'exchange', false)]

  it('of the lists is that of aggregators and exchanges: stale while values are kept, down without any', () => {
    const sources = [...silent, row('pools', 'dex')]
    expect(snapshot({ sources, current: [listingOf('a')] }).health.sourceStatus).toBe('stale')
    expect(snapshot({ sources, current: [listingOf('a', { price_usd: null })] }).health.sourceStatus).toBe('down')
  })

  it('of the pools is that of the DEX sources alone', () => {
    expect(snapshot({ sources: [...silent, row('pools', 'dex')] }).dexHealth.sourceStatus).toBe('ok')
    expect(snapshot({ sources: [row('list', 'aggregator'), row('pools', 'dex', false)] }).dexHealth.sourceStatus).toBe(
      'down',
    )
  })

  it('of a listing is that of the sources that feed it', () => {
    const sources = [row('list', 'aggregator'), row('venue', 'exchange', false)]
    const current = [
      listingOf('by-list', { external_ids: { list: 'a' } }),
      listingOf('by-venue', {}, ['venue']),
      listingOf('by-nobody'),
    ]
    const { healthOf } = snapshot({ sources, current })
    expect([...healthOf].map(([slug, { sourceStatus }]) => [slug, sourceStatus])).toEqual([
      ['by-list', 'ok'],
      ['by-nobody', 'ok'],
      ['by-venue', 'stale'],
    ])
  })
})

it('the ecosystem has the assets of the registry, counted by status', () => {
  const part = { role: 'base', protocol: 'tap' }
  const registry = {
    ...registryOf(),
    assets: registryOf(entryOf('a'), entryOf('b'), entryOf('c')).assets.map((entry) => ({
      ...entry,
      ecosystem: entry.slug === 'c' ? null : part,
    })),
  }
  const current = [
    listingOf('a', { verification_status: 'verified' }),
    listingOf('b', { verification_status: 'pending', price_usd: null }),
    listingOf('c', { verification_status: 'verified' }),
  ]
  const { ecosystem, registryCounts } = snapshot({ current }, NOTHING_BEFORE, registry)
  expect(ecosystem.map(({ slug, role }) => [slug, role])).toEqual([
    ['a', 'base'],
    ['b', 'base'],
  ])
  expect(registryCounts).toEqual({ assets: 2, verified: 1, unverified: 0, pending: 1, flagged: 0, with_price: 1 })
})
