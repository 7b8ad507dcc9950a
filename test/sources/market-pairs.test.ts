import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import * as z from 'zod'
import { isLeveraged, marketPairs, pairSplitter } from '../../src/sources/market-pairs.ts'

const pairOf = marketPairs({
  schema: z.object({ symbol: z.string(), base: z.string(), quote: z.string(), isHalted: z.boolean().default(false) }),
  instruments: [
    { symbol: 'ethbtc', base: 'eth', quote: 'btc' },
    { symbol: 'GROVEMOSS', base: 'GROVE', quote: 'MOSS' },
    { symbol: 'OAKUSDT', base: 'OAK', quote: 'USDT', isHalted: true },
    { symbol: 'damaged' },
  ],
  skip: ({ isHalted }) => (isHalted ? 'not trading' : null),
  quotes: ['USDT'],
  tickers: ['BTCUSDT', 'BTC3LUSDT', 'ethbtc', 'FERNMOSS', 'BTCXYZ', 'SYRUPUSDT'].map((symbol) => ({ symbol })),
})

it('takes the pair of an instrument, in upper case', () => {
  expect(pairOf('ethbtc')).toEqual({ base: 'ETH', quote: 'BTC' })
})

it('skips a market whose instrument says so', () => {
  expect(pairOf('OAKUSDT')).toEqual({ kind: 'skipped', reason: 'not trading' })
})

it('splits other names at the known quotes and those of the instruments', () => {
  expect(pairOf('BTCUSDT')).toEqual({ base: 'BTC', quote: 'USDT' })
  expect(pairOf('FERNMOSS')).toEqual({ base: 'FERN', quote: 'MOSS' })
})

it('skips unknown quotes, and leveraged tokens of bases that trade there', () => {
  expect(pairOf('BTCXYZ')).toEqual({ kind: 'skipped', reason: 'unknown quote currency' })
  expect(pairOf('BTC3LUSDT')).toEqual({ kind: 'skipped', reason: 'leveraged token' })
  expect(pairOf('SYRUPUSDT')).toEqual({ base: 'SYRUP', quote: 'USDT' })
})

it.each([
  ['BTCUSDT', ['USD', 'USDT', 'BTC'], { base: 'BTC', quote: 'USDT' }],
  ['BTCFDUSD', ['USD', 'FDUSD'], { base: 'BTC', quote: 'FDUSD' }],
  ['btcusdt', ['usdt'], { base: 'BTC', quote: 'USDT' }],
  ['USDTUSD', ['USDT', 'USD'], { base: 'USDT', quote: 'USD' }],
  ['BTCXYZ', ['USDT', 'USD'], null],
  ['USDT', ['USDT'], null],
  ['BTCUSDT', [], null],
])('splits %s by %j', (market, quotes, pair) => expect(pairSplitter(quotes)(market)).toEqual(pair))

it('loses no letter and does not care in which order the quotes are known', () => {
  const name = fc.stringMatching(/^[A-Z0-9]{1,5}$/)
  fc.assert(
    fc.property(name, name, fc.array(name), (base, quote, others) => {
      const quotes = [quote, ...others]
      const pair = pairSplitter(quotes)(base + quote)
      expect(`${pair?.base}${pair?.quote}`).toBe(base + quote)
      expect(quotes).toContain(pair?.quote)
      expect(pairSplitter(quotes.toReversed())(base + quote)).toEqual(pair)
    }),
  )
})

const bases = new Set(['BTC', 'ETH', 'S', 'SYRUP', 'TRUMP'])

it.each(['BTC3L', 'BTC3S', 'BTC5L', 'BTC5S', 'BTC2L', 'ETH2S', 'BTCUP', 'BTCDOWN', 'ETHBULL', 'ETHBEAR', 'S3L'])(
  'knows %s by the base it leans on',
  (base) => expect(isLeveraged(base, bases)).toBe(true),
)

it.each([
  ['BTC', 'the base itself'],
  ['SYRUP', 'no SYR trades there'],
  ['XYZ3L', 'no XYZ trades there'],
  ['SUP', 'one letter before a word is a name'],
  ['UP', 'nothing before the word'],
  ['3L', 'nothing before the digit'],
  ['BTC4L', 'nobody leverages fourfold'],
  ['BTCUPS', 'the word is not at the end'],
])('leaves %s alone: %s', (base) => expect(isLeveraged(base, bases)).toBe(false))
