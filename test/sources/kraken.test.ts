import { describe, expect, it } from 'vitest'
import { kraken } from '../../src/core/sources/kraken.ts'
import { fixture, observe, replies } from './replies.ts'

const TICKERS = '/0/public/Ticker'
const PAIRS = '/0/public/AssetPairs'
const bodies = { [TICKERS]: fixture('kraken/ticker.json'), [PAIRS]: fixture('kraken/asset-pairs.json') }

const live = { a: ['1'], b: ['1'], c: ['1'], v: ['1', '1'] }
const read = async (key: string) => (await observe(kraken, { [TICKERS]: { error: [], result: { [key]: live } } }))[0]

describe('its list', () => {
  it('becomes one observation an entry', async () => {
    expect(await observe(kraken, bodies)).toMatchObject([
      { kind: 'quote', base: 'BTC', quote: 'USD' },
      { kind: 'quote', base: 'DOGE', quote: 'USD' },
      { kind: 'quote', base: 'SOL', quote: 'USD' },
      { kind: 'skipped', reason: 'dark pool' },
      { kind: 'skipped', reason: 'not the open book' },
      { kind: 'quote', stock: true },
      { kind: 'skipped', reason: 'tokenized stock' },
      { kind: 'quote', stock: true },
      { kind: 'skipped', reason: 'staked balance' },
      { kind: 'skipped', reason: 'unknown pair' },
      { kind: 'quote', base: 'DEAD', last: null, bid: null, ask: null, volume_24h_base: 0 },
      { kind: 'rejected', reason: '1.c.0: not a number' },
    ])
  })

  it('takes the volume of 24 hours, not of today, and knows no change since today began', async () => {
    const [first] = await observe(kraken, bodies)
    expect(first).toEqual({
      kind: 'quote',
      market: 'XXBTZUSD',
      base: 'BTC',
      quote: 'USD',
      last: 40000,
      bid: 39999,
      ask: 40001,
      volume_24h_base: 100,
      volume_24h_quote: null,
      percent_change_24h: null,
      at: null,
      trade_url: 'https://pro.kraken.com/app/trade/btc-usd',
    })
  })

  it('is read without the pairs too, and says that they are missing', async () => {
    const observations = await observe(kraken, { [TICKERS]: bodies[TICKERS] })
    expect(observations.slice(0, 3)).toMatchObject([
      { market: 'XXBTZUSD', base: 'BTC', quote: 'USD' },
      { market: 'XDGUSD', base: 'DOGE', quote: 'USD' },
      { market: 'SOL/USD', base: 'SOL', quote: 'USD' },
    ])
    expect(observations[5]).toEqual({ kind: 'skipped', reason: 'tokenized stock' })
    expect(observations.at(-1)).toEqual({ kind: 'skipped', reason: expect.stringContaining('no markets: ') })
  })

  it.each([
    ['XTZUSD', 'XTZ', 'USD'],
    ['ZEURZUSD', 'EUR', 'USD'],
    ['XETHXXBT', 'ETH', 'BTC'],
    ['SOLUSDT', 'SOL', 'USDT'],
    ['XBT/EUR', 'BTC', 'EUR'],
  ])('reads the key %s by itself', async (key, base, quote) => {
    expect(await read(key)).toMatchObject({ kind: 'quote', market: key, base, quote })
  })
})

it.each([
  ['LUNA/USD', 'LUNC', 'luna'],
  ['LUNA2/USD', 'LUNA', 'luna2'],
  ['REP/USD', 'REPV1', 'rep'],
  ['REPV2/USD', 'REP', 'repv2'],
  ['XBT/USD', 'BTC', 'btc'],
])('reads the base of %s as %s, on the page of %s', async (key, base, page) => {
  expect(await read(key)).toMatchObject({ base, trade_url: `https://pro.kraken.com/app/trade/${page}-usd` })
})

it('takes a warning for no error', async () => {
  const error = ['WGeneral:Old version']
  const { result } = JSON.parse(JSON.stringify(bodies[TICKERS]))
  expect(await observe(kraken, { ...bodies, [TICKERS]: { error, result } })).toHaveLength(12)
})

it('returns the requested candles, under whatever name the answer has for the pair', async () => {
  const path = '/0/public/OHLC?pair=BTC%2FUSD&interval=60&since=1699999999'
  const ask = { market: 'BTC/USD', interval: '1h', from: 1700000000000, to: 1700000000000 } as const
  expect(await kraken.candles?.ask(replies({ [path]: fixture('kraken/ohlc.json') }), ask)).toEqual([
    { at: 1700000000000, open: 100, high: 120, low: 90, close: 110, volume_base: 5, volume_quote: null },
  ])
})
