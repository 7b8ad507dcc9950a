import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../src/core/feed/methodology.ts'
import { group } from 'd3-array'
import type { Market } from '../../src/core/contract/market.ts'
import { confidenceOf, fragilityOf } from '../../src/core/feed/confidence.ts'
import {
  type Evidence,
  type Opinion,
  ineligible,
  priceOf,
  publishedEvidence,
  recompute,
} from '../../src/core/feed/price.ts'
import { median, sum } from '../../src/core/feed/statistics.ts'
import { SURE, marketOf } from './world.ts'

const opinion = (source_id: string, price_usd: number): Opinion => ({ source_id, pair: 'ACME/USD', price_usd })
const pool = (liquidity_usd: number, price_usd: number, given: Partial<Market> = {}) =>
  marketOf('dex', price_usd, { exchange_type: 'dex', pair: `ACME/P${liquidity_usd}`, liquidity_usd, ...given })
const evidence = (
  markets: readonly Market[],
  aggregators: readonly Opinion[] = [],
  ...distrusted: readonly string[]
): Evidence => ({ ...SURE, markets, aggregators, distrusted: new Set(distrusted) })
const three = [marketOf('a', 100), marketOf('b', 101), marketOf('c', 102)]
const two = three.slice(0, 2)
const told = (markets: readonly Market[], aggregators: readonly Opinion[] = []) => {
  const { price_usd, basis } = priceOf(evidence(markets, aggregators))
  return [basis.method, price_usd, basis.low_confidence_reason]
}
const gecko = opinion('coingecko', 50)

