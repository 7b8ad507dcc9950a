import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type PairPrice, type Rates, measureRates, recomputeRate } from '../../src/feed/rates.ts'
import { isoOf } from '../../src/feed/time.ts'
import { AT, HOUR, NOW, ratesOf } from './world.ts'

const NONE: Rates = new Map()
const pair = (name: string, price: number, venue = 'a', volume_base: number | null = 1): PairPrice => {
  const [base = '', quote = ''] = name.split('/')
  return { venue, base, quote, price, volume_base, volume_quote: null }
}
const measure = (
  quotes: readonly PairPrice[],
  opinions: Readonly<Record<string, number>> = {},
  previous = NONE,
  at = AT,
) =>
  measureRates(
    quotes,
    new Map(Object.entries(opinions).map(([symbol, price_usd]) => [symbol, [{ source_id: 'coingecko', price_usd }]])),
    previous,
    at,
  )
/** Each currency's method and dollar price, in short; the dollar left out. */
const told = (rates: Rates) =>
  Object.fromEntries(
    [...rates].flatMap(([symbol, { method, price_usd }]) =>
      symbol === 'USD' ? [] : [[symbol, `${method} ${price_usd}`]],
    ),
  )

const threeTether = [pair('USDT/USD', 0.97, 'a'), pair('USDT/USD', 0.98, 'b'), pair('USDT/USD', 0.99, 'c')]
const traded = pair('ACME/USDT', 9)

describe('the rate of a currency', () => {
  it.each<[string, readonly PairPrice[], Record<string, number>, Record<string, string>]>([
    ['is measured for a stablecoin too', [...threeTether, traded], { USDT: 1 }, { USDT: 'exchanges 0.98' }],
    ['is read from pairs in either direction', [pair('USD/EUR', 0.8)], {}, { EUR: 'exchanges 1.25' }],
    [
      'without a dollar quote is measured by way of another',
      [pair('BTC/USD', 50_000), pair('ACME/BTC', 1), pair('BTC/TRY', 1_000_000)],
      {},
      { BTC: 'exchanges 50000', TRY: 'crosses 0.05' },
    ],
    [
      'is measured by way of several in a row',
      [pair('EUR/USD', 2), pair('BTC/EUR', 10), pair('BTC/TRY', 40), pair('ACME/BTC', 1)],
      {},
      { EUR: 'exchanges 2', BTC: 'crosses 20', TRY: 'crosses 0.5' },
    ],
    [
      'is measured by its busiest pair where one venue has several',
      [
        pair('BTC/USD', 50_000),
        pair('AAA/BTC', 0.1),
        pair('BBB/BTC', 0.01, 'a', 3),
        pair('BBB/AAA', 0.2),
        pair('ACME/BBB', 1),
      ],
      {},
      { BTC: 'exchanges 50000', AAA: 'crosses 5000', BBB: 'crosses 500' },
    ],
    [
      'where nothing is quoted in dollars comes from the aggregators for the busiest, and from that for the rest',
      [pair('BTC/USDT', 50_000), pair('ETH/USDT', 2500), pair('ETH/BTC', 0.05), pair('BTC/EUR', 40_000)],
      { USDT: 0.999, BTC: 51_000 },
      { USDT: 'aggregators 0.999', BTC: 'aggregators 51000', EUR: 'crosses 1.275' },
    ],
    [
      'from one venue that agrees with the aggregator is the mean of both',
      [pair('USDT/USD', 0.998), traded],
      { USDT: 1 },
      { USDT: 'exchanges 0.999' },
    ],
    [
      'from one quote that disagrees is the aggregators’',
      [pair('USDT/USD', 0.5), traded],
      { USDT: 1 },
      { USDT: 'aggregators 1' },
    ],
    ['from one quote stands where nobody objects', [pair('USDT/USD', 0.5), traded], {}, { USDT: 'exchanges 0.5' }],
    [
      'from a quorum stands against the aggregators',
      [...threeTether, traded],
      { USDT: 0.5 },
      { USDT: 'exchanges 0.98' },
    ],
    ['that nobody can tell is left out', [pair('ACME/XYZ', 2)], {}, {}],
  ])('%s', (_, quotes, opinions, expected) => {
    expect(told(measure(quotes, opinions))).toEqual(expected)
  })

  it('of the dollar is one, whoever says otherwise', () => {
    const dollar = measure([pair('USD/USDT', 3), pair('USD/USDT', 3)], { USD: 2 }, ratesOf({ USD: 5 })).get('USD')
    expect(dollar).toEqual({ symbol: 'USD', price_usd: 1, method: 'definition', quotes: 0, as_of: AT, inputs: [] })
  })

  it('counts the venues that it is measured at', () => {
    expect(measure([...threeTether, traded]).get('USDT')).toMatchObject({ quotes: 3, as_of: AT })
  })
})

