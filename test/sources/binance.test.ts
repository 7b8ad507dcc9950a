import { describe, expect, it } from 'vitest'
import { binance } from '../../src/core/sources/binance.ts'
import { fixture, observe, replies } from './replies.ts'

const TICKERS = '/api/v3/ticker/24hr'
const bodies = {
  [TICKERS]: fixture('binance/ticker-24hr.json'),
  '/api/v3/exchangeInfo?showPermissionSets=false': fixture('binance/exchange-info.json'),
}

describe('its list', () => {
  it('becomes one observation a row', async () => {
    expect(await observe(binance, bodies)).toMatchObject([
      { kind: 'quote', market: 'BTCUSDT' },
      // Newer than the instruments.
      { kind: 'quote', market: 'BTCFDUSD', base: 'BTC', quote: 'FDUSD' },
      { kind: 'skipped', reason: 'leveraged token' },
      { kind: 'quote', market: 'DEADBTC', base: 'DEAD', last: null, bid: null, ask: null, volume_24h_base: 0 },
      { kind: 'skipped', reason: 'not trading' },
      { kind: 'skipped', reason: 'unknown quote currency' },
      { kind: 'rejected', reason: 'lastPrice: not a number' },
    ])
  })

  it('is read by the instruments, with changes in percent', async () => {
    const [first] = await observe(binance, bodies)
    expect(first).toEqual({
      kind: 'quote',
      market: 'BTCUSDT',
      base: 'BTC',
      quote: 'USDT',
      last: 40000,
      bid: 39999,
      ask: 40001,
      volume_24h_base: 100,
      volume_24h_quote: 4000000,
      percent_change_24h: -2.5,
      at: 1700086400000,
      trade_url: 'https://www.binance.com/en/trade/BTC_USDT?type=spot',
    })
  })

  it('may hold a pair in a currency that only the instruments know', async () => {
    const symbols = [{ symbol: 'ETHXYZ', status: 'TRADING', baseAsset: 'ETH', quoteAsset: 'XYZ' }]
    const observations = await observe(binance, {
      ...bodies,
      '/api/v3/exchangeInfo?showPermissionSets=false': { symbols },
    })
    expect(observations).toContainEqual(expect.objectContaining({ market: 'BTCXYZ', base: 'BTC', quote: 'XYZ' }))
  })
})

it('marks the shares that it announced, and no coin for ending in B', async () => {
  const pair = (base: string) => ({ symbol: `${base}USDT`, status: 'TRADING', baseAsset: base, quoteAsset: 'USDT' })
  const ticker = (base: string) => ({
    symbol: `${base}USDT`,
    lastPrice: '40',
    bidPrice: '39',
    askPrice: '41',
    volume: '1',
    quoteVolume: '40',
    priceChangePercent: '1',
    closeTime: 1700086400000,
  })
  const named = ['NVDAB', 'SHIB', 'ARB', 'CKB']
  const answers = {
    [TICKERS]: named.map(ticker),
    '/api/v3/exchangeInfo?showPermissionSets=false': { symbols: named.map(pair) },
  }
  expect(await observe(binance, answers)).toMatchObject([
    { kind: 'quote', stock: true },
    { base: 'SHIB' },
    { base: 'ARB' },
    { base: 'CKB' },
  ])
})

it('reads the pairs without the instruments too, and says that they are missing', async () => {
  const observations = await observe(binance, { [TICKERS]: bodies[TICKERS] })
  expect(observations).toMatchObject([
    { market: 'BTCUSDT', base: 'BTC', quote: 'USDT' },
    { market: 'BTCFDUSD', base: 'BTC', quote: 'FDUSD' },
    { kind: 'skipped', reason: 'leveraged token' },
    { market: 'DEADBTC', base: 'DEAD', quote: 'BTC' },
    { market: 'GONEUSDT', base: 'GONE', quote: 'USDT' },
    { kind: 'skipped', reason: 'unknown quote currency' },
    { kind: 'rejected' },
    { kind: 'skipped', reason: expect.stringContaining('no markets: ') },
  ])
})

it('gives candles with both volumes, without those that have no price', async () => {
  const path = '/api/v3/klines?symbol=BTCUSDT&interval=1h&startTime=1700000000000&endTime=1700003600000&limit=1000'
  const ask = { market: 'BTCUSDT', interval: '1h', from: 1700000000000, to: 1700003600000 } as const
  expect(await binance.candles?.ask(replies({ [path]: fixture('binance/klines.json') }), ask)).toEqual([
    { at: 1700000000000, open: 100, high: 120, low: 90, close: 110, volume_base: 5, volume_quote: 525 },
  ])
})
