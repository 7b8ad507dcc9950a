import { describe, expect, it } from 'vitest'
import { isFrozen, withUnchangedSince } from '../../src/core/feed/carry.ts'
import { heldPrice } from '../../src/core/feed/market-rows.ts'
import { AT, HOUR, NOW, feedFrom, listOf, marketOf, publishedBy, quoteOf, sightingOf, venueOf } from './world.ts'

describe('the price of a market', () => {
  it.each([
    ['is its last trade within its book', { last: 10, bid: 9, ask: 11 }, 10],
    ['is the bid where the last trade is below it', { last: 8, bid: 9, ask: 11 }, 9],
    ['is the ask where the last trade is above it', { last: 12, bid: 9, ask: 11 }, 11],
    ['is held by the one side there is', { last: 8, bid: 9, ask: null }, 9],
    ['is its last trade without a book', { last: 8, bid: null, ask: null }, 8],
    ['is its last trade where the book is crossed', { last: 8, bid: 11, ask: 9 }, 8],
  ])('%s', (_, given, expected) => {
    expect(heldPrice(given)).toBe(expected)
  })
})

describe('a market', () => {
  it('keeps the time since when price, book and volume are the same', () => {
    const row = marketOf('a', 1)
    const later = '2026-11-20T13:00:00Z'
    expect(withUnchangedSince(row, { ...row, unchanged_since: AT }, later).unchanged_since).toBe(AT)
    expect(withUnchangedSince(row, { ...row, ask: 2, unchanged_since: AT }, later).unchanged_since).toBe(later)
    expect(withUnchangedSince(row, undefined, later).unchanged_since).toBe(later)
  })

  it('is frozen after an hour and a half while another venue moved, and not before', () => {
    const still = marketOf('a', 1, { unchanged_since: AT })
    const moved = marketOf('b', 1, { unchanged_since: '2026-11-20T12:30:00Z' })
    expect(isFrozen(still, [still, moved], NOW + 1.5 * HOUR)).toBe(true)
    expect(isFrozen(still, [still, moved], NOW + HOUR)).toBe(false)
    expect(isFrozen(still, [still, { ...moved, unchanged_since: AT }], NOW + 2 * HOUR)).toBe(false)
    expect(isFrozen(still, [still, { ...moved, exchange_id: 'a' }], NOW + 2 * HOUR)).toBe(false)
  })

  it('that does not move beside one that is itself left out keeps its price', () => {
    const wide = { bid: 1, ask: 1.5 }
    const run = (step: number) => [
      listOf('coingecko', sightingOf('acme', { price_usd: 1 })),
      venueOf('still', quoteOf('ACME/USD', 1)),
      venueOf('wide', quoteOf('ACME/USD', 1 + step / 1000, wide)),
    ]
    let feed = feedFrom(run(0))
    for (const step of [1, 2, 3, 4])
      feed = feedFrom(run(step), { previous: publishedBy(feed), now: NOW + (step * HOUR) / 2 })
    const markets = feed.snapshot.bySlug.get('acme')?.markets ?? []
    expect(markets.map(({ is_stale }) => is_stale)).toEqual([false, false])
  })

  it('that does not move over several runs is excluded, and has no trade time', () => {
    const list = listOf('coingecko', sightingOf('acme', { price_usd: 1 }))
    const run = (step: number) => [
      list,
      venueOf('frozen', quoteOf('ACME/USD', 1, { at: NOW + (step * HOUR) / 2 })),
      ...['a', 'b', 'c'].map((id) => venueOf(id, quoteOf('ACME/USD', 1 + step / 1000))),
    ]
    let feed = feedFrom(run(0))
    for (const step of [1, 2, 3])
      feed = feedFrom(run(step), { previous: publishedBy(feed), now: NOW + (step * HOUR) / 2 })
    const frozen = feed.snapshot.bySlug.get('acme')?.markets.find(({ exchange_id }) => exchange_id === 'frozen')
    expect(frozen).toMatchObject({ is_stale: true, used_in_price: false, last_traded_at: null, unchanged_since: AT })
  })
})