describe('a currency whose anchor is gone', () => {
  const previous = ratesOf({ USDT: 0.98 })

  it('keeps its last rate and when it was measured', () => {
    const rates = measure([traded, pair('BTC/USDT', 50_000), pair('ACME/BTC', 1)], {}, previous, isoOf(NOW + 24 * HOUR))
    expect(told(rates)).toEqual({ USDT: 'carried 0.98', BTC: 'crosses 49000' })
    expect(rates.get('USDT')?.as_of).toBe(AT)
  })

  it('has none when the last one is older than a day', () => {
    expect(told(measure([traded], {}, previous, isoOf(NOW + 25 * HOUR)))).toEqual({})
  })

  it('rather has the aggregators’', () => {
    const later = isoOf(NOW + 3 * HOUR)
    expect(told(measure([traded], { USDT: 0.99 }, previous, later))).toEqual({ USDT: 'aggregators 0.99' })
  })
})

describe('the rates', () => {
  const symbols = ['USD', 'USDT', 'BTC', 'EUR', 'ACME']
  const quotes = fc.array(
    fc.record({
      base: fc.constantFrom(...symbols),
      quote: fc.constantFrom(...symbols),
      venue: fc.constantFrom('a', 'b', 'c', 'd'),
      price: fc.double({ min: 1e-9, max: 1e9, noNaN: true }),
      volume_base: fc.constantFrom(null, 1, 1e6),
      volume_quote: fc.constantFrom(null, 1),
    }),
    { maxLength: 12 },
  )

  it('do not depend on the order of the quotes', () => {
    const orders = quotes.chain((list) =>
      fc.shuffledSubarray(list, { minLength: list.length }).map((other) => [list, other] as const),
    )
    const opinions = fc.dictionary(fc.constantFrom(...symbols), fc.double({ min: 1e-3, max: 1e3, noNaN: true }))
    fc.assert(
      fc.property(orders, opinions, ([list, other], opinions) => {
        expect([...measure(other, opinions)]).toEqual([...measure(list, opinions)])
      }),
    )
  })

  it('are what their published inputs stand for', () => {
    fc.assert(
      fc.property(quotes, (list) => {
        const rates = measure(list, { USDT: 1 })
        for (const rate of rates.values())
          if (rate.inputs.length > 0) expect(recomputeRate(rate, rates)).toBe(rate.price_usd)
      }),
    )
  })
})

describe('one who lies about a currency', () => {
  const bnb = ['a', 'b', 'c', 'd'].map((venue) => pair('BNB/USDT', 256, venue))
  const world = [pair('USDT/USD', 1, 'a'), pair('USDT/USD', 1, 'b'), pair('USDT/USD', 1, 'c'), pair('ACME/BNB', 1)]

  it('is outvoted when it is the aggregator and four venues agree by way of another currency', () => {
    expect(told(measure([...world, ...bnb], { BNB: 133 }))['BNB']).toBe('crosses 256')
  })

  it('is outvoted when it is a venue with endless volume', () => {
    const lie = pair('BNB/USDT', 260, 'liar', 1e30)
    expect(told(measure([...world, ...bnb, lie]))['BNB']).toBe('crosses 256')
  })

  it('cannot move a currency of one venue while the aggregator and the last rate agree', () => {
    const previous = ratesOf({ USDT: 0.999 })
    const lie = (price: number) => measure([pair('USDT/USD', price, 'liar'), traded], { USDT: 1 }, previous)
    expect(told(lie(1.018))).toEqual({ USDT: 'aggregators 1' })
    expect(told(lie(0.5))).toEqual({ USDT: 'aggregators 0.999' })
  })
})
