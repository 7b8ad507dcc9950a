import { expect, it } from 'vitest'
import { coinbase } from '../../src/core/sources/coinbase.ts'
import { fixture, observe, replies } from './replies.ts'

const bodies = {
  '/products': fixture('coinbase/products.json'),
  '/products/stats': fixture('coinbase/stats.json'),
}

it('makes one observation of the statistics of each product', async () => {
  expect(await observe(coinbase, bodies)).toMatchObject([
    { kind: 'quote', market: 'BTC-USD' },
    { kind: 'skipped', reason: 'not trading' },
    { kind: 'rejected', reason: '1.stats_24hour.last: negative' },
  ])
})

it('knows no bid and no ask, and finds the change by the price of a day ago', async () => {
  const [first] = await observe(coinbase, bodies)
  expect(first).toEqual({
    kind: 'quote',
    market: 'BTC-USD',
    base: 'BTC',
    quote: 'USD',
    last: 41000,
    bid: null,
    ask: null,
    volume_24h_base: 100,
    volume_24h_quote: null,
    percent_change_24h: expect.closeTo(2.5, 10),
    at: null,
    trade_url: 'https://www.coinbase.com/advanced-trade/spot/BTC-USD',
  })
})

it('rejects a product without statistics of a day, and skips one that it does not list', async () => {
  const stats = { 'NEW-USD': { stats_30day: { volume: '1' } }, 'GONE-USD': { stats_24hour: { last: '1' } } }
  expect(await observe(coinbase, { ...bodies, '/products/stats': stats })).toMatchObject([
    { kind: 'rejected', reason: '1.stats_24hour.last: missing' },
    { kind: 'skipped', reason: 'not listed' },
  ])
})

it('gives candles, of which low and high come before open and close', async () => {
  const path = '/products/BTC-USD/candles?granularity=3600&start=2023-11-14T22:13:20Z&end=2023-11-14T23:13:20Z'
  const ask = { market: 'BTC-USD', interval: '1h', from: 1700000000000, to: 1700003600000 } as const
  expect(await coinbase.candles?.ask(replies({ [path]: fixture('coinbase/candles.json') }), ask)).toEqual([
    { at: 1700003600000, open: 110, high: 125, low: 105, close: 120, volume_base: 6, volume_quote: null },
    { at: 1700000000000, open: 100, high: 121, low: 90, close: 110, volume_base: 5.5, volume_quote: null },
  ])
})

it('has no candles of four hours', () => {
  expect(coinbase.candles?.intervals).toEqual(['15m', '1h', '1d'])
})

it('names a product whose id is not valid in a URL by what can be printed of it', async () => {
  const products = [{ id: '\udfff-\ud800', base_currency: 'A', quote_currency: 'USD', status: 'online' }]
  const stats = { '\udfff-\ud800': { stats_24hour: { last: '1' } } }
  const [first] = await observe(coinbase, { '/products': products, '/products/stats': stats })
  expect(first).toMatchObject({ kind: 'quote', market: '\ufffd-\ufffd' })
})
