import { expect, it } from 'vitest'
import { defillama } from '../../src/core/sources/defillama.ts'
import { observe } from './replies.ts'

const token = (address: string, platform = 'ethereum') => ({ platform, address })
const coin = { decimals: 18, symbol: 'ACME', price: 2.5, timestamp: 1_763_640_000, confidence: 0.99 }
const ask = (bodies: Record<string, unknown>, ...tokens: readonly ReturnType<typeof token>[]) =>
  observe(defillama, bodies, { tokens })

it('asks for contracts in bulk, and keeps who asked for which', async () => {
  const coins = { 'ethereum:0xAb': coin, 'solana:So1': { ...coin, price: '3' }, 'base:0xdd': coin }
  const path = '/prices/current/ethereum:0xAb,solana:So1'
  expect(await ask({ [path]: { coins } }, token('0xAb'), token('So1', 'solana'))).toEqual([
    { kind: 'reference', of: token('0xAb'), price_usd: 2.5, at: 1_763_640_000_000 },
    { kind: 'reference', of: token('So1', 'solana'), price_usd: 3, at: 1_763_640_000_000 },
  ])
})

it('requests a hundred contracts at a time, and continues when one part fails', async () => {
  const tokens = Array.from({ length: 101 }, (_, index) => token(`0x${index}`))
  const path = '/prices/current/ethereum:0x100'
  const seen = await ask({ [path]: { coins: { 'ethereum:0x100': coin } } }, ...tokens)
  expect(seen).toMatchObject([
    { kind: 'reference', of: token('0x100') },
    { kind: 'skipped', reason: expect.stringMatching(/^no part 1 of the prices/) },
  ])
  await expect(ask({}, token('0x1'))).rejects.toMatchObject({ code: 'source_invalid' })
})

it('leaves out unknown contracts, and makes no request without contracts', async () => {
  expect(await ask({ '/prices/current/ethereum:0x1': { coins: {} } }, token('0x1'))).toEqual([])
  expect(await ask({}, token('0x1::coin::Coin', 'aptos'), token('a/../b'))).toEqual([])
})

it('rejects a price of nothing, and one without a time', async () => {
  const coins = { 'ethereum:0x1': { ...coin, price: 0 }, 'ethereum:0x2': { ...coin, timestamp: null } }
  const path = '/prices/current/ethereum:0x1,ethereum:0x2'
  expect(await ask({ [path]: { coins } }, token('0x1'), token('0x2'))).toMatchObject([
    { kind: 'rejected' },
    { kind: 'rejected' },
  ])
})