describe('the price', () => {
  it.each([
    [
      'of four venues is theirs, whatever an aggregator says',
      told([...three, marketOf('d', 101)], [opinion('x', 105)]),
      ['exchanges', 101, null],
    ],
    [
      'of four venues is contested where they are half of the witnesses',
      told(
        [...three, marketOf('d', 101)],
        ['w', 'x', 'y', 'z'].map((id) => opinion(id, 105)),
      ),
      ['exchanges', 101, 'contested'],
    ],
    [
      'of three of four venues, and of all witnesses, is theirs',
      told([...three, marketOf('d', 190)], [opinion('x', 101)]),
      ['exchanges', 101, null],
    ],
    [
      'of three of four venues without an aggregator is contested',
      told([...three, marketOf('d', 190)]),
      ['exchanges', 101, 'contested'],
    ],
    [
      'of four of five venues without an aggregator is not',
      told([...three, marketOf('d', 101), marketOf('e', 190)]),
      ['exchanges', 101, null],
    ],
    ['of three venues that agree is theirs', told(three), ['exchanges', 101, null]],
    [
      'of three venues and an aggregator is that of the venues',
      told(three, [opinion('x', 100)]),
      ['exchanges', 101, null],
    ],
    [
      'of three venues that an aggregator contradicts is theirs',
      told(three, [opinion('x', 105)]),
      ['exchanges', 101, null],
    ],
    [
      'of three venues that two aggregators contradict is theirs, and dispersed',
      told(three, [opinion('x', 105), opinion('y', 105)]),
      ['exchanges', 101, 'dispersed'],
    ],
    [
      'of three venues that three aggregators contradict is split',
      told(
        three,
        ['x', 'y', 'z'].map((id) => opinion(id, 105)),
      ),
      ['aggregators', 105, 'split'],
    ],
    ['of two venues against one is contested', told([...two, marketOf('c', 190)]), ['exchanges', 100.5, 'contested']],
    [
      'of two venues against one is sure while an aggregator agrees',
      told([...two, marketOf('c', 190)], [opinion('x', 100)]),
      ['mixed', 100, null],
    ],
    [
      'of two venues against a third one and an aggregator is split',
      told([...two, marketOf('c', 190)], [opinion('x', 190)]),
      ['aggregators', 190, 'split'],
    ],
    [
      'of two venues that one aggregator contradicts is contested',
      told(two, [opinion('x', 110)]),
      ['exchanges', 100.5, 'contested'],
    ],
    [
      'of a venue and two aggregators is their middle',
      told([marketOf('a', 100)], [opinion('x', 101), opinion('y', 101.5)]),
      ['mixed', 101, null],
    ],
    [
      'of two venues, one of them 4 % off, and two aggregators is that of the majority',
      told(
        [marketOf('a', 100), marketOf('b', 104, { volume_24h_usd: 2e7 })],
        [opinion('x', 100.02), opinion('y', 100.04)],
      ),
      ['mixed', 100.02, null],
    ],
    [
      'of a venue against two aggregators is theirs, and contested',
      told([marketOf('a', 90)], [opinion('x', 100), opinion('y', 101)]),
      ['aggregators', 100.5, 'contested'],
    ],
    [
      'of a venue and an aggregator that agree is their mean',
      told([marketOf('a', 100)], [opinion('x', 101)]),
      ['mixed', 100.5, 'few_witnesses'],
    ],
    [
      'of a venue and an aggregator that do not is split',
      told([marketOf('a', 100)], [opinion('x', 105)]),
      ['exchanges', 100, 'split'],
    ],
    [
      'of two aggregators that agree is their mean',
      told([], [gecko, opinion('y', 50.5)]),
      ['aggregators', 50.25, 'few_witnesses'],
    ],
    [
      'of two aggregators that do not is the first one’s',
      told([], [gecko, opinion('y', 60)]),
      ['aggregators', 50, 'split'],
    ],
    ['of one aggregator is its own', told([], [gecko]), ['aggregators', 50, 'single_witness']],
    ['of one venue is its own', told(three.slice(0, 1)), ['exchanges', 100, 'single_witness']],
    ['of two venues is their mean', told(two), ['exchanges', 100.5, 'few_witnesses']],
    ['of two venues that disagree is split', told([marketOf('a', 1), marketOf('b', 2)]), ['exchanges', 1.5, 'split']],
    [
      'of two camps of venues without any majority is split',
      told([1, 1, 1.5, 1.5].map((at, index) => marketOf(`v${index}`, at))),
      ['exchanges', 1.25, 'split'],
    ],
    [
      'of two camps of venues is decided by an aggregator',
      told(
        [1, 1, 1.09, 1.09].map((at, index) => marketOf(`v${index}`, at)),
        [opinion('x', 1)],
      ),
      ['mixed', 1, null],
    ],
    [
      'that every aggregator contradicts by a factor of three is disputed',
      told([...three, marketOf('d', 101)], [opinion('x', 33)]),
      ['exchanges', 101, 'match_disputed'],
    ],
    [
      'of venues that alone vouch for being of the asset is disputed',
      told(
        ['a', 'b', 'c', 'd'].map((venue) => marketOf(venue, 1, { matched_by: 'venues' })),
        [opinion('x', 1.9)],
      ),
      ['exchanges', 1, 'match_disputed'],
    ],
    [
      'of venues of which one is known by a contract is not disputed',
      told(
        [
          ...['a', 'b', 'c', 'd'].map((venue) => marketOf(venue, 1, { matched_by: 'venues' })),
          marketOf('a', 1, { pair: 'ACME/EUR', matched_by: 'contract' }),
        ],
        [opinion('x', 1.9)],
      ),
      ['exchanges', 1, null],
    ],
    [
      'of venues that the registry knew only in this run is disputed',
      told(
        ['a', 'b', 'c', 'd'].map((venue) =>
          marketOf(venue, 1, { matched_by: 'registry', matched_at: marketOf(venue, 1).collected_at }),
        ),
        [opinion('x', 1.9)],
      ),
      ['exchanges', 1, 'match_disputed'],
    ],
    [
      'of witnesses far apart is dispersed',
      told([0.967, 0.99, 1.001, 1.0016, 1.0174, 1.02, 1.0358].map((value, index) => marketOf(`v${index}`, value))),
      ['exchanges', 1.0016, 'dispersed'],
    ],
    ['without venues is the deepest pool’s', told([pool(20_000, 7), pool(90_000, 8)]), ['dex', 8, 'single_witness']],
    ['of a shallow pool is none', told([pool(9_999, 7)]), ['none', null, null]],
    ['of nothing is none', told([]), ['none', null, null]],
    [
      'of one venue is that of its volume, so that dust decides nothing',
      told([
        marketOf('a', 108),
        marketOf('a', 92, { pair: 'ACME/EUR', volume_24h_usd: 500 }),
        marketOf('b', 108),
        marketOf('c', 108),
        marketOf('d', 108),
      ]),
      ['exchanges', 108, null],
    ],
  ])('%s', (_, made, expected) => {
    expect(made).toEqual(expected)
  })

  it('counts venues, not markets', () => {
    const markets = [marketOf('a', 100), marketOf('a', 100, { pair: 'ACME/USDT' }), marketOf('b', 100)]
    expect(told(markets)).toEqual(['exchanges', 100, 'few_witnesses'])
  })

  it('excludes an outlier and says why', () => {
    const { price_usd, basis } = priceOf(evidence([...three, marketOf('bad', 1000, { volume_24h_usd: 1e12 })]))
    expect(price_usd).toBe(101)
    expect(basis.excluded).toEqual([{ source_id: 'bad', pair: 'ACME/USD', reason: 'outlier', price_usd: null }])
  })

  it('names everyone, used or not, and why not', () => {
    const aggregators = [gecko, opinion('coinpaprika', 50), opinion('list', 50), opinion('other', 90)]
    const { basis } = priceOf(
      evidence([marketOf('a', 100), marketOf('b', 50, { is_stale: true }), marketOf('c', null)], aggregators),
    )
    expect(basis.sources).toEqual(aggregators.slice(0, 3).map((one) => ({ ...one, weight: 0.333333 })))
    expect(basis.excluded.map(({ source_id, reason }) => `${source_id} ${reason}`)).toEqual([
      'a outlier',
      'b stale',
      'c no_price',
      'other disagrees',
    ])
  })

  it('of three venues has no part of an aggregator, and keeps its figure', () => {
    const { basis } = priceOf(evidence(three, [opinion('coingecko', 101)]))
    expect(basis.sources.map(({ source_id }) => source_id)).toEqual(['a', 'b', 'c'])
    expect(basis.excluded).toEqual([{ source_id: 'coingecko', pair: 'ACME/USD', reason: 'not_direct', price_usd: 101 }])
  })

  it('weighs venues by the root of their credible volume, none above the cap, and the markets of one by volume', () => {
    const small = Array.from('defghijklm', (venue) => [venue, 100] as const)
    const volumes = [['a', 1e12], ['b', 400], ['c', 400], ...small] as const
    const markets = volumes.map(([venue, volume_24h_usd]) => marketOf(venue, 100, { volume_24h_usd }))
    const split = marketOf('b', 100, { volume_24h_usd: 1200, pair: 'ACME/USDT' })
    const { sources } = priceOf(evidence([...markets, split])).basis
    const weights = Object.fromEntries(sources.map(({ source_id, pair, weight }) => [`${source_id} ${pair}`, weight]))
    expect(weights['a ACME/USD']).toBe(0.15)
    expect((weights['b ACME/USDT'] ?? 0) / (weights['b ACME/USD'] ?? 1)).toBeCloseTo(3, 3)
    expect((weights['c ACME/USD'] ?? 0) / (weights['d ACME/USD'] ?? 1)).toBeCloseTo(2, 3)
  })

  it('excludes a market without weight, so that every used market has one', () => {
    const dust = marketOf('a', 100, { volume_24h_usd: 100, pair: 'ACME/EUR' })
    const { basis } = priceOf(evidence([...three, dust]))
    expect(basis.excluded).toEqual([{ source_id: 'a', pair: 'ACME/EUR', reason: 'negligible_weight', price_usd: null }])
  })
})

