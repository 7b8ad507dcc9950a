import { expect, it } from 'vitest'
import { okx } from '../../src/core/sources/okx.ts'
import { fixture, observe, replies } from './replies.ts'

const TICKERS = '/api/v5/market/tickers?instType=SPOT'
const INSTRUMENTS = '/api/v5/public/instruments?instType=SPOT'
const bodies = { [TICKERS]: fixture('okx/tickers.json'), [INSTRUMENTS]: { code: '0', data: [] } }

it('makes one observation of each row', async () => {
  expect(await observe(okx, bodies)).toMatchObject([
    { kind: 'quote', market: 'BTC-USDT' },
    { kind: 'quote', market: 'DEAD-USDT', last: null, bid: null, ask: null, volume_24h_base: 0 },
    { kind: 'skipped', reason: 'not a spot pair' },
    { kind: 'rejected', reason: expect.stringMatching(/^instId: /) },
  ])
})

it('finds the change by the price of 24 hours ago', async () => {
  const [first, dead] = await observe(okx, bodies)
  expect(first).toEqual({
    kind: 'quote',
    market: 'BTC-USDT',
    base: 'BTC',
    quote: 'USDT',
    last: 41000,
    bid: 40999,
    ask: 41001,
    volume_24h_base: 100,
    volume_24h_quote: null,
    percent_change_24h: expect.closeTo(2.5, 10),
    at: 1700086400000,
    trade_url: 'https://www.okx.com/trade-spot/btc-usdt',
  })
  expect(dead).toMatchObject({ percent_change_24h: null })
})

it('leaves out a volume in bitcoin that adds up amounts which were rounded trade by trade', async () => {
  // The body of 2022-11-22, by hand: 8.21 bitcoin were reported, and 5,037,105.79 TRX at this price are 16.65.
  const row = { ...ticker('TRX-BTC'), last: '0.000003305', bidPx: '0.000003301', askPx: '0.000003308' }
  const data = [{ ...row, vol24h: '5037105.79', volCcy24h: '8.21' }]
  const [quote] = await observe(okx, { [TICKERS]: { code: '0', data }, [INSTRUMENTS]: { code: '0', data: [] } })
  expect(quote).toMatchObject({ base: 'TRX', quote: 'BTC', volume_24h_base: 5_037_105.79, volume_24h_quote: null })
})

const ticker = (instId: string) => ({
  instId,
  last: '40',
  askPx: '41',
  bidPx: '39',
  open24h: '40',
  vol24h: '10',
  volCcy24h: '400',
  ts: '1700086400000',
})

it('marks shares by the category of the instrument, and reads a pool of stablecoins as USDC', async () => {
  const instruments = [
    { instId: 'XAAPL-USDT', instCategory: '3', tradeQuoteCcyList: ['USDT'] },
    { instId: 'PAXG-USDT', instCategory: '4', tradeQuoteCcyList: ['USDT'] },
    { instId: 'BTC-USD', instCategory: '1', tradeQuoteCcyList: ['USD', 'USDC', 'USDG'] },
    { instId: 'ETH-USD', instCategory: '1', tradeQuoteCcyList: ['USD'] },
  ]
  const names = ['XAAPL-USDT', 'PAXG-USDT', 'BTC-USD', 'ETH-USD', 'XRP-USDT']
  const answers = { [TICKERS]: { code: '0', data: names.map(ticker) }, [INSTRUMENTS]: { code: '0', data: instruments } }
  expect(await observe(okx, answers)).toMatchObject([
    { kind: 'quote', stock: true },
    { base: 'PAXG' },
    { market: 'BTC-USD', base: 'BTC', quote: 'USDC' },
    { market: 'ETH-USD', base: 'ETH', quote: 'USD' },
    { base: 'XRP' },
  ])
})

it.each([
  ['15m', '15m'],
  ['1h', '1H'],
  ['4h', '4H'],
  ['1d', '1Dutc'],
] as const)('gives candles of %s with the quote volume of the last column', async (interval, bar) => {
  const range = 'after=1700003600001&before=1699999999999&limit=300'
  const path = `/api/v5/market/candles?instId=BTC-USDT&bar=${bar}&${range}`
  const ask = { market: 'BTC-USDT', interval, from: 1700000000000, to: 1700003600000 }
  expect(await okx.candles?.ask(replies({ [path]: fixture('okx/candles.json') }), ask)).toEqual([
    { at: 1700003600000, open: 110, high: 130, low: 105, close: 120, volume_base: 6, volume_quote: 690 },
    { at: 1700000000000, open: 100, high: 120, low: 90, close: 110, volume_base: 5, volume_quote: 525 },
  ])
})
