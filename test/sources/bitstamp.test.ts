import { expect, it } from 'vitest'
import { bitstamp } from '../../src/core/sources/bitstamp.ts'
import { observe, replies } from './replies.ts'

const ticker = (pair: string, more: object = {}) => ({
  pair,
  last: '40',
  bid: '39',
  ask: '41',
  volume: '10',
  percent_change_24: '2.5',
  timestamp: '1700000000',
  ...more,
})

it('makes one observation of each row', async () => {
  const rows = [
    ticker('BTC/USD'),
    ticker('DEAD/EUR', { last: '0', bid: '0', ask: '0', volume: '0' }),
    ticker('BTC/USD-PERP'),
    ticker('BTCUSD'),
  ]
  expect(await observe(bitstamp, { '/api/v2/ticker/': rows })).toMatchObject([
    {
      kind: 'quote',
      market: 'btcusd',
      base: 'BTC',
      quote: 'USD',
      last: 40,
      volume_24h_base: 10,
      percent_change_24h: 2.5,
      at: 1_700_000_000_000,
    },
    { kind: 'quote', base: 'DEAD', last: null, bid: null },
    { kind: 'skipped', reason: 'not a spot pair' },
    { kind: 'rejected', reason: 'pair: not a pair' },
  ])
})

it('believes the kind of a market before its name', async () => {
  const rows = [ticker('BTC/USD', { market_type: 'SPOT' }), ticker('ETH/USD', { market_type: 'PERPETUAL' })]
  expect(await observe(bitstamp, { '/api/v2/ticker/': rows })).toMatchObject([
    { kind: 'quote', base: 'BTC' },
    { kind: 'skipped', reason: 'not a spot pair' },
  ])
})

it('reads candles', async () => {
  const path = '/api/v2/ohlc/btcusd/?step=86400&limit=1000&start=1700000000&end=1700086400'
  const ohlc = [
    { timestamp: '1700000000', open: '1', high: '3', low: '1', close: '2', volume: '7' },
    { timestamp: '', close: '2' },
  ]
  const http = replies({ [path]: { data: { ohlc, pair: 'BTC/USD' } } })
  expect(
    await bitstamp.candles?.ask(http, {
      market: 'btcusd',
      interval: '1d',
      from: 1_700_000_000_000,
      to: 1_700_086_400_000,
    }),
  ).toEqual([{ at: 1_700_000_000_000, open: 1, high: 3, low: 1, close: 2, volume_base: 7, volume_quote: null }])
})

it('loses nothing but the row whose name cannot be printed or addressed', async () => {
  const rows = [ticker('BTC/USD'), ticker('\u200b/USD'), ticker('A\ud800/USD')]
  expect(await observe(bitstamp, { '/api/v2/ticker/': rows })).toMatchObject([
    { kind: 'quote', base: 'BTC' },
    { kind: 'rejected' },
    { kind: 'quote', base: 'A\ufffd' },
  ])
})
