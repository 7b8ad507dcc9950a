import { describe, expect, it } from 'vitest'
import { NOTHING_BEFORE, type Previous } from '../../src/core/feed/listing.ts'
import { pairsOf, poolMarket } from '../../src/core/feed/pools.ts'
import type { Report } from '../../src/core/sources/collect.ts'
import type { Pool } from '../../src/core/sources/source.ts'
import { AT, HOUR, NOW, registryOf, reportOf, sourceOf } from './world.ts'

const ACME = `0x${'A'.repeat(40)}`
const poolOf = (given: Partial<Pool> = {}): Pool => ({
  kind: 'pool',
  dex_id: 'swap',
  dex_name: 'Swap',
  platform: 'ethereum',
  pool_address: `0x${'C'.repeat(40)}`,
  base: { address: ACME, symbol: 'ACME' },
  quote: { address: `0x${'B'.repeat(40)}`, symbol: 'WETH' },
  price_native: 0.001,
  price_usd: 2,
  percent_change_24h: 1.23456,
  volume_24h_usd: 100,
  liquidity_usd: 5000,
  transactions_24h: 7,
  created_at: NOW - HOUR,
  url: 'https://swap.example/pool',
  ...given,
})
const dex = sourceOf('coingecko', 'dex')
const slugOf = (chain: string, address: string) => (address === ACME.toLowerCase() ? `acme-on-${chain}` : null)
const HEARD = { now: NOW, isSilent: () => false }
const pairsIn = (reports: readonly Report[], pairs: Previous['pairs'] = []) =>
  pairsOf(reports, registryOf(), slugOf, { ...NOTHING_BEFORE, pairs, ...HEARD })
const pairs = (...pools: readonly Pool[]) => pairsIn([reportOf(dex, { pools })])
const other = (digit: string, given: Partial<Pool> = {}) => poolOf({ pool_address: `0x${digit.repeat(40)}`, ...given })

describe('the pairs of a run', () => {
  it('hold each pool with normalized addresses and the listing of its base', () => {
    expect(pairs(poolOf())).toEqual([
      expect.objectContaining({
        pair_id: `ethereum:0x${'c'.repeat(40)}`,
        base_address: ACME.toLowerCase(),
        base_asset_id: 'acme-on-ethereum',
        pair_created_at: '2026-11-20T11:00:00Z',
        percent_change_24h: 1.2346,
        collected_at: AT,
        is_preview: true,
      }),
    ])
  })

  it('leave out pools on chains that the registry does not know', () => {
    expect(pairs(other('1', { platform: 'nowhere' }), poolOf())).toHaveLength(1)
  })

  it('list a pool once, from the first source in the table', () => {
    const reports = [
      reportOf(dex, { pools: [poolOf({ price_usd: 2 })] }),
      reportOf(dex, { pools: [poolOf({ price_usd: 3 })] }),
    ]
    expect(pairsIn(reports).map(({ price_usd }) => price_usd)).toEqual([2])
  })

  it('come the deepest first, those of unknown depth last, then by id', () => {
    const found = pairs(
      other('3', { liquidity_usd: null }),
      other('2', { liquidity_usd: 0 }),
      other('1', { liquidity_usd: 9 }),
      other('0', { liquidity_usd: 9 }),
    )
    const ids = found.map(({ pool_address }) => pool_address.at(-1))
    expect(ids).toEqual(['0', '1', '2', '3'])
  })

  it('keep the time of a pool that did not change', () => {
    const [before] = pairs(poolOf())
    if (!before) throw new Error('the pool has no pair')
    const later = (pool: Pool) => pairsIn([reportOf(dex, { pools: [pool], attemptedAt: NOW + HOUR / 2 })], [before])
    expect(later(poolOf())[0]?.collected_at).toBe(AT)
    expect(later(poolOf({ price_usd: 3 }))[0]?.collected_at).toBe('2026-11-20T12:30:00Z')
  })

  it('have null for figures that the source does not report', () => {
    const nothing = { price_native: null, price_usd: null, percent_change_24h: null, volume_24h_usd: null }
    expect(pairs(poolOf({ ...nothing, liquidity_usd: null, created_at: null }))).toEqual([
      expect.objectContaining({ ...nothing, liquidity_usd: null, pair_created_at: null }),
    ])
  })
})

describe('a pool as a market', () => {
  const market = (given: Partial<Pool> = {}) => pairs(poolOf(given)).map(poolMarket)[0]

  it('is a row of its DEX that takes no part in a price by itself', () => {
    expect(market()).toMatchObject({
      exchange_id: 'swap',
      exchange_type: 'dex',
      price: 0.001,
      price_usd: 2,
      volume_24h_usd: 100,
      liquidity_usd: 5000,
      is_stale: false,
      is_outlier: false,
      used_in_price: false,
      matched_by: 'contract',
    })
  })

  it('has a volume in the base where volume and price are known', () => {
    expect(market()?.volume_24h_base).toBe(50)
    expect(market({ price_usd: null })?.volume_24h_base).toBeNull()
    expect(market({ volume_24h_usd: null })?.volume_24h_base).toBeNull()
  })
})
