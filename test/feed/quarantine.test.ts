import { marketView } from '../../src/core/endpoints/market-view.ts'
import { describe, expect, it } from 'vitest'
import { isoOf } from '../../src/core/contract/time.ts'
import type { Feed } from '../../src/core/feed/feed.ts'
import { NOTHING_BEFORE } from '../../src/core/feed/listing.ts'
import type { Report } from '../../src/core/sources/collect.ts'
import type { Sighting } from '../../src/core/sources/source.ts'
import { AT, HOUR, NOW, entryOf, feedFrom, listOf } from './world.ts'
import { publishedBy, quoteOf, registryOf, sightingOf, venueOf } from './world.ts'

const registry = registryOf(
  entryOf('luna', { exchange_symbols: { '*': 'LUNA' }, external_ids: { coingecko: 'luna', coinpaprika: 'luna' } }),
)
const aggregator = (id: string, price: number): Report => listOf(id, sightingOf('luna', { price_usd: price }))
const venue = (id: string, price: number): Report => venueOf(id, quoteOf('LUNA/USD', price))
const run = (reports: readonly Report[], hours: number, last?: Feed): Feed =>
  feedFrom(reports, { registry, now: NOW + hours * HOUR, previous: last ? publishedBy(last) : NOTHING_BEFORE })
const luna = ({ snapshot }: Feed) => snapshot.bySlug.get('luna')?.asset
const held = ({ snapshot }: Feed) => snapshot.quarantine

const before = run([aggregator('coingecko', 80)], 0)

describe('a price that jumps', () => {
  it('is held back if a single source reports it, and the last one is kept and marked', () => {
    const after = run([aggregator('coingecko', 800)], 0.5, before)
    expect(luna(after)).toMatchObject({
      price_usd: 80,
      last_updated: AT,
      listing_status: 'active',
      price_basis: { method: 'carried' },
      carried: { price_usd: AT },
    })
    expect(held(after)).toEqual([
      {
        slug: 'luna',
        field: 'price_usd',
        held_value: 80,
        offered_value: 800,
        rule: 'price_jump',
        source_ids: ['coingecko'],
        reason: 'It differs from the last price by a factor of 10, and 1 of 1 venues and aggregators confirm it.',
        since: isoOf(NOW + HOUR / 2),
        releases_at: isoOf(NOW + 6.5 * HOUR),
        release:
          'Three venues and aggregators within 20 % of it that are more than half, all but one where no aggregator has a ' +
          'price, or both of two. Or reports in that direction for 6 hours.',
      },
    ])
    expect(marketView(after.snapshot, [], 0).gainers).toEqual([])
  })

  it.each([
    ['a little', [aggregator('coingecko', 150)]],
    // LUNA in May 2022: from 80 dollars to about 1 in two days, on every venue.
    [
      'and three venues trade there',
      [aggregator('coingecko', 80), venue('a', 1.1), venue('b', 1.05), venue('c', 1.12)],
    ],
    ['and a second aggregator says it too', [aggregator('coingecko', 1.1), aggregator('coinpaprika', 1.05)]],
    ['and a venue trades there', [aggregator('coingecko', 1.1), venue('a', 1.05)]],
  ])('%s is published', (_, reports) => {
    const after = run(reports, 0.5, before)
    expect(held(after)).toEqual([])
    expect(luna(after)?.price_basis.method).not.toBe('carried')
    expect(luna(after)?.price_usd).not.toBe(80)
  })

  it('is held back if exactly half of six report it', () => {
    const others = [venue('d', 80), aggregator('coingecko', 80), aggregator('coinpaprika', 80)]
    const after = run([...['a', 'b', 'c'].map((id) => venue(id, 170)), ...others], 0.5, before)
    expect(held(after)).toMatchObject([{ held_value: 80, offered_value: 170 }])
  })

  it('is published when it is still offered after six hours', () => {
    let last = before
    for (let half = 1; half <= 12; half++) {
      last = run([aggregator('coingecko', 8 + half / 10)], half / 2, last)
      expect(luna(last)?.price_usd).toBe(80)
      expect(held(last)).toMatchObject([{ offered_value: 8.1, since: isoOf(NOW + HOUR / 2) }])
    }
    last = run([aggregator('coingecko', 9.3)], 6.5, last)
    expect(luna(last)).toMatchObject({ price_usd: 9.3, price_basis: { method: 'aggregators' } })
    expect(held(last)).toEqual([])
  })

  it('begins again where it offers something else', () => {
    const first = run([aggregator('coingecko', 800)], 0.5, before)
    const second = run([aggregator('coingecko', 8)], 1, first)
    expect(held(second)).toMatchObject([{ offered_value: 8, since: isoOf(NOW + HOUR) }])
  })

  it('is forgotten when the old price is back', () => {
    const first = run([aggregator('coingecko', 800)], 0.5, before)
    const second = run([aggregator('coingecko', 81)], 1, first)
    expect(held(second)).toEqual([])
    expect(luna(second)).toMatchObject({ price_usd: 81, carried: null })
  })

  it('is published if the last price is too old to keep', () => {
    const after = run([aggregator('coingecko', 800)], 25, before)
    expect(luna(after)?.price_usd).toBe(800)
  })
})

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
