import { describe, expect, it } from 'vitest'
import { changeBasis, recomputeChange } from '../../src/core/feed/change.ts'
import { HOUR, NOW, feedFrom, listOf, publishedBy, quoteOf, sightingOf, silent, venueOf } from './world.ts'

const told = (...changes: readonly number[]) =>
  changes.map((percent_change_24h, index) => ({ source_id: `source-${index}`, pair: 'ACME/USD', percent_change_24h }))
const changeOf = (...given: Parameters<typeof changeBasis>) =>
  recomputeChange(changeBasis(...given), { price_usd: given[0], percent_change_24h: null })

describe('the change of 24 hours', () => {
  it.each([
    [
      'is that from our own price a day ago',
      changeOf(110, { timestamp: '2026-11-19T12:00:00Z', price_usd: 100 }, told(-7)),
      10,
    ],
    ['is until then the middle of what the witnesses say', changeOf(110, null, told(1, 2, 900)), 2],
    ['is the mean of two', changeOf(110, null, told(1, 2)), 1.5],
    ['is unknown where none is reported', changeOf(110, null, []), null],
    [
      'is the last one while it is carried',
      recomputeChange(
        { method: 'carried', since: null, price_usd: null, sources: [] },
        { price_usd: 110, percent_change_24h: 5 },
      ),
      5,
    ],
  ])('%s', (_, change, expected) => {
    expect(change).toBe(expected)
  })

  it('is not taken from pairs in other currencies than the dollar', () => {
    const list = listOf('coingecko', sightingOf('tether', { symbol: 'USDT', price_usd: 1 }))
    const venue = (id: string) =>
      venueOf(
        id,
        quoteOf('USDT/USD', 1, { percent_change_24h: -0.02 }),
        quoteOf('USDT/TRY', 40, { percent_change_24h: -9, volume_24h_base: 1e9 }),
      )
    const { snapshot } = feedFrom([list, venue('a'), venue('b'), venue('c')])
    const tether = snapshot.bySlug.get('tether')?.asset
    expect(tether?.percent_change_24h).toBe(-0.02)
    expect(tether?.change_basis.sources.map(({ pair }) => pair)).toEqual(['USDT/USD', 'USDT/USD', 'USDT/USD'])
  })

  it('comes from history once that reaches back a day', () => {
    const list = listOf('coingecko', sightingOf('acme', { price_usd: 110, percent_change_24h: -7 }))
    const { snapshot } = feedFrom([list], {
      now: NOW + HOUR,
      pastPrices: () => ({ dayAgo: { timestamp: '2026-11-19T13:00:00Z', price_usd: 100 }, oldest: null }),
    })
    expect(snapshot.bySlug.get('acme')?.asset).toMatchObject({
      percent_change_24h: 10,
      change_basis: { method: 'history', since: '2026-11-19T13:00:00Z', price_usd: 100 },
    })
  })
})

describe('the change of seven days', () => {
  const gecko = listOf('coingecko', sightingOf('acme', { price_usd: 110, percent_change_7d: -7 }))
  const assetIn = (...given: Parameters<typeof feedFrom>) => feedFrom(...given).snapshot.bySlug.get('acme')?.asset

  it('is that of a source, carried while it is silent, where no history reaches back', () => {
    const first = feedFrom([gecko])
    expect(first.snapshot.bySlug.get('acme')?.asset).toMatchObject({
      percent_change_7d: -7,
      week_basis: { method: 'reported', since: null, price_usd: null },
      told_by: { coingecko: ['percent_change_7d'] },
    })
    expect(assetIn([silent(gecko)], { previous: publishedBy(first), now: NOW + HOUR })).toMatchObject({
      percent_change_7d: -7,
      week_basis: { method: 'carried' },
    })
  })
})
