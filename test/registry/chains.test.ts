import * as fc from 'fast-check'
import * as z from 'zod'
import { describe, expect, it } from 'vitest'
import rows from '../../src/core/registry/chains.json' with { type: 'json' }
import { openRegistry } from '../../src/core/registry/registry.ts'
import { Chain } from '../../src/core/registry/schema.ts'

const registry = openRegistry()
const chains = z.array(Chain).parse(rows)

const repeated = (values: readonly (string | number | null)[]) =>
  values.filter((value, index) => value !== null && values.indexOf(value) !== index)

describe('the chains', () => {
  it('each have one name and one chain id', () => {
    expect(repeated(chains.map(({ chain }) => chain))).toEqual([])
    expect(repeated(chains.map(({ chain_id }) => chain_id))).toEqual([])
  })

  it.each(['coinpaprika', 'dexscreener', 'geckoterminal'])('are found again by their name at %s', (source) => {
    const spelled = chains.flatMap(({ chain, spellings }) => {
      const platform = spellings[source] ?? null
      return platform === null ? [] : [{ chain, platform }]
    })
    expect(spelled.length).toBeGreaterThan(2)
    for (const { chain, platform } of spelled) {
      expect(registry.platformOf(source, chain)).toBe(platform)
      expect(registry.chainOf(source, platform)).toBe(chain)
    }
  })

  it('go by our own names at CoinGecko', () => {
    for (const { chain } of chains) {
      expect(registry.chainOf('coingecko', chain)).toBe(chain)
      expect(registry.platformOf('coingecko', chain)).toBe(chain)
    }
  })

  it.each([
    ['geckoterminal', 'eth', 'ethereum', 1],
    ['dexscreener', 'bsc', 'binance-smart-chain', 56],
    ['coinpaprika', 'sol-solana', 'solana', null],
  ])('%s %s is %s, chain id %s', (source, platform, chain, chain_id) => {
    const [seen] = registry.contractsSeen(source, [{ platform, address: 'x', decimals: null }])
    expect(seen).toMatchObject({ chain, chain_id })
  })

  it('drop a contract on an unknown chain, and one with an invalid address', () => {
    const seen = registry.contractsSeen('coingecko', [
      { platform: 'no-such-chain', address: '0x1', decimals: null },
      { platform: 'ethereum', address: 'two words', decimals: null },
      { platform: 'ethereum', address: '', decimals: null },
      { platform: 'ethereum', address: '0x2', decimals: 6 },
    ])
    expect(seen.map(({ address, decimals }) => ({ address, decimals }))).toEqual([{ address: '0x2', decimals: 6 }])
  })
})

describe('an address', () => {
  const hex = fc.stringMatching(/^[0-9a-fA-F]{40}$/)
  const evm = chains.filter(({ evm }) => evm).map(({ chain }) => chain)

  it('means the same in upper and lower case on a chain with hexadecimal addresses', () => {
    fc.assert(
      fc.property(fc.constantFrom(...evm), hex, (chain, digits) => {
        const address = `0x${digits}`
        const normal = registry.normalizeAddress(chain, address)
        expect(normal).toBe(address.toLowerCase())
        expect(registry.normalizeAddress(chain, normal)).toBe(normal)
      }),
    )
  })

  it('keeps its letters where they count', () => {
    const usdt = 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'
    expect(registry.normalizeAddress('solana', usdt)).toBe(usdt)
  })

  it('cannot leave its place in a link', () => {
    fc.assert(
      fc.property(fc.string(), (address) => {
        const url = registry.poolUrl('ethereum', address.toWellFormed()) ?? ''
        expect(url).toMatch(/^https:\/\/etherscan\.io\/address\/[^/?#\s"<>]*$/)
      }),
    )
  })

  it('has no link on a chain that is not ours', () => {
    expect(registry.poolUrl('no-such-chain', '0x1')).toBeNull()
  })
})
