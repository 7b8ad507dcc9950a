import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../src/core/feed/methodology.ts'
import { heldPrice, marketOf, marketOrder, qualityOf } from '../../src/core/feed/market-rows.ts'
import type { Market } from '../../src/core/contract/market.ts'
import { AT, HOUR, NOW, marketOf as publishedMarket, quoteOf, ratesOf } from './world.ts'

const origin = { id: 'venue', label: 'Venue', now: NOW, collected_at: AT }
const match = { matched_by: 'price', matched_at: AT } as const
const row = (given: object, last: number | null = 2) =>
  marketOf(quoteOf('ACME/EUR', last, given), origin, match, ratesOf({ EUR: 1.5 }))

describe('a market is stale', () => {
  const limit = NOW - LIMITS.live_hours * HOUR
  it.each([
    ['when its row is old and its last trade is not', { at: limit - 1, traded_at: NOW }, true],
    ['when its last trade is old and its row is not', { at: NOW, traded_at: limit - 1 }, true],
    ['when its only time is old', { at: limit - 1 }, true],
    ['not at the limit', { at: limit, traded_at: limit }, false],
    ['not when it has no time', { at: null }, false],
  ])('%s', (_, times, stale) => {
    expect(row(times).is_stale).toBe(stale)
  })
})

describe('the price of a market', () => {
  it.each([
    ['is its last trade within the book', { last: 2, bid: 1, ask: 3 }, 2],
    ['is the bid where the trade is below it', { last: 2, bid: 2.5, ask: 3 }, 2.5],
    ['is the ask where the trade is above it', { last: 2, bid: 1, ask: 1.5 }, 1.5],
    ['is held on the only side of the book', { last: 2, bid: null, ask: 1.5 }, 1.5],
    ['is the last trade where the book is crossed', { last: 2, bid: 4, ask: 3 }, 2],
    ['is the last trade without a book', { last: 2, bid: null, ask: null }, 2],
  ])('%s', (_, book, price) => {
    expect(heldPrice(book)).toBe(price)
  })

  it('is in dollars by the rate of its quote currency', () => {
    expect(row({})).toMatchObject({ price: 2, price_usd: 3, quote_usd: 1.5 })
    expect(marketOf(quoteOf('ACME/XXX', 2), origin, match, ratesOf({}))).toMatchObject({ price: 2, price_usd: null })
  })
})

describe('the volume of a market', () => {
  it.each([
    ['in the quote is computed from that in the base', { volume_24h_base: 10 }, [10, 30]],
    ['in the base is computed from that in the quote', { volume_24h_base: null, volume_24h_quote: 40 }, [20, 60]],
    ['is as told where both are told', { volume_24h_base: 10, volume_24h_quote: 40 }, [10, 60]],
    ['is unknown where none is told', { volume_24h_base: null }, [null, null]],
  ])('%s', (_, given, [base, usd]) => {
    expect(row(given)).toMatchObject({ volume_24h_base: base, volume_24h_usd: usd })
  })

  it('in the other currency is unknown without a price', () => {
    const book = { bid: null, ask: null }
    expect(row({ ...book, volume_24h_base: 10 }, null)).toMatchObject({ volume_24h_base: 10, volume_24h_usd: null })
  })
})

describe('the spread of a market', () => {
  it.each([
    ['is the distance of the two sides in percent of their mean', { bid: 1, ask: 3 }, 100],
    ['is unknown with one side', { bid: 1, ask: null }, null],
    ['is unknown where the book is crossed', { bid: 3, ask: 1 }, null],
    ['is zero where the sides meet', { bid: 2, ask: 2 }, 0],
  ])('%s', (_, book, spread) => {
    expect(row(book).spread_percent).toBe(spread)
  })
})

it('orders markets by volume, flagged ones last, then by venue and pair', () => {
  const of = (exchange_id: string, volume_24h_usd: number | null, given: object = {}) =>
    publishedMarket(exchange_id, 1, { volume_24h_usd, ...given })
  const sorted = [
    of('b', 900),
    of('a', 5, { pair: 'ACME/EUR' }),
    of('a', 5, { pair: 'ACME/USD' }),
    of('c', 5),
    of('a', null),
    of('d', 800, { is_stale: true }),
    of('e', 700, { is_outlier: true }),
  ]
  expect(sorted.toReversed().toSorted(marketOrder)).toEqual(sorted)
})

describe('the quality of a market', () => {
  it.each<[string, Partial<Market>, string, number, string[]]>([
    ['a busy one with a tight book', {}, 'high', 100, []],
    ['no price', { price_usd: null }, 'unknown', 0, ['no_price']],
    ['an outlier', { is_outlier: true }, 'low', 40, ['outlier']],
    ['a stale one', { is_stale: true }, 'low', 40, ['stale']],
    ['one side of the book', { bid: null, spread_percent: null }, 'high', 90, ['no_order_book']],
    ['a crossed book', { bid: 2, ask: 1, spread_percent: null }, 'medium', 60, ['crossed_book']],
    ['a spread of 1 %', { spread_percent: 1 }, 'high', 100, []],
    ['a spread over 1 %', { spread_percent: 1.1 }, 'high', 85, ['wide_spread']],
    ['a spread over 5 %', { spread_percent: 5.1 }, 'medium', 60, ['very_wide_spread']],
    ['thin volume', { volume_24h_usd: 49_999 }, 'high', 80, ['thin_volume']],
    ['very thin volume', { volume_24h_usd: 999 }, 'medium', 60, ['very_thin_volume']],
    ['no volume', { volume_24h_usd: 0 }, 'low', 40, ['no_volume']],
    ['unknown volume', { volume_24h_usd: null }, 'low', 40, ['no_volume']],
    [
      'a wide spread on thin volume',
      { spread_percent: 2, volume_24h_usd: 2000 },
      'medium',
      65,
      ['wide_spread', 'thin_volume'],
    ],
    [
      'everything at once',
      { is_outlier: true, is_stale: true, bid: null, volume_24h_usd: 0 },
      'low',
      0,
      ['outlier', 'stale', 'no_order_book', 'no_volume'],
    ],
  ])('%s', (_, given, quality, quality_score, quality_reasons) => {
    expect(qualityOf(publishedMarket('okx', 1, given))).toEqual({ quality, quality_score, quality_reasons })
  })
})