describe('the last price', () => {
  const last = opinion('previous', 190)
  const told = (markets: readonly Market[], aggregators: readonly Opinion[] = []) =>
    priceOf({ ...evidence(markets, aggregators), last })

  it('joins a jury that has no majority, and is published then', () => {
    const made = told([...two, marketOf('c', 190)], [opinion('coingecko', 191)])
    expect(made).toMatchObject({ price_usd: 190.5, basis: { method: 'mixed', low_confidence_reason: 'contested' } })
    expect(made.basis.excluded).toContainEqual({ ...last, reason: 'last_price' })
    const again = priceOf(publishedEvidence(made.basis, [...two, marketOf('c', 190)], SURE))
    expect([again.price_usd, again.basis]).toEqual([made.price_usd, made.basis])
  })

  it('is heard by no jury that has one', () => {
    expect(told(three, [opinion('coingecko', 190)])).toMatchObject({ price_usd: 101, last: null })
    expect(told([...two, marketOf('c', 190)])).toMatchObject({ price_usd: 100.5, last: null })
  })
})

describe('a market', () => {
  it.each<[string, Partial<Market>, string | null]>([
    ['that trades', {}, null],
    ['without a price', { price_usd: null }, 'no_price'],
    ['that is stale', { is_stale: true }, 'stale'],
    ['under the volume', { volume_24h_usd: 99.99 }, 'no_volume'],
    ['of unknown volume', { volume_24h_usd: null }, 'no_volume'],
    ['with a crossed book', { bid: 3, ask: 2 }, 'crossed_book'],
    ['with a wide spread', { spread_percent: 10.1 }, 'wide_spread'],
    ['without a book', { bid: null, ask: null, spread_percent: null }, null],
    ['that is a pool', { exchange_type: 'dex' }, 'pool'],
  ])('%s is kept out for: %s', (_, given, reason) => {
    expect(ineligible(marketOf('a', 1, given))).toBe(reason)
  })
})

