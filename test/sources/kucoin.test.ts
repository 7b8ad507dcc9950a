import { expect, it } from 'vitest'
import { kucoin } from '../../src/core/sources/kucoin.ts'
import { fixture, observe, replies } from './replies.ts'

const TICKERS = '/api/v1/market/allTickers'
const CURRENCIES = '/api/v3/currencies'
const bodies = { [TICKERS]: fixture('kucoin/all-tickers.json'), [CURRENCIES]: { code: '200000', data: [] } }

it('makes one observation of each row', async () => {
  expect(await observe(kucoin, bodies)).toMatchObject([
    { kind: 'quote', market: 'BTC-USDT' },
    { kind: 'skipped', reason: 'leveraged token' },
    // Renamed: shown by its name of today and asked for by the old one.
    { kind: 'quote', market: 'WAX-BTC', base: 'WAXP', quote: 'BTC' },
    { kind: 'quote', market: 'DEAD-USDT', last: null, bid: null, ask: null, volume_24h_base: 0 },
    { kind: 'rejected', reason: 'vol: not a number' },
  ])
})

it('writes changes as fractions and its time once for all', async () => {
  const [first] = await observe(kucoin, bodies)
  expect(first).toEqual({
    kind: 'quote',
    market: 'BTC-USDT',
    base: 'BTC',
    quote: 'USDT',
    last: 100,
    bid: 99,
    ask: 101,
    volume_24h_base: 50,
    volume_24h_quote: 5000,
    percent_change_24h: 2.5,
    at: 1700086400000,
    trade_url: 'https://www.kucoin.com/trade/BTC-USDT',
  })
})

it('marks shares by the full name of the currency, not by the last letter', async () => {
  const ticker = (symbol: string) => ({
    symbol,
    last: '40',
    buy: '39',
    sell: '41',
    vol: '10',
    volValue: '400',
    changeRate: '0',
  })
  const names = ['AAPLX', 'AVAX', 'ONDO', 'NEWX']
  const answers = {
    [TICKERS]: {
      code: '200000',
      data: { time: 1700086400000, ticker: names.map((name) => ticker(`${name}-USDT`)) },
    },
    [CURRENCIES]: {
      code: '200000',
      data: [
        { name: 'AAPLX', fullName: 'Apple xStock', chains: [] },
        { name: 'AVAX', fullName: 'Avalanche', chains: [] },
        { name: 'ONDO', fullName: 'Ondo', chains: [] },
      ],
    },
  }
  expect(await observe(kucoin, answers)).toMatchObject([
    { kind: 'quote', stock: true },
    { base: 'AVAX' },
    { base: 'ONDO' },
    { base: 'NEWX' },
  ])
  expect(await kucoin.currencies?.(replies(answers))).toMatchObject([{ symbol: 'AVAX' }, { symbol: 'ONDO' }])
})

it.each([
  ['15m', '15min'],
  ['1h', '1hour'],
  ['4h', '4hour'],
  ['1d', '1day'],
] as const)('gives candles of %s, of which the close comes before high and low', async (interval, type) => {
  const path = `/api/v1/market/candles?symbol=BTC-USDT&type=${type}&startAt=1700000000&endAt=1700003601`
  const ask = { market: 'BTC-USDT', interval, from: 1700000000000, to: 1700003600000 }
  expect(await kucoin.candles?.ask(replies({ [path]: fixture('kucoin/candles.json') }), ask)).toEqual([
    { at: 1700003600000, open: 110, high: 130, low: 105, close: 120, volume_base: 6, volume_quote: 690 },
    { at: 1700000000000, open: 100, high: 120, low: 90, close: 110, volume_base: 5, volume_quote: 525 },
  ])
})
