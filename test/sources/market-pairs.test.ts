import { expect, it } from 'vitest'
import { marketPairs } from '../../src/sources/market-pairs.ts'

const pairOf = marketPairs({
  known: new Map([
    ['ethbtc', { base: 'eth', quote: 'btc' }],
    ['GROVEMOSS', { base: 'GROVE', quote: 'MOSS' }],
  ]),
  quotes: ['USDT'],
  tickers: ['BTCUSDT', 'BTC3LUSDT', 'ethbtc', 'FERNMOSS', 'BTCXYZ', 'SYRUPUSDT'].map((symbol) => ({ symbol })),
})

it('takes the pair of an instrument, in upper case', () => {
  expect(pairOf('ethbtc')).toEqual({ base: 'ETH', quote: 'BTC' })
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