describe('an outlier', () => {
  const found = (markets: readonly Market[], ...distrusted: readonly string[]) =>
    [...priceOf(evidence(markets, [], ...distrusted)).outliers].map(({ exchange_id }) => exchange_id)

  it.each([
    ['is far from what the venues say', [...three, marketOf('bad', 150)], ['bad']],
    [
      'is not within the floor, however close the others',
      [marketOf('a', 100), marketOf('b', 100), marketOf('c', 100), marketOf('d', 101.9)],
      [],
    ],
    [
      'is beyond the floor when the others are close',
      [marketOf('a', 100), marketOf('b', 100), marketOf('c', 100), marketOf('d', 102.1)],
      ['d'],
    ],
    [
      'is empty where the venues are split',
      [marketOf('a', 90), marketOf('b', 100), marketOf('c', 110), marketOf('d', 150)],
      [],
    ],
    ['cannot be told below the quorum', [marketOf('a', 100), marketOf('b', 900)], []],
    [
      'may be a stale one or a pool too',
      [...three, marketOf('old', 900, { is_stale: true }), pool(20_000, 900)],
      ['old', 'dex'],
    ],
    [
      'is not made by one venue’s many markets',
      [...three, ...['X', 'Y', 'Z', 'W'].map((quote) => marketOf('bad', 900, { pair: `ACME/${quote}` }))],
      ['bad', 'bad', 'bad', 'bad'],
    ],
  ])('%s', (_, markets, expected) => {
    expect(found(markets)).toEqual(expected)
  })

  it('is every market of a venue that is not believed', () => {
    expect(found([...three, marketOf('liar', 101)], 'liar')).toEqual(['liar'])
  })
})

