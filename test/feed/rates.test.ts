import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../src/core/feed/methodology.ts'
import { isoOf } from '../../src/core/contract/time.ts'
import {
  type AuditedQuote,
  type PairPrice,
  type Rates,
  measureRates,
  nearReference,
  paritiesOf,
  recomputeRate,
  valueOf,
} from '../../src/core/feed/rates.ts'
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
    {
      opinions: new Map(
        Object.entries(opinions).map(([symbol, price_usd]) => [symbol, [{ source_id: 'coingecko', price_usd }]]),
      ),
      listed: [],
    },
    previous,
    at,
  )
const told = (rates: Rates) =>
  Object.fromEntries(
    [...rates].flatMap(([symbol, { method, price_usd }]) =>
      symbol === 'USD' ? [] : [[symbol, `${method} ${price_usd}`]],
    ),
  )

const never = (): never => expect.unreachable()

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
    ['from one quote counts where no other disagrees', [pair('USDT/USD', 0.5), traded], {}, { USDT: 'exchanges 0.5' }],
    [
      'from a quorum counts against the aggregators',
      [...threeTether, traded],
      { USDT: 0.5 },
      { USDT: 'exchanges 0.98' },
    ],
    ['without any witness is left out', [pair('ACME/XYZ', 2)], {}, {}],
  ])('%s', (_, quotes, opinions, expected) => {
    expect(told(measure(quotes, opinions))).toEqual(expected)
  })

  it('of the dollar is always one', () => {
    const dollar = measure([pair('USD/USDT', 3), pair('USD/USDT', 3)], { USD: 2 }, ratesOf({ USD: 5 })).get('USD')
    expect(dollar).toEqual({
      symbol: 'USD',
      price_usd: 1,
      method: 'definition',
      quotes: 0,
      as_of: AT,
      inputs: [],
      cross_check: null,
    })
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

  it('follow from their published inputs', () => {
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

describe('two venues that disagree about a currency', () => {
  const assets = ['A', 'B', 'C', 'D', 'E']
  const dollars = (venue: string) => assets.map((base, index) => pair(`${base}/USD`, 10 ** index, venue))
  const tethers = ['c', 'd'].flatMap((venue) => assets.map((base, index) => pair(`${base}/USDT`, 10 ** index, venue)))
  const listed = assets.map((base, index) => ({ venue: 'coingecko', base, quote: 'USD', price: 10 ** index }))
  const rate = (quotes: readonly PairPrice[], coingecko?: number) =>
    measureRates(
      quotes,
      {
        opinions: new Map(
          coingecko === undefined ? [] : [['USDT', [{ source_id: 'coingecko', price_usd: coingecko }]]],
        ),
        listed,
      },
      NONE,
      AT,
    ).get('USDT')
  const honest = pair('USDT/USD', 0.999, 'a')
  const liar = pair('USDT/USD', 1.05, 'b')
  const weights = (of: ReturnType<typeof rate>) => of?.inputs.map(({ source_id, weight }) => [source_id, weight])

  it('are not averaged: the one whose own prices of assets imply another rate is left out, and named', () => {
    const made = rate([honest, liar, ...dollars('b'), ...tethers])
    expect(made).toMatchObject({ price_usd: 0.999, quotes: 1 })
    expect(weights(made)).toEqual([
      ['a', 1],
      ['b', 0],
      ['parity', 0],
    ])
  })

  it('are told apart by the one whose own prices confirm its rate', () => {
    expect(rate([honest, liar, ...dollars('a'), ...tethers])).toMatchObject({ price_usd: 0.999, quotes: 1 })
  })

  it('are told apart although an aggregator lies with one of them', () => {
    expect(rate([honest, liar, ...dollars('a'), ...tethers], 1.05)?.price_usd).toBe(0.999)
    expect(rate([honest, liar, ...dollars('b'), ...tethers], 1.05)?.price_usd).toBe(0.999)
  })

  it('leave the middle where nothing distinguishes them, and the aggregator decides where it answers', () => {
    expect(rate([honest, liar, traded])?.price_usd).toBe(1.0245)
    expect(rate([pair('USDT/USD', 0.95, 'a'), liar, traded], 0.98)?.price_usd).toBe(0.98)
  })

  it('are a majority only as more than half: of four witnesses two are none', () => {
    const previous = ratesOf({ USDT: 1.05 })
    const quotes = [honest, liar, ...dollars('a'), ...tethers]
    const said = { opinions: new Map([['USDT', [{ source_id: 'coingecko', price_usd: 0.999 }]]]), listed: [] }
    expect(measureRates(quotes, said, previous, AT).get('USDT')?.price_usd).toBe(0.999)
  })
})

describe('the last rate', () => {
  it('is not heard beside one live witness alone', () => {
    expect(measure([pair('USDT/USD', 0.98), traded], {}, ratesOf({ USDT: 1 })).get('USDT')?.price_usd).toBe(0.98)
  })

  it('keeps its own time where it alone is heard, so that it does not renew itself', () => {
    const previous = ratesOf({ USDT: 0.999 })
    const at = isoOf(NOW + HOUR)
    const rate = measure([pair('USDT/USD', 0.5, 'a'), traded], { USDT: 1 }, previous, at).get('USDT')
    expect(rate).toMatchObject({ price_usd: 0.999, as_of: AT })
    const later = measure(
      [pair('USDT/USD', 0.5, 'a'), traded],
      { USDT: 1 },
      new Map([['USDT', rate ?? never()]]),
      isoOf(NOW + 3 * HOUR),
    )
    expect(later.get('USDT')?.price_usd).toBe(1)
  })
})

describe('a central bank', () => {
  const DAY = 24 * HOUR
  const bank = (price_usd: number, ageMs = 0) => ({ source_id: 'ecb', price_usd, set_on: isoOf(NOW - ageMs) })
  const yen = (quotes: readonly PairPrice[], opinion = bank(0.0066), previous = NONE) =>
    measureRates(quotes, { opinions: new Map([['JPY', [opinion]]]), listed: [] }, previous, AT).get('JPY')
  const at = (price: number, venue = 'a') => pair('USD/JPY', 1 / price, venue)
  const heard = (rate: ReturnType<typeof yen>) =>
    rate?.inputs.filter(({ weight }) => weight > 0).map(({ source_id }) => source_id)
  const off = (percent: number) => 0.0066 * (1 + percent / 100)

  it('is believed against one last trade that is 0.64 % off', () => {
    expect(yen([at(off(0.64))])).toMatchObject({
      price_usd: 0.0066,
      method: 'reference',
      as_of: AT,
      cross_check: { source_id: 'ecb', price_usd: 0.0066, as_of: AT },
    })
    expect(yen([at(off(0.64))], bank(0.0066), ratesOf({ JPY: off(0.64) }))).toMatchObject({ price_usd: 0.0066 })
  })

  it('is one witness beside a venue that it does not contradict', () => {
    const rate = yen([at(off(0.4))])
    expect(rate).toMatchObject({ method: 'exchanges', quotes: 1 })
    expect(rate?.price_usd).toBeCloseTo(off(0.2), 8)
    expect(heard(rate)).toEqual(['a', 'ecb'])
  })

  it('leaves the liar of two venues out', () => {
    const rate = yen([at(off(0.1), 'a'), at(off(3), 'b')])
    expect(rate?.quotes).toBe(1)
    expect(heard(rate)).toEqual(['a', 'ecb'])
  })

  it('is left out itself where two venues agree that the market has moved', () => {
    const rate = yen([at(off(1), 'a'), at(off(1.2), 'b')], bank(0.0066), ratesOf({ JPY: 0.0066 }))
    expect(heard(rate)).toEqual(['a', 'b'])
    expect(rate?.price_usd).toBeCloseTo(off(1.1), 8)
  })

  it('is heard where no more than half of the venues agree that the market has moved', () => {
    const venues = [off(-9), off(2), off(2.1), off(9)].map((price, index) => at(price, `v${index}`))
    expect(heard(yen(venues))).toEqual(['ecb'])
  })

  it('takes a venue that is off out of a quorum, and cannot outvote one', () => {
    const near = ['a', 'b', 'c'].map((venue, index) => at(off(0.1 * index), venue))
    expect(heard(yen([...near, at(off(0.9), 'd')]))).toEqual(['a', 'b', 'c'])
    expect(yen(near, bank(0.0132))).toMatchObject({ quotes: 3, cross_check: { price_usd: 0.0132 } })
  })

  it('gives a rate to money that no venue trades, of its own day', () => {
    expect(yen([], bank(0.0066, 2 * DAY))).toMatchObject({
      price_usd: 0.0066,
      method: 'reference',
      quotes: 0,
      as_of: isoOf(NOW - 2 * DAY),
    })
  })

  it('is not heard when its rate is more than four days old, or of a day to come', () => {
    expect(yen([], bank(0.0066, 5 * DAY))).toBeUndefined()
    expect(yen([], bank(0.0066, -5 * DAY))).toBeUndefined()
    expect(yen([at(off(3))], bank(0.0066, 5 * DAY))).toMatchObject({ method: 'exchanges', cross_check: null })
  })

  it('never makes a rate that its inputs do not stand for, or a lone venue that it contradicts', () => {
    const venues = fc.array(fc.double({ min: -3, max: 3, noNaN: true }), { maxLength: 5 })
    fc.assert(
      fc.property(venues, fc.constantFrom(0, 1, 5), (percents, days) => {
        const rate = yen(
          percents.map((percent, index) => at(off(percent), `v${index}`)),
          bank(0.0066, days * DAY),
          ratesOf({ JPY: 0.0067 }),
        )
        if (!rate) return
        const rates = new Map([['USD', { ...rate, symbol: 'USD', price_usd: 1 }]])
        if (rate.inputs.length > 0) expect(recomputeRate(rate, rates)).toBe(rate.price_usd)
        const traded = rate.inputs.filter(({ volume_24h_usd, weight }) => volume_24h_usd !== null && weight > 0)
        const [lone] = traded.length === 1 ? traded : []
        // The middle one of venues that agree is not alone.
        const agreeing = rate.inputs.filter(
          ({ volume_24h_usd, price }) => volume_24h_usd !== null && Math.abs(price / (lone?.price ?? NaN) - 1) <= 0.005,
        )
        if (rate.cross_check && lone && agreeing.length < 2)
          expect(nearReference(valueOf(lone, 'JPY', rates) ?? NaN, rate.cross_check)).toBe(true)
      }),
    )
  })
})

const pricesAt = (venue: string, quote: string, price: number, assets: number = LIMITS.few_figures): AuditedQuote[] =>
  Array.from({ length: assets }, (_, index) => ({ venue, base: `A${index}`, quote, price }))

it('a parity is what a source asks for assets in dollars over what venues typically ask for them in the currency', () => {
  const asked = [...pricesAt('a', 'EUR', 10), ...pricesAt('b', 'EUR', 10), ...pricesAt('liar', 'EUR', 99)]
  const dollars = [...pricesAt('c', 'USD', 11), ...pricesAt('d', 'USD', 30, LIMITS.few_figures - 1)]
  expect(paritiesOf('EUR', [...asked, ...dollars], pricesAt('list', 'USD', 12))).toEqual(
    new Map([
      ['c', 1.1],
      ['list', 1.2],
    ]),
  )
})
