import { expect, it } from 'vitest'
import { htx } from '../../src/core/sources/htx.ts'
import { observe } from './replies.ts'

const ticker = (symbol: string, more: object = {}) => ({
  symbol,
  open: 40,
  close: 41,
  bid: 40.9,
  ask: 41.1,
  amount: 10,
  vol: 405,
  ...more,
})
const instrument = (base: string, state: string) => ({
  symbol: `${base}usdt`,
  'base-currency': base,
  'quote-currency': 'usdt',
  state,
})
const ask = (data: readonly unknown[], status = 'ok') => ({ status, ts: 1_700_000_000_000, data })

it('makes one observation of each row, and separates base and quote volume', async () => {
  const observed = await observe(htx, {
    '/market/tickers': ask([
      ticker('btcusdt'),
      ticker('ethbtc'),
      ticker('offusdt'),
      ticker('btc3lusdt'),
      ticker('zzz'),
      ticker('deadusdt', { open: 0, close: 0, bid: 0, ask: 0, amount: 0, vol: 0 }),
      { symbol: 'x' },
      null,
    ]),
    '/v1/common/symbols': { status: 'ok', data: [instrument('btc', 'online'), instrument('off', 'offline')] },
  })
  expect(observed).toMatchObject([
    {
      kind: 'quote',
      base: 'BTC',
      quote: 'USDT',
      last: 41,
      volume_24h_base: 10,
      volume_24h_quote: 405,
      percent_change_24h: null,
      at: 1_700_000_000_000,
    },
    { kind: 'quote', base: 'ETH', quote: 'BTC' },
    { kind: 'skipped', reason: 'not trading' },
    { kind: 'skipped', reason: 'leveraged token' },
    { kind: 'skipped', reason: 'unknown quote currency' },
    { kind: 'quote', base: 'DEAD', last: null, percent_change_24h: null },
    { kind: 'skipped' },
    { kind: 'rejected' },
  ])
})
