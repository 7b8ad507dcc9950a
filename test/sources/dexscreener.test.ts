import { expect, it } from 'vitest'
import { REQUESTS, dexscreener } from '../../src/core/sources/dexscreener.ts'
import { nothingMore, observe } from './replies.ts'
import type { Http } from '../../src/core/sources/source.ts'

const pair = (more: object = {}) => ({
  chainId: 'solana',
  dexId: 'raydium',
  url: 'https://dexscreener.com/solana/abc',
  pairAddress: 'AbC',
  baseToken: { address: 'BaSe', name: 'Base', symbol: 'BASE' },
  quoteToken: { address: 'QuOtE', name: 'Quote', symbol: 'USDC' },
  priceNative: '0.5',
  priceUsd: '0.49',
  txns: { h24: { buys: 3, sells: 4 } },
  volume: { h24: 100 },
  priceChange: {},
  liquidity: { usd: 5000 },
  pairCreatedAt: 1_700_000_000_000,
  ...more,
})
const tokens = [{ platform: 'solana', address: 'BaSe' }]

it('reads a pool, with the addresses as they are and what is missing as null', async () => {
  const young = pair({ liquidity: undefined, priceUsd: undefined, txns: undefined })
  expect(
    await observe(dexscreener, { '/tokens/v1/solana/BaSe': [pair(), young, { chainId: 'solana' }] }, { tokens }),
  ).toMatchObject([
    {
      kind: 'pool',
      dex_name: 'Raydium',
      pool_address: 'AbC',
      base: { address: 'BaSe' },
      price_native: 0.5,
      price_usd: 0.49,
      percent_change_24h: null,
      liquidity_usd: 5000,
      transactions_24h: 7,
    },
    { kind: 'pool', price_usd: null, liquidity_usd: null, transactions_24h: null },
    { kind: 'rejected' },
  ])
})

it('asks for nothing when no token is wanted', async () => expect(await observe(dexscreener, {})).toEqual([]))

it('continues if one chain fails, and fails if all do', async () => {
  const two = [...tokens, { platform: 'bsc', address: '0xa' }]
  expect(await observe(dexscreener, { '/tokens/v1/solana/BaSe': [pair()] }, { tokens: two })).toMatchObject([
    { kind: 'pool' },
    { kind: 'skipped', reason: expect.stringContaining('no pools on bsc') },
  ])
  await expect(observe(dexscreener, {}, { tokens: two })).rejects.toMatchObject({ code: 'source_invalid' })
})

it('asks for thirty tokens at once and never more often than its budget', async () => {
  const asked: string[] = []
  const http: Http = {
    json: async (path, schema) => {
      asked.push(path)
      return schema.parse([])
    },
  }
  const many = Array.from({ length: 400 }, (_, index) => ({ platform: 'solana', address: `a${index}` }))
  await dexscreener.observe(http, { ...nothingMore, tokens: many })
  expect(asked).toHaveLength(REQUESTS)
  expect(asked[0]?.split(',')).toHaveLength(30)
})

it('reads a null in place of a group of figures as none', async () => {
  const bare = pair({ liquidity: null, priceChange: null, volume: null, txns: null })
  expect(await observe(dexscreener, { '/tokens/v1/solana/BaSe': [bare] }, { tokens })).toMatchObject([
    { kind: 'pool', liquidity_usd: null, percent_change_24h: null, volume_24h_usd: null, transactions_24h: null },
  ])
})
