import { describe, expect, it } from 'vitest'
import { bybit } from '../../src/core/sources/bybit.ts'
import { fixture, observe, replies } from './replies.ts'

const TICKERS = '/v5/market/tickers?category=spot'
const INSTRUMENTS = '/v5/market/instruments-info?category=spot'
const bodies = { [TICKERS]: fixture('bybit/tickers.json'), [INSTRUMENTS]: fixture('bybit/instruments.json') }

describe('its list', () => {
  it('becomes one observation a row', async () => {
    expect(await observe(bybit, bodies)).toMatchObject([
      { kind: 'quote', market: 'BTCUSDT' },
      { kind: 'skipped', reason: 'leveraged token' },
      { kind: 'quote', stock: true },
      { kind: 'quote', market: 'NEWUSDE', base: 'NEW', quote: 'USDE' },
      { kind: 'quote', market: 'DEADUSDT', last: null, bid: null, ask: null, volume_24h_base: 0 },
      { kind: 'skipped', reason: 'not trading' },
      { kind: 'skipped', reason: 'unknown quote currency' },
      { kind: 'rejected', reason: 'volume24h: negative' },
    ])
  })

  it('writes changes as fractions and its time once for all', async () => {
    const [first] = await observe(bybit, bodies)
    expect(first).toEqual({
      kind: 'quote',
      market: 'BTCUSDT',
      base: 'BTC',
      quote: 'USDT',
      last: 41000,
      bid: 40999,
      ask: 41001,
      volume_24h_base: 100,
      volume_24h_quote: 4050000,
      percent_change_24h: 2.5,
      at: 1700086400000,
      trade_url: 'https://www.bybit.com/en/trade/spot/BTC/USDT',
    })
  })
})

it.each([
  ['15m', '15'],
  ['1h', '60'],
  ['4h', '240'],
  ['1d', 'D'],
] as const)('gives candles of %s with both volumes', async (interval, name) => {
  const range = `interval=${name}&start=1700000000000&end=1700003600000&limit=1000`
  const path = `/v5/market/kline?category=spot&symbol=BTCUSDT&${range}`
  const ask = { market: 'BTCUSDT', interval, from: 1700000000000, to: 1700003600000 }
  expect(await bybit.candles?.ask(replies({ [path]: fixture('bybit/kline.json') }), ask)).toEqual([
    { at: 1700003600000, open: 110, high: 130, low: 105, close: 120, volume_base: 6, volume_quote: 690 },
    { at: 1700000000000, open: 100, high: 120, low: 90, close: 110, volume_base: 5, volume_quote: 525 },
  ])
})
