import { expect, it } from 'vitest'
import type { ReferenceRate } from '../../src/core/contract/collector.ts'
import { stocksOf } from '../../src/core/feed/stocks.ts'
import { feedFrom, quoteOf, reportOf, sourceOf } from './world.ts'

const USD: ReferenceRate = {
  symbol: 'USD',
  price_usd: 1,
  method: 'definition',
  as_of: '2026-11-20T12:00:00Z',
  quotes: 0,
  inputs: [],
  cross_check: null,
}
const rates = new Map([
  ['USD', USD],
  ['USDT', { ...USD, symbol: 'USDT', price_usd: 0.5 }],
])
const venue = (id: string, ...pairs: readonly (readonly [pair: string, last: number | null, volume?: number])[]) =>
  reportOf(sourceOf(id), {
    stocks: pairs.map(([pair, last, volume = 100]) => ({
      ...quoteOf(pair, last),
      volume_24h_base: null,
      volume_24h_quote: volume,
      stock: true as const,
    })),
  })
const shown = (...venues: readonly ReturnType<typeof venue>[]) =>
  stocksOf(venues, rates).map(({ symbol, price_usd, volume_24h_usd, venues: own }) => [
    symbol,
    price_usd,
    volume_24h_usd,
    own.map(({ exchange_id }) => exchange_id).join(' '),
  ])

it.each([
  ['two venues', [venue('a', ['AAPLX/USD', 100]), venue('b', ['AAPLX/USDT', 202])], [['AAPLX', 100.5, 150, 'a b']]],
  ['one venue', [venue('a', ['AAPLX/USD', 100], ['AAPLX/USDT', 200])], []],
  ['two that are far apart', [venue('a', ['AAPLX/USD', 100]), venue('b', ['AAPLX/USD', 150])], []],
  [
    'three, one of them far from the others',
    [venue('a', ['AAPLX/USD', 100]), venue('b', ['AAPLX/USD', 100]), venue('c', ['AAPLX/USD', 10, 900])],
    [['AAPLX', 100, 200, 'a b']],
  ],
  ['tokens of two issuers', [venue('a', ['AAPLX/USD', 100]), venue('b', ['AAPLON/USD', 100])], []],
  ['a currency without a rate', [venue('a', ['AAPLX/USD', 100]), venue('b', ['AAPLX/XYZ', 100])], []],
  ['one without a price', [venue('a', ['AAPLX/USD', 100]), venue('b', ['AAPLX/USD', null])], []],
])('has the price of %s', (_, venues, expected) => {
  expect(shown(...venues)).toEqual(expected)
})

it('is no listing', () => {
  const { stocks, snapshot } = feedFrom([venue('a', ['AAPLX/USD', 100]), venue('b', ['AAPLX/USD', 100])])
  expect(stocks).toHaveLength(1)
  expect(snapshot.listed.map(({ asset }) => asset.symbol)).not.toContain('AAPLX')
})
