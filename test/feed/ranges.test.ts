import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isoOf } from '../../src/core/contract/time.ts'
import type { Sighting } from '../../src/core/sources/source.ts'
import { AT, HOUR, NOW, entryOf, feedFrom, listOf, publishedBy, registryOf, sightingOf, silent } from './world.ts'

const YEAR_AGO = NOW - 8760 * HOUR
const listed = (source: string, given: Partial<Sighting>) => listOf(source, sightingOf('acme', given))
const assetFrom = (...reports: Parameters<typeof feedFrom>[0]) => feedFrom(reports).snapshot.bySlug.get('acme')?.asset

describe('the ranges of an asset', () => {
  it.each([
    ['hold the price as they are', { high_24h_usd: 3, low_24h_usd: 1, ath_usd: 9 }, [3, 1, 9]],
    ['end at a price above the high', { high_24h_usd: 1.95, low_24h_usd: 1, ath_usd: 9 }, [2, 1, 9]],
    ['begin at a price below the low', { high_24h_usd: 3, low_24h_usd: 2.05, ath_usd: 9 }, [3, 2, 9]],
    ['have no all-time high below the price', { high_24h_usd: null, low_24h_usd: null, ath_usd: 1.9 }, [null, null, 2]],
    ['have no all-time high below the high', { high_24h_usd: 3, low_24h_usd: 1, ath_usd: 2.5 }, [3, 1, 3]],
    [
      'are unknown where high and low contradict each other',
      { high_24h_usd: 1, low_24h_usd: 3, ath_usd: 9 },
      [null, null, 9],
    ],
  ] as const)('%s', (_, given, [high_24h_usd, low_24h_usd, ath_usd]) => {
    const asset = assetFrom(listed('coingecko', { price_usd: 2, ath_at: YEAR_AGO, ...given }))
    expect(asset).toMatchObject({ price_usd: 2, high_24h_usd, low_24h_usd, ath_usd })
  })

  it('say of a replaced figure neither a source nor its date', () => {
    const given = { price_usd: 2, high_24h_usd: 3, low_24h_usd: 2.05, ath_usd: 2.5, ath_at: YEAR_AGO }
    expect(assetFrom(listed('coingecko', given))).toMatchObject({
      told_by: { coingecko: ['high_24h_usd'] },
      ath_date: null,
    })
    expect(assetFrom(listed('coingecko', { price_usd: 2, ath_usd: 1, ath_at: YEAR_AGO }))?.ath_date).toBe(AT)
    expect(assetFrom(listed('coingecko', { price_usd: 2, ath_usd: 9, ath_at: NOW + HOUR }))?.ath_date).toBeNull()
  })

  it('are not those of a source that reports another price', () => {
    const first = listed('coingecko', { price_usd: 9, high_24h_usd: 10, low_24h_usd: 8, ath_usd: 20 })
    const others = ['coinpaprika', 'coinlore'].map((id) =>
      listed(id, { price_usd: 2, high_24h_usd: 3, low_24h_usd: 1, ath_usd: 5, ath_at: YEAR_AGO }),
    )
    const external_ids = { coingecko: 'acme', coinpaprika: 'acme', coinlore: 'acme' }
    const { snapshot } = feedFrom([first, ...others], { registry: registryOf(entryOf('acme', { external_ids })) })
    expect(snapshot.bySlug.get('acme')?.asset).toMatchObject({
      price_usd: 2,
      high_24h_usd: 3,
      low_24h_usd: 1,
      ath_usd: 5,
      ath_date: isoOf(YEAR_AGO),
    })
  })

  it('hold a price that is carried, with its time', () => {
    const gecko = listed('coingecko', { price_usd: 2 })
    const lore = listed('coinlore', { high_24h_usd: 1.9, low_24h_usd: 1 })
    const previous = publishedBy(feedFrom([gecko, lore]))
    const feed = feedFrom([silent(gecko), lore], { previous, now: NOW + HOUR })
    expect(feed.snapshot.bySlug.get('acme')?.asset).toMatchObject({
      price_usd: 2,
      high_24h_usd: 2,
      carried: { price_usd: AT, high_24h_usd: AT },
    })
  })

  it('keep the date of an all-time high that is carried', () => {
    const gecko = listed('coingecko', { price_usd: 2, ath_usd: 9, ath_at: YEAR_AGO })
    const lore = listed('coinlore', { price_usd: 2 })
    const previous = publishedBy(feedFrom([gecko, lore]))
    const asset = feedFrom([silent(gecko), lore], { previous, now: NOW + HOUR }).snapshot.bySlug.get('acme')?.asset
    expect(asset).toMatchObject({ ath_usd: 9, ath_date: isoOf(YEAR_AGO), carried: { ath_usd: AT } })
  })

  it('never contradict the price, whatever sources report', () => {
    const money = fc.option(fc.double({ min: 0.01, max: 1e6, noNaN: true, noDefaultInfinity: true }), { freq: 3 })
    const figures = fc.record({ price_usd: money, high_24h_usd: money, low_24h_usd: money, ath_usd: money })
    fc.assert(
      fc.property(fc.array(figures, { minLength: 1, maxLength: 3 }), (all) => {
        const asset = assetFrom(...all.map((given, index) => listed(`source-${index}`, given)))
        const {
          price_usd: price = null,
          high_24h_usd: high = null,
          low_24h_usd: low = null,
          ath_usd = null,
        } = asset ?? {}
        const known = [low, price, high, ath_usd].filter((value) => value !== null)
        expect(known).toEqual(known.toSorted((a, b) => a - b))
      }),
      { numRuns: 60 },
    )
  })
})
