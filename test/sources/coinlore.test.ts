import { expect, it } from 'vitest'
import { coinlore } from '../../src/core/sources/coinlore.ts'
import { observe } from './replies.ts'

const row = {
  id: '90',
  symbol: 'btc',
  name: 'Bitcoin',
  nameid: 'bitcoin',
  rank: 1,
  price_usd: '99584.59',
  percent_change_24h: '1.25',
  percent_change_1h: '0.13',
  percent_change_7d: '-2.39',
  price_btc: '1.00',
  market_cap_usd: '1.9678745499295E+12',
  volume24: 60985129577.58,
  volume24a: 88750734120.79,
  csupply: '19760834.00',
  tsupply: '19760834',
  msupply: null,
}
const page = (start: number, ...data: readonly unknown[]) => ({
  [`/api/tickers/?start=${start}&limit=100`]: { data, info: { coins_num: 2, time: 1732752000 } },
})

it('reads numbers that are texts, exponents among them', async () => {
  const [first, ...more] = await observe(coinlore, { ...page(0, row), ...page(100) })
  expect(more).toEqual([])
  expect(first).toMatchObject({
    kind: 'sighting',
    id: '90',
    slugs: ['bitcoin'],
    symbol: 'BTC',
    rank: 1,
    price_usd: 99584.59,
    percent_change_24h: 1.25,
    percent_change_7d: -2.39,
    market_cap_usd: 1967874549929.5,
    circulating_supply: 19760834,
    max_supply: null,
  })
})

it('asks page by page until one is empty, and counts a listing on two pages once', async () => {
  const bodies = { ...page(0, row), ...page(100, row, { ...row, id: '80', price_usd: 'no number' }), ...page(200) }
  expect(await observe(coinlore, bodies)).toMatchObject([
    { kind: 'sighting', id: '90' },
    { kind: 'skipped', reason: 'listed twice' },
    { kind: 'rejected', reason: 'price_usd: not a number' },
  ])
})

it('asks for no more pages than are wanted', async () => {
  expect(await observe(coinlore, page(0, ...Array.from({ length: 100 }, () => row)), { listings: 100 })).toHaveLength(
    100,
  )
})
