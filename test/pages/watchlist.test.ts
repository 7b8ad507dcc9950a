import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  amountIn,
  holdingsCsv,
  holdingsIn,
  merged,
  textOf,
  toggled,
  watchlistIn,
  worthOf,
} from '../../src/pages/watchlist.ts'

const slug = fc.stringMatching(/^[a-z0-9][a-z0-9-]{0,20}$/)
const held = fc.option(fc.double({ min: 1e-9, max: 1e9, noNaN: true }), { nil: null })
const watchlist = fc.array(fc.tuple(slug, held), { maxLength: 40 }).map((entries) => new Map(entries))

describe('a watchlist', () => {
  it('is read from the text that it is printed as', () => {
    fc.assert(
      fc.property(watchlist, (list) => {
        expect([...watchlistIn(textOf(list))]).toEqual([...list])
      }),
    )
  })

  it('is read from any text without an error', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(watchlistIn(text).size).toBeLessThanOrEqual(100)
      }),
    )
  })

  it('leaves invalid parts out, and amounts that are no amounts', () => {
    expect([...watchlistIn('bitcoin:-1,ethereum:x,<b>,solana:2,,bitcoin:3')]).toEqual([
      ['bitcoin', 3],
      ['ethereum', null],
      ['solana', 2],
    ])
  })

  it('keeps its amounts when another one is added to it', () => {
    expect(textOf(merged(watchlistIn('bitcoin:1,solana'), watchlistIn('bitcoin:9,solana:2,ethereum:3')))).toBe(
      'bitcoin:1,solana,ethereum:3',
    )
  })

  it('is the same after a listing was added and removed', () => {
    fc.assert(
      fc.property(watchlist, slug, (list, other) => {
        fc.pre(!list.has(other))
        expect([...toggled(toggled(list, other), other)]).toEqual([...list])
      }),
    )
  })
})

describe('the value of a watchlist', () => {
  const rows = [
    { slug: 'a', price_usd: 110, percent_change_24h: 10 },
    { slug: 'b', price_usd: 50, percent_change_24h: null },
    { slug: 'c', price_usd: null, percent_change_24h: null },
    { slug: 'd', price_usd: 7, percent_change_24h: 1 },
    { slug: 'lost', price_usd: 1e-30, percent_change_24h: -100 },
  ]

  it('counts held listings with a price, and the change of those whose change is known', () => {
    const worth = worthOf(watchlistIn('a:2,b:1,c:3,d,delisted:1,lost:1'), rows)
    expect(worth).toMatchObject({ value_usd: 270, unpriced: 2 })
    expect(worth.percent_change_24h).toBeCloseTo(10, 10)
    expect(worth.change_24h_usd).toBeCloseTo(20, 10)
  })

  it('is unknown without amounts', () => {
    expect(worthOf(watchlistIn('a,b'), rows)).toEqual({
      value_usd: null,
      change_24h_usd: null,
      percent_change_24h: null,
      unpriced: 0,
    })
  })
})

it.each([
  ['0.5', 0.5],
  ['0,5', 0.5],
  [' 1,234.5 ', 1234.5],
  ['1.234,5', 1234.5],
  ['1,234,567', 1_234_567],
  ['.5', 0.5],
  ['12', 12],
  ['', null],
  ['-1', null],
  ['x', null],
])('the amount “%s” is read as %s', (text, amount) => expect(amountIn(text)).toBe(amount))

describe('a portfolio as CSV', () => {
  const rows = [
    { slug: 'bitcoin', symbol: 'BTC' },
    { slug: 'ethereum', symbol: 'ETH' },
  ]

  it('is read from the text that it is printed as', () => {
    const list = new Map([
      ['bitcoin', 0.5],
      ['ethereum', 1e-8],
    ])
    expect(holdingsCsv(list)).toContain('ethereum,0.00000001')
    expect(holdingsIn(holdingsCsv(list), rows)).toEqual({ holdings: list, unknown: [] })
  })

  it('takes symbols, semicolons and quotes, and names other lines', () => {
    const { holdings, unknown } = holdingsIn('Name;Amount\nBTC;0,5\n"eth","2"\nunknown,3\n', rows)
    expect([...holdings]).toEqual([
      ['bitcoin', 0.5],
      ['ethereum', 2],
    ])
    expect(unknown).toEqual(['unknown'])
  })
})
