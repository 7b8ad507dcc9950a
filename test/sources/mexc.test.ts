import { expect, it } from 'vitest'
import { mexc } from '../../src/core/sources/mexc.ts'
import { observe, replies } from './replies.ts'

const ticker = (symbol: string, more: object = {}) => ({
  symbol,
  priceChangePercent: '-0.025',
  lastPrice: '40',
  bidPrice: '39',
  bidQty: '',
  askPrice: '41',
  volume: '10',
  quoteVolume: null,
  closeTime: 1_700_000_000_000,
  count: null,
  ...more,
})
const instrument = (symbol: string, baseAsset: string, status: string) => ({
  symbol,
  baseAsset,
  quoteAsset: 'USDT',
  status,
})

it('makes one observation of each row, and reads the change as the fraction it is', async () => {
  const observed = await observe(mexc, {
    '/api/v3/ticker/24hr': [
      ticker('TNKUSDT'),
      ticker('NEWUSDC'),
      ticker('OFFUSDT'),
      ticker('TNK3LUSDT'),
      ticker('ODDPAIR'),
      ticker('BADUSDT', { lastPrice: 'n/a' }),
    ],
    '/api/v3/exchangeInfo': { symbols: [instrument('TNKUSDT', 'TNK', '1'), instrument('OFFUSDT', 'OFF', '2')] },
  })
  expect(observed).toMatchObject([
    {
      kind: 'quote',
      base: 'TNK',
      quote: 'USDT',
      last: 40,
      percent_change_24h: -2.5,
      volume_24h_base: 10,
      volume_24h_quote: null,
      at: 1_700_000_000_000,
    },
    { kind: 'quote', base: 'NEW', quote: 'USDC' },
    { kind: 'skipped', reason: 'not trading' },
    { kind: 'skipped', reason: 'leveraged token' },
    { kind: 'skipped', reason: 'unknown quote currency' },
    { kind: 'rejected', reason: 'lastPrice: not a number' },
  ])
})

it('marks shares by the group that the venue shows them in', async () => {
  const shares = { ...instrument('ADIONUSDT', 'ADION', '1'), conceptPlates: ['mc-trade-zone-xStocks'] }
  const coin = { ...instrument('AVAXUSDT', 'AVAX', '1'), conceptPlates: ['mc-trade-zone-layer1'] }
  const named = { fullName: 'Analog Devices' }
  const bodies = {
    '/api/v3/ticker/24hr': [ticker('ADIONUSDT'), ticker('AVAXUSDT')],
    '/api/v3/exchangeInfo': { symbols: [{ ...shares, ...named }, coin] },
  }
  expect(await observe(mexc, bodies)).toMatchObject([
    { kind: 'quote', stock: true },
    { kind: 'quote', base: 'AVAX' },
  ])
  expect(await mexc.currencies?.(replies(bodies))).toMatchObject([{ symbol: 'AVAX' }])
})
