import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { group } from 'd3-array'
import type { Market } from '../../src/contract/market.ts'
import { marketOrder } from '../../src/feed/market-rows.ts'
import { type Opinion, PRICE, ineligible, outliersOf, price, recompute } from '../../src/feed/price.ts'
import { sum } from '../../src/feed/statistics.ts'
import { marketOf } from './world.ts'

const opinion = (source_id: string, price_usd: number): Opinion => ({ source_id, pair: 'ACME/USD', price_usd })
const pool = (liquidity_usd: number, price_usd: number, given: Partial<Market> = {}) =>
  marketOf('dex', price_usd, { exchange_type: 'dex', pair: `ACME/P${liquidity_usd}`, liquidity_usd, ...given })
/** Markets as they come to the price: in order of publication, those that disagree with the others marked. */
const judged = (markets: readonly Market[]): Market[] => {
  const outliers = outliersOf(markets)
  return markets
    .map((market) => (outliers.has(market) ? { ...market, is_outlier: true } : market))
    .toSorted(marketOrder)
}
const three = [marketOf('a', 100), marketOf('b', 101), marketOf('c', 102)]
const two = three.slice(0, 2)
const methodOf = (markets: readonly Market[], opinions: readonly Opinion[] = []) => {
  const { price_usd, basis } = price(markets, opinions)
  return [basis.method, price_usd]
}

describe('the price', () => {
  it.each([
    ['of a quorum of venues is theirs', methodOf(three, [opinion('coingecko', 50)]), ['exchanges', 101]],
    ['below the quorum is the aggregators’', methodOf(two, [opinion('coingecko', 50)]), ['aggregators', 50]],
    [
      'of aggregators that agree is their mean',
      methodOf([], [opinion('coingecko', 50), opinion('coinpaprika', 51)]),
      ['aggregators', 50.5],
    ],
    [
      'of aggregators that do not is the first one’s',
      methodOf([], [opinion('coingecko', 50), opinion('coinpaprika', 60)]),
      ['aggregators', 50],
    ],
    ['below the quorum without aggregators is the venues’', methodOf(two), ['exchanges_below_quorum', 100.5]],
    ['of one venue is its own', methodOf(three.slice(0, 1)), ['exchanges_below_quorum', 100]],
    ['without venues is the deepest pool’s', methodOf([pool(20_000, 7), pool(90_000, 8)]), ['dex', 8]],
    ['of pools leaves out the flagged', methodOf([pool(20_000, 7), pool(90_000, 8, { is_outlier: true })]), ['dex', 7]],
    ['of a shallow pool is none', methodOf([pool(9_999, 7)]), ['none', null]],
    ['of nothing is none', methodOf([]), ['none', null]],
  ])('%s', (_, made, expected) => {
    expect(made).toEqual(expected)
  })

  it('counts venues for the quorum, not markets', () => {
    const markets = [marketOf('a', 100), marketOf('a', 100, { pair: 'ACME/USDT' }), marketOf('b', 100)]
    expect(methodOf(markets)).toEqual(['exchanges_below_quorum', 100])
  })

  it('leaves an outlier out and says so', () => {
    const { price_usd, basis } = price(judged([...three, marketOf('bad', 1000, { volume_24h_usd: 1e12 })]), [])
    expect(price_usd).toBe(101)
    expect(basis.excluded).toEqual([{ source_id: 'bad', pair: 'ACME/USD', reason: 'outlier' }])
  })

  it('says of everyone whether it was used, and why not', () => {
    const { basis } = price([...two, marketOf('c', null)], [opinion('coingecko', 50), opinion('coinpaprika', 90)])
    expect(basis.sources).toEqual([{ ...opinion('coingecko', 50), weight: 1 }])
    expect(basis.excluded.map(({ source_id, reason }) => `${source_id} ${reason}`)).toEqual([
      'c no_price',
      'a below_quorum',
      'b below_quorum',
      'coinpaprika disagrees',
    ])
  })

  it('never mixes venues and aggregators', () => {
    const { basis } = price(three, [opinion('coingecko', 101)])
    expect(basis.sources.map(({ source_id }) => source_id)).toEqual(['a', 'b', 'c'])
    expect(basis.excluded).toEqual([{ source_id: 'coingecko', pair: 'ACME/USD', reason: 'not_direct' }])
  })

  it('weighs by volume, what one venue has above half going to the others in proportion', () => {
    const markets = [
      marketOf('a', 100, { volume_24h_usd: 9000, pair: 'ACME/USDT' }),
      marketOf('a', 100, { volume_24h_usd: 1000 }),
      marketOf('b', 100, { volume_24h_usd: 600 }),
      marketOf('c', 100, { volume_24h_usd: 400 }),
    ]
    expect(price(markets, []).basis.sources.map(({ weight }) => weight)).toEqual([0.45, 0.05, 0.3, 0.2])
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
  const found = (markets: readonly Market[]) => [...outliersOf(markets)].map(({ exchange_id }) => exchange_id)

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
      'is not within ten deviations of venues that are apart',
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
    [
      'is not told by venues that are not believed',
      [...two, ...['x', 'y', 'z'].map((venue) => marketOf(venue, 900, { is_outlier: true }))],
      [],
    ],
  ])('%s', (_, markets, expected) => {
    expect(found(markets)).toEqual(expected)
  })
})

describe('whatever the markets say', () => {
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
  const opinions = fc.array(
    hostile.map((value) => opinion('coingecko', value)),
    { maxLength: 3 },
  )

  it('the price lies within the range of the quotes it is made of', () => {
    fc.assert(
      fc.property(live, (list) => {
        const { price_usd, basis } = price(judged(list), [])
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
        const { sources } = price(judged(list), []).basis
        fc.pre(sources.length > 0)
        const venues = [...group(sources, ({ source_id }) => source_id).values()]
        const shares = venues.map((own) => sum(own.map(({ weight }) => weight)))
        expect(sum(shares)).toBeCloseTo(1, 4)
        expect(Math.max(...shares)).toBeLessThanOrEqual(Math.max(PRICE.venue_cap, 1 / shares.length) + 1e-5)
      }),
    )
  })

  it('the order of the markets does not matter', () => {
    const orders = markets.chain((list) =>
      fc.shuffledSubarray(list, { minLength: list.length }).map((other) => [list, other] as const),
    )
    fc.assert(
      fc.property(orders, ([list, other]) => {
        expect(price(judged(other), [])).toEqual(price(judged(list), []))
      }),
    )
  })

  it('the basis is enough to compute the price again, and nobody is lost from it', () => {
    fc.assert(
      fc.property(markets, opinions, (list, opinions) => {
        const { price_usd, basis } = price(judged(list), opinions)
        expect(recompute(basis)).toBe(price_usd)
        expect(basis.sources.length + basis.excluded.length).toBe(list.length + opinions.length)
      }),
    )
  })
})
