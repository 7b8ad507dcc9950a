import { expect, it } from 'vitest'
import { cryptocom } from '../../src/core/sources/cryptocom.ts'
import { observe } from './replies.ts'

const PATH = '/exchange/v1/public/get-tickers'
const ticker = (i: string, more: object = {}) => ({
  i,
  h: '45',
  l: '35',
  a: '40',
  v: '10',
  vv: '400',
  c: '-0.025',
  b: '39',
  k: '41',
  t: 1_700_000_000_000,
  ...more,
})

it('makes one observation of each row', async () => {
  const data = [
    ticker('BTC_USDT'),
    ticker('DEAD_USD', { a: '0', b: null, k: '0', v: '0', t: 0 }),
    ticker('BTCUSD-PERP'),
    ticker('VET-D365-LTV'),
    ticker('BAD_USD', { a: '-1' }),
  ]
  expect(await observe(cryptocom, { [PATH]: { code: 0, result: { data } } })).toMatchObject([
    {
      kind: 'quote',
      base: 'BTC',
      quote: 'USDT',
      last: 40,
      bid: 39,
      ask: 41,
      volume_24h_base: 10,
      volume_24h_quote: null,
      percent_change_24h: -2.5,
    },
    { kind: 'quote', base: 'DEAD', last: null, bid: null, at: null },
    { kind: 'skipped', reason: 'not a spot pair' },
    { kind: 'skipped', reason: 'not a spot pair' },
    { kind: 'rejected', reason: 'a: negative' },
  ])
})

it.each(['_USD', 'BTC_', 'BTC', 'A_B_C', 'A_B-C'])('skips %s, which is no pair of two currencies', async (name) => {
  expect(await observe(cryptocom, { [PATH]: { code: 0, result: { data: [ticker(name)] } } })).toMatchObject([
    { kind: 'skipped' },
  ])
})

it('survives a name that would be cut within a character', async () => {
  const data = [ticker('BTC_USDT'), ticker(`A_${'B'.repeat(61)}😀`)]
  expect(await observe(cryptocom, { [PATH]: { code: 0, result: { data } } })).toMatchObject([
    { kind: 'quote' },
    { kind: 'quote' },
  ])
})
