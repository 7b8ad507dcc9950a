import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { pairSplitter } from '../../src/sources/concatenated-pair.ts'

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
