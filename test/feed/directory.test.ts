import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SymbolKey } from '../../src/core/contract/identity.ts'
import { foldedAddress, symbolKey } from '../../src/core/contract/names.ts'
import { directoryOf } from '../../src/core/feed/snapshot.ts'
import { assetOf } from './world.ts'

const contract = (chain: string, address: string) => ({
  chain,
  chain_id: null,
  address,
  decimals: null,
  standard: null,
  explorer_url: null,
})

describe('a symbol', () => {
  it.each([
    ['btc', 'BTC'],
    ['USDC.e', 'USDCE'],
    ['$michi', 'MICHI'],
    ['ＵＳＤＴ', 'USDT'],
    ['币安人生', ''],
  ])('%s is looked up as %s', (symbol, key) => expect(symbolKey(symbol)).toBe(key))

  it('has a key that is valid in a URL, or none', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 100 }), (symbol) => {
        const key = symbolKey(symbol)
        expect(key === '' || SymbolKey.safeParse(key).success).toBe(true)
        expect(symbolKey(key)).toBe(key)
      }),
    ))

  it('of several listings names each of them, by rank', () => {
    const { symbols } = directoryOf([
      assetOf('acme', { symbol: 'ACM' }),
      assetOf('ac-milan', { symbol: 'acm' }),
      assetOf('nameless', { symbol: '币安人生' }),
    ])
    expect([...symbols].map(([key, rows]) => [key, rows.map(({ slug }) => slug)])).toEqual([
      ['ACM', ['acme', 'ac-milan']],
    ])
  })
})

describe('an address', () => {
  it('is compared without the capitals of its checksum, where it is hexadecimal', () => {
    expect(foldedAddress('0xdAC17F958D2ee523a2206206994597C13D831ec7')).toBe(
      '0xdac17f958d2ee523a2206206994597c13d831ec7',
    )
    expect(foldedAddress('TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t')).toBe('TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t')
    expect(foldedAddress('0x1::aptos_coin::AptosCoin')).toBe('0x1::aptos_coin::AptosCoin')
  })

  it('is listed under its chain; chains without a valid name in a URL are left out', () => {
    const { chains } = directoryOf([
      assetOf('b', { contracts: [contract('ethereum', '0xBB'), contract('Odd Chain', '0x1')] }),
      assetOf('a', { contracts: [contract('ethereum', '0xaa'), contract('ethereum', '0xbb')] }),
    ])
    expect([...chains].map(([chain, rows]) => [chain, rows.map(({ address, slug }) => `${address} ${slug}`)])).toEqual([
      ['ethereum', ['0xaa a', '0xbb a', '0xbb b']],
    ])
  })
})

it('an id is kept with its source', () => {
  const { sources } = directoryOf([
    assetOf('tether', { external_ids: { coingecko: 'tether', coinpaprika: 'usdt-tether' } }),
    assetOf('bitcoin', { external_ids: { coingecko: 'bitcoin' } }),
  ])
  expect([...sources].map(([source, rows]) => [source, rows.map(({ id }) => id)])).toEqual([
    ['coingecko', ['bitcoin', 'tether']],
    ['coinpaprika', ['usdt-tether']],
  ])
})
