import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MarketsRow } from '../../src/contract/asset.ts'
import { sparklineOf } from '../../src/history/sparkline.ts'
import { COLUMNS, answered, ordered } from '../../src/pages/market-rows.ts'
import { otherIds } from '../../src/pages/search-ids.ts'
import { nextOrder } from '../../src/pages/listings.tsx'
import { assetOf } from '../feed/world.ts'

const row = (slug: string, given: Parameters<typeof assetOf>[1] = {}) =>
  MarketsRow.parse({ ...assetOf(slug, given), sparkline_7d: sparklineOf(null) })
const feed = [
  row('bitcoin', {
    name: 'Bitcoin',
    symbol: 'BTC',
    market_cap_rank: 1,
    price_usd: 90_000,
    verification_status: 'verified',
  }),
  row('tether', {
    name: 'Tether',
    symbol: 'USDT',
    market_cap_rank: 2,
    price_usd: 1,
    contracts: [
      {
        chain: 'ethereum',
        chain_id: 1,
        address: '0xdac17f958d2ee523a2206206994597c13d831ec7',
        decimals: 6,
        standard: 'ERC-20',
        explorer_url: null,
      },
    ],
  }),
  row('bitcoin-cash', { name: 'Bitcoin Cash', symbol: 'BCH', market_cap_rank: 3, price_usd: 500 }),
  row('btc-token', { name: 'Wrapped thing', symbol: 'XBTC', price_usd: null }),
]
const ask = { words: '', verifiedOnly: false, order: null }
const slugs = (rows: readonly { slug: string }[]) => rows.map(({ slug }) => slug)

describe('a search', () => {
  it.each([
    ['', ['bitcoin', 'tether', 'bitcoin-cash', 'btc-token']],
    ['btc', ['bitcoin', 'btc-token']],
    [' Bitcoin ', ['bitcoin', 'bitcoin-cash']],
    ['BITCOIN C', ['bitcoin-cash']],
    ['usd', ['tether']],
    ['0xDAC17F958D2EE523A2206206994597C13D831EC7', ['tether']],
    ['0xdac17f95', ['tether']],
    ['btc-token', ['btc-token']],
    ['nothing', []],
  ])('for “%s” finds the best fit first', (words, found) =>
    expect(slugs(answered(feed, { ...ask, words }))).toEqual(found),
  )

  it.each([
    ['btc-bitcoin', ['bitcoin']],
    ['825', ['tether']],
    ['usdt-t', ['tether']],
    // A short number is the whole id of one listing, and the beginning of many.
    ['82', []],
  ])('for “%s” finds the id of another service', (words, found) => {
    const ids = new Map([
      ['bitcoin', ['1', 'btc-bitcoin']],
      ['tether', ['825', 'usdt-tether']],
    ])
    expect(slugs(answered(feed, { ...ask, words, ids }))).toEqual(found)
  })

  it('reads only ids that the slug, symbol and name do not find', () =>
    expect(
      otherIds(
        assetOf('bitcoin', {
          name: 'Bitcoin',
          symbol: 'BTC',
          external_ids: { coingecko: 'bitcoin', coinlore: '90', coinpaprika: 'btc-bitcoin', kraken: 'BTC' },
        }),
      ),
    ).toEqual(['90', 'btc-bitcoin']))

  it('can cover verified listings alone', () =>
    expect(slugs(answered(feed, { ...ask, words: 'bitcoin', verifiedOnly: true }))).toEqual(['bitcoin']))

  it('keeps an order that was chosen', () =>
    expect(slugs(answered(feed, { ...ask, words: 'b', order: { column: 'price_usd', descending: false } }))).toEqual([
      'bitcoin-cash',
      'bitcoin',
      'btc-token',
    ]))
})

describe('an order', () => {
  it('stays as published where none was chosen', () =>
    expect(slugs(ordered(feed.toReversed(), null))).toEqual(slugs(feed).toReversed()))

  it('puts unknown values last in both directions, and loses no row', () =>
    fc.assert(
      fc.property(
        fc.array(fc.option(fc.integer({ min: 1, max: 1e9 }), { nil: null })),
        fc.constantFrom(...COLUMNS.filter((column) => column !== 'name')),
        fc.boolean(),
        (values, column, descending) => {
          const rows = values.map((value, at) => row(`a${at}`, { [column]: value }))
          const shown = ordered(rows.toReversed(), { column, descending }).map((one) => one[column])
          const known = values.filter((value) => value !== null).toSorted((a, b) => (descending ? b - a : a - b))
          expect(shown).toEqual([...known, ...values.filter((value) => value === null)])
        },
      ),
      { numRuns: 50 },
    ))

  it('begins with the largest number, or the first name, and turns around', () => {
    expect(nextOrder(null, 'price_usd')).toEqual({ column: 'price_usd', descending: true })
    expect(nextOrder({ column: 'price_usd', descending: true }, 'price_usd').descending).toBe(false)
    expect(nextOrder(null, 'name')).toEqual({ column: 'name', descending: false })
  })
})
