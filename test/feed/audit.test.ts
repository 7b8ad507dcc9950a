import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { auditAggregators, auditVenues } from '../../src/core/feed/audit.ts'
import type { AuditedQuote } from '../../src/core/feed/rates.ts'
import { LIMITS } from '../../src/core/feed/methodology.ts'
import type { Market } from '../../src/core/contract/market.ts'
import { marketOf } from './world.ts'

const PRICES: Readonly<Record<string, number>> = { BTC: 50_000, ETH: 2500, SOL: 100, XRP: 0.5, ADA: 0.25, DOT: 5 }

/** A venue that quotes these in dollars, all off by the same factor. */
const venue = (venue: string, factor = 1, symbols = Object.keys(PRICES)): AuditedQuote[] =>
  symbols.map((base) => ({ venue, base, quote: 'USD', price: (PRICES[base] ?? 1) * factor }))
const NO_MARKETS: readonly AuditedQuote[] = []
const aggregator = venue('list')
const aggregators = [...aggregator, ...venue('index')]
const found = (quotes: readonly AuditedQuote[], listed: readonly AuditedQuote[]) =>
  [...auditVenues(quotes, listed)].map(([venue, factor]) => [venue, Number(factor.toFixed(6))])

const five = Object.keys(PRICES).slice(0, 5)
const four = five.slice(0, 4)

describe('a venue times ten', () => {
  it.each([
    ['is found by two others', [...venue('a'), ...venue('b'), ...venue('bad', 10)], NO_MARKETS, [['bad', 10]]],
    ['is found when it is a tenth', [...venue('a'), ...venue('b'), ...venue('bad', 0.1)], NO_MARKETS, [['bad', 0.1]]],
    [
      'is found on five shared pairs',
      [...venue('a'), ...venue('b'), ...venue('bad', 10, five)],
      NO_MARKETS,
      [['bad', 10]],
    ],
    ['cannot be told on four', [...venue('a'), ...venue('b'), ...venue('bad', 10, four)], NO_MARKETS, []],
    ['cannot be told by one other', [...venue('a'), ...venue('bad', 10)], NO_MARKETS, []],
    ['is found by two aggregators, alone', venue('bad', 10), aggregators, [['bad', 10]]],
    ['cannot be told by one aggregator: that is a tie', venue('bad', 10), aggregator, []],
    ['cannot be told by the aggregators on four', venue('bad', 10, four), aggregators, []],
    ['does not take the honest with it', [...venue('a'), ...venue('bad', 10)], aggregator, [['bad', 10]]],
    [
      'is found in pairs of two currencies too',
      four.concat('ADA').map((base) => ({ venue: 'bad', base, quote: 'DOT', price: ((PRICES[base] ?? 1) / 5) * 10 })),
      aggregators,
      [['bad', 10]],
    ],
  ])('%s', (_, quotes, opinions, expected) => {
    expect(found(quotes, opinions)).toEqual(expected)
  })
})

