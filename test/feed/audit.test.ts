import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type AuditedQuote, audit } from '../../src/feed/audit.ts'

const PRICES: Readonly<Record<string, number>> = { BTC: 50_000, ETH: 2500, SOL: 100, XRP: 0.5, ADA: 0.25, DOT: 5 }

/** A venue that quotes these in dollars, all off by the same factor. */
const venue = (venue: string, factor = 1, symbols = Object.keys(PRICES)): AuditedQuote[] =>
  symbols.map((base) => ({ venue, base, quote: 'USD', price: (PRICES[base] ?? 1) * factor }))
const NOBODY: readonly AuditedQuote[] = []
const aggregator = venue('list')
const aggregators = [...aggregator, ...venue('index')]
/** By how much each venue that is found is off. */
const found = (quotes: readonly AuditedQuote[], listed: readonly AuditedQuote[]) =>
  [...audit(quotes, listed)].map(([venue, factor]) => [venue, Number(factor.toFixed(6))])

const five = Object.keys(PRICES).slice(0, 5)
const four = five.slice(0, 4)

describe('a venue times ten', () => {
  it.each([
    ['is found by two others', [...venue('a'), ...venue('b'), ...venue('bad', 10)], NOBODY, [['bad', 10]]],
    ['is found when it is a tenth', [...venue('a'), ...venue('b'), ...venue('bad', 0.1)], NOBODY, [['bad', 0.1]]],
    ['is found on five shared pairs', [...venue('a'), ...venue('b'), ...venue('bad', 10, five)], NOBODY, [['bad', 10]]],
    ['cannot be told on four', [...venue('a'), ...venue('b'), ...venue('bad', 10, four)], NOBODY, []],
    ['cannot be told by one other', [...venue('a'), ...venue('bad', 10)], NOBODY, []],
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
    expect([found(quotes(20), NOBODY), found(quotes(19), NOBODY)]).toEqual([[['v2', 1.02]], []])
  })

  it('is not called off by two that lie together, unless they are more than half of all witnesses', () => {
    const liars = [...venue('x', 1.04), ...venue('y', 1.04)]
    const honest = [...venue('a'), ...venue('b')]
    expect(found([...honest, ...liars], NOBODY)).toEqual([])
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
        expect([...audit([...quotes, ...venue('bad', lie)], NOBODY).keys()]).toEqual(['bad'])
      }),
    )
  })
})
