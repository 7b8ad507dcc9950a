import { describe, expect, it } from 'vitest'
import type { Asset } from '../../src/core/contract/asset.ts'
import type { QuarantineRow } from '../../src/core/contract/quarantine.ts'
import { NOTHING_BEFORE } from '../../src/core/feed/listing.ts'
import { type SnapshotRows, snapshotOf } from '../../src/core/feed/snapshot.ts'
import { AT, assetOf, before, marketOf } from './world.ts'

const listingOf = (slug: string, given: Partial<Asset> = {}, venues: readonly string[] = []) => ({
  asset: assetOf(slug, given),
  markets: venues.map((venue) => marketOf(venue, 1)),
})
const snapshot = (given: Partial<SnapshotRows>, previous = NOTHING_BEFORE) =>
  snapshotOf(previous, { at: AT, listings: [], pairs: [], sources: [], rates: [], ...given })
const slugs = (listings: readonly { readonly asset: Asset }[]) => listings.map(({ asset }) => asset.slug)

describe('the listings of a snapshot', () => {
  it('are sorted by slug; the feed by rank, without the delisted', () => {
    const current = [
      listingOf('c', { market_cap_rank: 1 }),
      listingOf('b', { listing_status: 'delisted' }),
      listingOf('a', { market_cap_rank: 2 }),
    ]
    const { listings, listed } = snapshot({ listings: current })
    expect([slugs(listings), slugs(listed)]).toEqual([
      ['a', 'b', 'c'],
      ['c', 'a'],
    ])
  })

  it('keep a retired slug, which names its successor and has no markets', () => {
    const previous = before(listingOf('old', {}, ['venue']), listingOf('older', { replaced_by: 'old' }))
    const { bySlug, listed } = snapshot({ listings: [listingOf('new', { aliases: ['old'] })] }, previous)
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
  const { quarantine } = snapshot({ listings: current }, before(retired))
  expect(quarantine.map(({ slug, field }) => `${slug} ${field}`)).toEqual([
    'a price_usd',
    'b circulating_supply',
    'b price_usd',
  ])
})
