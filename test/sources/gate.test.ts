import { expect, it } from 'vitest'
import { gate } from '../../src/core/sources/gate.ts'
import { observe, replies } from './replies.ts'

const ticker = (currency_pair: string, more: object = {}) => ({
  currency_pair,
  last: '40',
  lowest_ask: '41',
  highest_bid: '39',
  change_percentage: '-2.5',
  base_volume: '10',
  quote_volume: '400',
  ...more,
})
const bodies = {
  '/api/v4/spot/tickers': [
    ticker('BTC_USDT'),
    ticker('DEAD_USDT', { last: '0', lowest_ask: '', highest_bid: '', base_volume: '0', quote_volume: '0' }),
    ticker('BTC3L_USDT'),
    ticker('OLD_USDT'),
    ticker('BROKEN'),
  ],
  '/api/v4/spot/currency_pairs': [
    { id: 'BTC_USDT', trade_status: 'tradable' },
    { id: 'OLD_USDT', trade_status: 'untradable' },
  ],
  '/api/v4/spot/currencies': [],
}

it('makes one observation of each row', async () => {
  expect(await observe(gate, bodies)).toMatchObject([
    {
      kind: 'quote',
      base: 'BTC',
      quote: 'USDT',
      last: 40,
      bid: 39,
      ask: 41,
      volume_24h_base: 10,
      volume_24h_quote: 400,
      percent_change_24h: -2.5,
    },
    { kind: 'quote', base: 'DEAD', last: null, bid: null, ask: null, volume_24h_base: 0 },
    { kind: 'skipped', reason: 'leveraged token' },
    { kind: 'skipped', reason: 'not trading' },
    { kind: 'rejected', reason: 'currency_pair: not a pair' },
  ])
})

it('marks shares by the category of the currency, and leaves out pairs of coins that are not issued yet', async () => {
  const named = ['AAPLX', 'AAPLON', 'AAPLG', 'AVAX', 'SOON']
  expect(
    await observe(gate, {
      '/api/v4/spot/tickers': named.map((base) => ticker(`${base}_USDT`)),
      '/api/v4/spot/currency_pairs': [
        { id: 'AAPLX_USDT', trade_status: 'tradable', type: 'normal' },
        { id: 'SOON_USDT', trade_status: 'tradable', type: 'premarket' },
      ],
      '/api/v4/spot/currencies': [
        { currency: 'AAPLX', name: 'Apple xStock', category: ['stocks', 'xstocks'] },
        { currency: 'AAPLON', name: 'Apple Ondo Tokenized', category: ['stocks', 'ondo-stocks'] },
        { currency: 'AAPLG', name: 'Apple', category: ['gstocks', 'stocks'] },
        { currency: 'AVAX', name: 'Avalanche', category: [] },
      ],
    }),
  ).toMatchObject([
    ...[1, 2, 3].map(() => ({ kind: 'quote', stock: true })),
    { kind: 'quote', base: 'AVAX' },
    { kind: 'skipped', reason: 'not issued yet' },
  ])
})

it('reads candles from their own order of columns', async () => {
  const path = '/api/v4/spot/candlesticks?currency_pair=BTC_USDT&interval=1h&from=1700000000&to=1700003600'
  const http = replies({ [path]: [['1700000000', '525', '110', '120', '90', '100', '5', 'true'], ['x']] })
  expect(
    await gate.candles?.ask(http, {
      market: 'BTC_USDT',
      interval: '1h',
      from: 1_700_000_000_000,
      to: 1_700_003_600_000,
    }),
  ).toEqual([{ at: 1_700_000_000_000, open: 100, high: 120, low: 90, close: 110, volume_base: 5, volume_quote: 525 }])
})

it('loses nothing but the row whose name cannot be printed or addressed', async () => {
  const tickers = [ticker('BTC_USDT'), ticker('\u200b_USDT'), ticker('A\ud800_USDT'), ticker(`A_${'😀'.repeat(40)}`)]
  expect(await observe(gate, { ...bodies, '/api/v4/spot/tickers': tickers })).toMatchObject([
    { kind: 'quote', market: 'BTC_USDT' },
    { kind: 'rejected' },
    { kind: 'quote', market: 'A\ufffd_USDT' },
    { kind: 'quote', market: `A_${'😀'.repeat(31)}` },
  ])
})
