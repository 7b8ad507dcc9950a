import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { isLeveraged, pairSplitter } from '../../src/core/sources/market-pairs.ts'
import { venue } from '../../src/core/sources/venue.ts'
import { observe } from './replies.ts'

const exchange = venue({
  id: 'acme',
  label: 'Acme',
  host: 'acme.invalid',
  pace: { requests: 1, perSeconds: 1 },
  terms: null,
  page: 'https://acme.invalid/{BASE}-{quote}/{market}',
  tickers: { path: '/tickers', row: { name: 'symbol', last: 'last' } },
  pair: { glued: 'USDT' },
  markets: {
    path: '/markets',
    row: { name: 'symbol', base: 'base', quote: 'quote' },
    without: { 'not trading': { isHalted: [true] } },
  },
})

const markets = [
  { symbol: 'ethbtc', base: 'eth', quote: 'btc' },
  { symbol: 'GROVEMOSS', base: 'GROVE', quote: 'MOSS' },
  { symbol: 'OAKUSDT', base: 'OAK', quote: 'USDT', isHalted: true },
  { symbol: 'damaged' },
]
const names = ['BTCUSDT', 'BTC3LUSDT', 'ethbtc', 'FERNMOSS', 'BTCXYZ', 'SYRUPUSDT', 'OAKUSDT']

async function pairsOf() {
  const observed = await observe(exchange, {
    '/tickers': names.map((symbol) => ({ symbol, last: 1 })),
    '/markets': markets,
  })
  return new Map(names.map((name, index) => [name, observed[index]]))
}

it('takes the pair of an instrument, in upper case', async () => {
  expect((await pairsOf()).get('ethbtc')).toMatchObject({
    base: 'ETH',
    quote: 'BTC',
    trade_url: 'https://acme.invalid/ETH-btc/ethbtc',
  })
})

it('skips a market whose instrument says so', async () => {
  expect((await pairsOf()).get('OAKUSDT')).toEqual({ kind: 'skipped', reason: 'not trading' })
})

it('splits other names at the known quotes and those of the instruments', async () => {
  const pairs = await pairsOf()
  expect(pairs.get('BTCUSDT')).toMatchObject({ base: 'BTC', quote: 'USDT' })
  expect(pairs.get('FERNMOSS')).toMatchObject({ base: 'FERN', quote: 'MOSS' })
})

it('skips unknown quotes, and leveraged tokens of bases that trade there', async () => {
  const pairs = await pairsOf()
  expect(pairs.get('BTCXYZ')).toEqual({ kind: 'skipped', reason: 'unknown quote currency' })
  expect(pairs.get('BTC3LUSDT')).toEqual({ kind: 'skipped', reason: 'leveraged token' })
  expect(pairs.get('SYRUPUSDT')).toMatchObject({ base: 'SYRUP', quote: 'USDT' })
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
  ['BTC4L', 'there is no fourfold leverage'],
  ['BTCUPS', 'the word is not at the end'],
])('leaves %s alone: %s', (base) => expect(isLeveraged(base, bases)).toBe(false))
