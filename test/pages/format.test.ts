import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ago, amount, change, money, percent, price, share, shortened, tone, titled } from '../../src/pages/format.ts'

describe('a price', () => {
  it.each([
    [null, '–'],
    [77_485.318, '$77,485.32'],
    [1e9, '$1,000,000,000'],
    [1, '$1.00'],
    [0.4213377, '$0.4213'],
    [0.5, '$0.5000'],
    [0.0001234, '$0.0001234'],
    [0.00001234, '$0.0₄1234'],
    [0.00000009, '$0.0₇9'],
    [0.000000012345678, '$0.0₇1235'],
    [3.84e-18, '$0.0₁₇384'],
    [1e9, '$1,000,000,000'],
    [2.585e13, '$25.85T'],
    [0.99999, '$1.00'],
    [0, '$0.00'],
  ])('%s is %s', (value, text) => expect(price(value)).toBe(text))

  it.each([
    [1000, { symbol: 'EUR', price_usd: 1.25, sign: '€', decimals: 2 }, '€800.00'],
    [1000, { symbol: 'JPY', price_usd: 0.0064, sign: '¥', decimals: 0 }, '¥156,250'],
    [0.00921, { symbol: 'JPY', price_usd: 0.0064, sign: '¥', decimals: 0 }, '¥1.44'],
    [0.001, { symbol: 'JPY', price_usd: 0.0064, sign: '¥', decimals: 0 }, '¥0.1563'],
    [50_000, { symbol: 'BTC', price_usd: 100_000, sign: 'BTC ', decimals: 4 }, 'BTC 0.5000'],
  ])('of %s dollars in %o is %s', (value, currency, text) => expect(price(value, currency)).toBe(text))

  it('is printed to within one part in a thousand, without an exponent', () =>
    fc.assert(
      fc.property(fc.double({ min: 1e-14, max: 1e9, noNaN: true }), (value) => {
        const text = price(value)
        expect(text).toMatch(/^\$[\d,]+(\.\d+([₀-₉]+\d+)?)?$/)
        const counted = text.replace(/0([₀-₉]+)/, (_, zeros: string) =>
          '0'.repeat(Number([...zeros].map((digit) => '₀₁₂₃₄₅₆₇₈₉'.indexOf(digit)).join(''))),
        )
        const read = Number(counted.replaceAll(/[$,]/g, ''))
        expect(Math.abs(read - value)).toBeLessThanOrEqual(Math.max(value * 0.001, value >= 1 ? 0.005 : 0))
      }),
    ))
})

it.each([
  [null, '–'],
  [812.4, '$812.40'],
  [999.99, '$999.99'],
  [999_999, '$1.00M'],
  [74_958_456_390, '$74.96B'],
  [1.9e12, '$1.90T'],
  [1_250_300e9, '$1,250T'],
  [0, '$0.00'],
])('an amount of %s is %s', (value, text) => expect(money(value)).toBe(text))

it('an amount of coins has no currency', () => expect([amount(24_522_180), amount(null)]).toEqual(['24.52M', '–']))

describe('a change', () => {
  it.each([
    [null, '–', 'flat'],
    [2.5, '+2.50%', 'up'],
    [-3.884, '\u22123.88%', 'down'],
    [0.004, '0.00%', 'flat'],
    [-0.0049, '0.00%', 'flat'],
    [0.049, '+0.05%', 'flat'],
    [-0.05, '\u22120.05%', 'down'],
    [1234.5, '+1,235%', 'up'],
  ])('%s is %s and looks %s', (value, text, look) => expect([change(value), tone(value)]).toEqual([text, look]))
})

it('a spread and a share are percentages without a sign', () =>
  expect([percent(0.001), percent(0), percent(1.236), percent(null), share(0.153), share(null)]).toEqual([
    '<0.01%',
    '0.00%',
    '1.24%',
    '–',
    '15.3%',
    '–',
  ]))

describe('a time', () => {
  const now = Date.UTC(2026, 10, 20, 12)
  it.each([
    ['2026-11-20T11:59:30Z', 'just now'],
    ['2026-11-20T11:55:00Z', '5 min ago'],
    ['2026-11-20T09:00:00Z', '3 h ago'],
    ['2026-11-19T00:00:00Z', '36 h ago'],
    ['2026-11-10T12:00:00Z', '10 days ago'],
    ['2026-06-20T12:00:00Z', '5 months ago'],
    ['2021-08-12T12:00:00Z', '5 years ago'],
    ['2026-11-20T12:04:00Z', 'in 4 min'],
  ])('%s is %s', (iso, text) => expect(ago(iso, now)).toBe(text))
})

it('an address keeps both its ends', () =>
  expect([shortened('0xdac17f958d2ee523a2206206994597c13d831ec7'), shortened('usdt.tether-token.near')]).toEqual([
    '0xdac17f95…831ec7',
    'usdt.tether-token.near',
  ]))

it.each([
  ['large-cap', 'Large cap'],
  ['dmt', 'DMT'],
  ['Layer 1 (L1)', 'Layer 1 (L1)'],
])('names the category %s as %s', (name, shown) => expect(titled(name)).toBe(shown))