describe('a venue', () => {
  it('is believed with one mad row among sane ones', () => {
    const quotes = [
      ...venue('a'),
      ...venue('b'),
      ...venue('c').with(0, { venue: 'c', base: 'BTC', quote: 'USD', price: 1 }),
    ]
    expect(found(quotes, aggregators)).toEqual([])
  })

  it('that agrees with its peers is used, whatever the aggregators report', () => {
    expect(found([...venue('a'), ...venue('b'), ...venue('c')], venue('list', 10))).toEqual([])
    const late = [...venue('list', 0.7), ...venue('index', 0.7)]
    expect(found(venue('a'), late)).toEqual([])
  })

  it('that is 2 % off is found by 20 figures in common, and not by 19', () => {
    const symbols = Array.from({ length: 20 }, (_, index) => `S${index}`)
    const quotes = (count: number) =>
      [1, 1, 1.02].flatMap((factor, index) => venue(`v${index}`, factor, symbols.slice(0, count)))
    expect([found(quotes(20), NO_MARKETS), found(quotes(19), NO_MARKETS)]).toEqual([[['v2', 1.02]], []])
  })

  it('is not called off by two that lie together, unless they are more than half of all witnesses', () => {
    const liars = [...venue('x', 1.04), ...venue('y', 1.04)]
    const honest = [...venue('a'), ...venue('b')]
    expect(found([...honest, ...liars], NO_MARKETS)).toEqual([])
    expect(found([...venue('a'), ...liars], aggregator)).toEqual([])
    // On six pairs the tolerance is 5 %; from twenty on it is 1 %.
    const gross = [...venue('x', 1.1), ...venue('y', 1.1)]
    expect(found([...honest, ...gross], aggregator)).toEqual([
      ['x', 1.1],
      ['y', 1.1],
    ])
  })

  it('that is honest is never found beside one that lies, however small or large the lie', () => {
    const noise = fc.double({ min: 0.99, max: 1.01, noNaN: true })
    const honest = fc.array(fc.array(noise, { minLength: 6, maxLength: 6 }), { minLength: 3, maxLength: 6 })
    const lie = fc.oneof(
      fc.double({ min: 1.2, max: 1e6, noNaN: true }),
      fc.double({ min: 1e-6, max: 0.8, noNaN: true }),
    )
    fc.assert(
      fc.property(honest, lie, (honest, lie) => {
        const quotes = honest.flatMap((noises, index) =>
          venue(`honest ${index}`).map((quote, at) => ({ ...quote, price: quote.price * (noises[at] ?? 1) })),
        )
        expect([...auditVenues([...quotes, ...venue('bad', lie)], NO_MARKETS).keys()]).toEqual(['bad'])
      }),
    )
  })
})

const slugs = Array.from({ length: LIMITS.few_figures }, (_, index) => `coin-${index}`)
const three = ['a', 'b', 'c'].map((venue) => marketOf(venue, 100))

const aggregatorOff = (
  price_usd: number,
  venues: readonly Market[] = three,
  listed = slugs,
  distrusted: readonly string[] = [],
) => {
  const opinion = { source_id: 'list', pair: 'ACME/USD', price_usd, at: null }
  const opinions = new Map(listed.map((slug) => [slug, [opinion]]))
  const matched = slugs.flatMap((slug) => venues.map((market) => ({ slug, market })))
  const off = auditAggregators(opinions, matched, new Map(distrusted.map((id) => [id, 2])))
  return [...off].map(([id, factor]) => `${id} ${factor.toFixed(2)}`)
}

describe('an aggregator', () => {
  it('is off by the median over five listings, and cannot be told over four', () => {
    expect(aggregatorOff(110)).toEqual(['list 1.10'])
    expect(aggregatorOff(110, three, slugs.slice(1))).toEqual([])
  })

  it.each([
    ['up to 5 % above the venues', 104.9, []],
    ['up to 5 % below them', 95.3, []],
    ['more than 5 % below them', 95.2, ['list 0.95']],
  ])('%s is judged by its distance', (_, price, expected) => {
    expect(aggregatorOff(price)).toEqual(expected)
  })

  it.each<readonly [string, readonly Market[], readonly string[]]>([
    ['is stale', [marketOf('a', 100), marketOf('b', 100, { is_stale: true })], []],
    ['has no price', [marketOf('a', 100), marketOf('b', null)], []],
    ['is of the same venue', [marketOf('a', 100), marketOf('a', 100, { pair: 'ACME/EUR' })], []],
    ['is of a venue that is off itself', [marketOf('a', 100), marketOf('b', 100)], ['b']],
  ])('is not contradicted by one venue and a market that %s', (_, venues, distrusted) => {
    expect(aggregatorOff(110, venues, slugs, distrusted)).toEqual([])
  })

  it('is not off where the venues disagree by how much', () => {
    expect(aggregatorOff(110, [marketOf('a', 100), marketOf('b', 120), marketOf('c', 140)])).toEqual([])
  })
})
