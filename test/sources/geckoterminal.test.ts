import { describe, expect, it } from 'vitest'
import { geckoterminal } from '../../src/core/sources/geckoterminal.ts'
import { observe } from './replies.ts'

const pathOf = (platform: string, address: string) => `/api/v2/networks/${platform}/tokens/${address}/pools?page=1`
const pool = (more: object = {}) => ({
  id: 'polygon_pos_0xpool',
  type: 'pool',
  attributes: {
    address: '0xpool',
    name: 'NAT / WETH 0.3%',
    base_token_price_usd: '0.0000000900000000000000000000000000000000000000000000000000000000000001',
    base_token_price_native_currency: 'NaN',
    base_token_price_quote_token: null,
    reserve_in_usd: '5000.5',
    pool_created_at: '2025-09-09T01:42:11Z',
    price_change_percentage: { h24: '-2.5' },
    volume_usd: { h24: '100.0' },
    transactions: { h24: { buys: 3, sells: 4 } },
    ...more,
  },
  relationships: {
    base_token: { data: { id: 'polygon_pos_0xbase' } },
    quote_token: { data: { id: 'polygon_pos_0xquote' } },
    dex: { data: { id: 'uniswap-v3' } },
  },
})
const tokens = [{ platform: 'polygon_pos', address: '0xbase' }]

it('reads a pool from its strings, on a chain whose name holds underscores', async () => {
  const body = { data: [pool(), pool({ base_token_price_usd: 'NaN' }), { id: 'polygon_pos_0x', attributes: {} }] }
  expect(await observe(geckoterminal, { [pathOf('polygon_pos', '0xbase')]: body }, { tokens })).toMatchObject([
    {
      kind: 'pool',
      platform: 'polygon_pos',
      dex_name: 'Uniswap v3',
      pool_address: '0xpool',
      base: { address: '0xbase', symbol: 'NAT' },
      quote: { address: '0xquote', symbol: 'WETH' },
      price_usd: 9e-8,
      price_native: null,
      percent_change_24h: -2.5,
      volume_24h_usd: 100,
      liquidity_usd: 5000.5,
      transactions_24h: 7,
      url: 'https://www.geckoterminal.com/polygon_pos/pools/0xpool',
    },
    { kind: 'pool', price_usd: null },
    { kind: 'rejected' },
  ])
})

it('continues if one token is unknown, and fails if all are', async () => {
  const two = [...tokens, { platform: 'eth', address: '0xother' }]
  const observed = await observe(
    geckoterminal,
    { [pathOf('polygon_pos', '0xbase')]: { data: [pool()] } },
    { tokens: two },
  )
  expect(observed).toMatchObject([
    { kind: 'pool' },
    { kind: 'skipped', reason: expect.stringContaining('no pools on eth') },
  ])
  await expect(observe(geckoterminal, {}, { tokens: two })).rejects.toMatchObject({ code: 'source_invalid' })
})

describe('a name', () => {
  it.each([
    ['NAT / WETH', ['NAT', 'WETH']],
    ['NAT / WETH 0.05%', ['NAT', 'WETH']],
    ['A\u202eB\u0000 / WETH', ['AB', 'WETH']],
    [`${'x'.repeat(5000)} / WETH`, ['x'.repeat(64), 'WETH']],
    ['A / B / C', ['A', 'B']],
  ])('%j has printable symbols', async (name, [base, quote]) => {
    const body = { data: [pool({ name })] }
    expect(await observe(geckoterminal, { [pathOf('polygon_pos', '0xbase')]: body }, { tokens })).toMatchObject([
      { kind: 'pool', base: { symbol: base }, quote: { symbol: quote } },
    ])
  })

  it.each([' / WETH', 'NAT / ', '\u200b / WETH', 'NAT'])('%j costs its row alone', async (name) => {
    const body = { data: [pool({ name }), pool()] }
    expect(await observe(geckoterminal, { [pathOf('polygon_pos', '0xbase')]: body }, { tokens })).toMatchObject([
      { kind: 'rejected' },
      { kind: 'pool' },
    ])
  })
})

it('rejects a pool whose ids do not agree on the chain', async () => {
  const elsewhere = { ...pool(), id: 'eth_0xpool' }
  const longer = pool({ address: '0xpool-of-another-name' })
  const body = { data: [elsewhere, longer] }
  expect(await observe(geckoterminal, { [pathOf('polygon_pos', '0xbase')]: body }, { tokens })).toMatchObject([
    { kind: 'rejected', reason: 'row: ids of several chains' },
    { kind: 'rejected', reason: 'row: ids of several chains' },
  ])
})

it('reads a null in place of a group of figures as none', async () => {
  const bare = pool({ price_change_percentage: null, volume_usd: null, transactions: null })
  expect(
    await observe(geckoterminal, { [pathOf('polygon_pos', '0xbase')]: { data: [bare] } }, { tokens }),
  ).toMatchObject([{ kind: 'pool', percent_change_24h: null, volume_24h_usd: null, transactions_24h: null }])
})