describe('whatever the markets report', () => {
  // The sources let no larger number through.
  const hostile = fc.oneof(
    fc.double({ min: 1e-30, max: 1e30, noNaN: true }),
    fc.constantFrom(1e-30, 1e-9, 1, 1.0000001, 1e15, 1e30),
  )
  const market = fc
    .record({
      venue: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
      quote: fc.constantFrom('USD', 'USDT', 'BTC'),
      price: fc.oneof(fc.constant(null), fc.double({ min: 99, max: 103, noNaN: true }), hostile),
      volume: fc.oneof(fc.constantFrom(null, 0, 100, 1e6), hostile),
      is_stale: fc.boolean(),
    })
    .map(({ venue, quote, price, volume, is_stale }) =>
      marketOf(venue, price, { pair: `ACME/${quote}`, volume_24h_usd: volume, is_stale }),
    )
  const markets = fc.uniqueArray(market, {
    selector: ({ exchange_id, pair }) => `${exchange_id} ${pair}`,
    maxLength: 15,
  })
  const live = markets.map((list) => list.filter((one) => ineligible(one) === null)).filter((list) => list.length > 0)
  const opinions = fc
    .array(hostile, { maxLength: 3 })
    .map((values) => values.map((value, index) => opinion(`aggregator-${index}`, value)))

  it('the price lies within the range of the quotes it is made of', () => {
    fc.assert(
      fc.property(live, (list) => {
        const { price_usd, basis } = priceOf(evidence(list))
        fc.pre(price_usd !== null)
        const used = basis.sources.map((source) => source.price_usd)
        const own = price_usd ?? Number.NaN
        // 8 significant digits of the mean may lie a little outside of quotes that have more.
        expect(own).toBeGreaterThanOrEqual(Math.min(...used) * (1 - 1e-7))
        expect(own).toBeLessThanOrEqual(Math.max(...used) * (1 + 1e-7))
      }),
    )
  })

  it('weights sum to one, and no venue is above the cap', () => {
    fc.assert(
      fc.property(live, (list) => {
        const { sources } = priceOf(evidence(list)).basis
        fc.pre(sources.length > 0)
        const venues = [...group(sources, ({ source_id }) => source_id).values()]
        const shares = venues.map((own) => sum(own.map(({ weight }) => weight)))
        expect(sum(shares)).toBeCloseTo(1, 4)
        expect(Math.max(...shares)).toBeLessThanOrEqual(Math.max(LIMITS.venue_cap, 1 / shares.length) * 1.02)
      }),
    )
  })

  it('the order of the markets does not matter', () => {
    const orders = markets.chain((list) =>
      fc.shuffledSubarray(list, { minLength: list.length }).map((other) => [list, other] as const),
    )
    fc.assert(
      fc.property(orders, ([list, other]) => {
        expect(priceOf(evidence(other))).toEqual(priceOf(evidence(list)))
      }),
    )
  })

  it('the basis is enough to recompute the price, and contains every market', () => {
    fc.assert(
      fc.property(markets, opinions, (list, opinions) => {
        const { price_usd, basis } = priceOf(evidence(list, opinions))
        expect(recompute(basis)).toBe(price_usd)
        expect(basis.sources.length + basis.excluded.length).toBe(list.length + opinions.length)
      }),
    )
  })

  it('marking outliers, publishing them and reading them back changes nothing', () => {
    fc.assert(
      fc.property(markets, opinions, (list, opinions) => {
        const first = priceOf(evidence(list, opinions.slice(0, 1)))
        const published = list.map((market) => ({ ...market, is_outlier: first.outliers.has(market) }))
        const again = priceOf(publishedEvidence(first.basis, published, SURE))
        expect([again.price_usd, again.basis, again.outliers.size]).toEqual([
          first.price_usd,
          first.basis,
          first.outliers.size,
        ])
      }),
    )
  })

  // A world in which everyone means the same price, some 0.5 % apart.
  const honest = fc
    .array(
      fc.record({
        off: fc.double({ min: -0.005, max: 0.005, noNaN: true }),
        volume: fc.double({ min: 2, max: 9, noNaN: true }),
      }),
      {
        minLength: 4,
        maxLength: 12,
      },
    )
    .map((venues) =>
      venues.map(({ off, volume }, index) =>
        marketOf(`venue-${index}`, 100 * (1 + off), { volume_24h_usd: 10 ** volume }),
      ),
    )

  it('scaling all quotes scales the price', () => {
    fc.assert(
      fc.property(honest, fc.integer({ min: -20, max: 20 }), (list, power) => {
        const factor = 2 ** power
        const scaled = list.map((market) => ({ ...market, price_usd: (market.price_usd ?? 0) * factor }))
        const [one, other] = [priceOf(evidence(list)).price_usd ?? 0, priceOf(evidence(scaled)).price_usd ?? 0]
        expect(other / factor / one).toBeCloseTo(1, 6)
      }),
    )
  })

  it('one more witness that agrees never lowers the confidence', () => {
    const confidence = (list: readonly Market[], aggregators: readonly Opinion[]) => {
      const all = evidence(list, aggregators)
      const { price_usd, basis } = priceOf(all)
      return confidenceOf({ price_usd, basis: { ...basis, fragility_bp: null } }, all) ?? 0
    }
    const volume = fc.double({ min: 2, max: 9, noNaN: true })
    fc.assert(
      fc.property(honest, volume, fc.nat(3), (list, power, keep) => {
        const some = list.slice(0, list.length - keep)
        const center = median(some.map(({ price_usd }) => price_usd ?? 0))
        const one = marketOf('one-more', center, { volume_24h_usd: 10 ** power })
        expect(confidence([...some, one], [])).toBeGreaterThanOrEqual(confidence(some, []))
        expect(confidence(some, [opinion('coingecko', center)])).toBeGreaterThanOrEqual(confidence(some, []))
      }),
    )
  })

  it('no single venue moves the price beyond the range of the others, with any price and any volume', () => {
    fc.assert(
      fc.property(honest, hostile, fc.nat(11), (list, lie, at) => {
        const liar = at % list.length
        const lying = list.with(liar, marketOf(`venue-${liar}`, lie, { volume_24h_usd: 1e30 }))
        const others = list.flatMap(({ price_usd }, index) => (index === liar ? [] : [price_usd ?? 0]))
        const moved = priceOf(evidence(lying)).price_usd ?? 0
        expect(moved).toBeGreaterThanOrEqual(Math.min(...others) * (1 - 1e-7))
        expect(moved).toBeLessThanOrEqual(Math.max(...others) * (1 + 1e-7))
      }),
    )
  })

  it('a lie of 5 % is bounded by the published fragility', () => {
    fc.assert(
      fc.property(honest, fc.nat(11), fc.constantFrom(0.95, 1.05), (list, at, factor) => {
        const liar = at % list.length
        const lying = list.map((market, index) =>
          index === liar ? { ...market, price_usd: (market.price_usd ?? 0) * factor, volume_24h_usd: 1e15 } : market,
        )
        const [one, other] = [priceOf(evidence(list)).price_usd ?? 0, priceOf(evidence(lying)).price_usd ?? 0]
        expect(Math.abs(other / one - 1) * 10_000).toBeLessThanOrEqual((fragilityOf(evidence(list)) ?? 0) + 0.02)
      }),
    )
  })
})

describe('the fragility', () => {
  it('is what the worst lie of a source does to the price, however close the venues and the aggregators are', () => {
    const around = (share: number) =>
      fc.tuple(
        fc.array(fc.double({ min: -share, max: share, noNaN: true }), { minLength: 1, maxLength: 8 }),
        fc.array(fc.double({ min: -share, max: share, noNaN: true }), { maxLength: 2 }),
      )
    fc.assert(
      fc.property(fc.oneof(around(0.001), around(0.004), around(0.03)), ([venues, aggregators]) => {
        const list = evidence(
          venues.map((off, index) => marketOf(`v${index}`, 100 * (1 + off))),
          aggregators.map((off, index) => opinion(`a${index}`, 100 * (1 + off))),
        )
        const honest = priceOf(list).price_usd ?? Number.NaN
        const lies = [1.05, 0.95].flatMap((factor) => [
          ...list.markets.map((market, at) => ({
            ...list,
            markets: list.markets.with(
              at,
              marketOf(market.exchange_id, (market.price_usd ?? 0) * factor, { volume_24h_usd: 1e15 }),
            ),
          })),
          ...list.aggregators.map((one, at) => ({
            ...list,
            aggregators: list.aggregators.with(at, { ...one, price_usd: one.price_usd * factor }),
          })),
        ])
        const moves = lies.map((lie) => (priceOf(lie).price_usd ?? Number.NaN) / honest - 1)
        const worst = Math.max(...moves.map(Math.abs)) * 10_000
        expect(Math.abs((fragilityOf(list) ?? Number.NaN) - worst)).toBeLessThan(0.01)
      }),
    )
  })

  it('is the whole lie where one source alone is heard, and the distance to a neighbour where five are', () => {
    expect(fragilityOf(evidence([], [gecko]))).toBe(500)
    expect(
      fragilityOf(evidence([99.9, 99.95, 100, 100.05, 100.1].map((at, index) => marketOf(`v${index}`, at)))),
    ).toBeLessThan(6)
    expect(fragilityOf(evidence([pool(90_000, 7)]))).toBeNull()
  })
})
