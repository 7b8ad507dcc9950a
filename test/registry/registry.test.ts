import { describe, expect, it } from 'vitest'
import { RegistryError, openRegistry } from '../../src/core/registry/registry.ts'

const registry = openRegistry()

const entry = {
  slug: 'acme',
  symbol: 'ACME',
  name: 'Acme',
  asset_type: 'token',
  verification_status: 'verified',
  ecosystem: null,
  max_supply: null,
  external_ids: { coingecko: 'acme-coin' },
  exchange_symbols: { kraken: 'ACM' },
  contracts: [{ chain: 'ethereum', address: '0x00000000000000000000000000000000000000Aa', decimals: 18 }],
  tags: [],
  links: { website: null, whitepaper: null, source_code: null, twitter: null, telegram: null, discord: null },
  description: null,
  notice: null,
}
const other = { ...entry, slug: 'other', external_ids: {}, exchange_symbols: {}, contracts: [] }

describe('the reviewed assets', () => {
  it('hold the four of the ecosystem, BX without any market or contract', () => {
    const ecosystem = registry.assets.filter((asset) => asset.ecosystem !== null)
    expect(ecosystem.map(({ slug }) => slug)).toEqual(['bx', 'dmt-nat', 'tap-protocol', 'trac-network'])
    expect(ecosystem[0]).toMatchObject({ exchange_symbols: {}, external_ids: {}, contracts: [], description: null })
  })

  it('name only chains that are ours', () => {
    const chains = registry.assets.flatMap(({ contracts }) => contracts.map(({ chain }) => chain))
    expect(chains.filter((chain) => registry.platformOf('coingecko', chain) === null)).toEqual([])
  })

  it('publish each contract in its normal form with a link to its chain', () => {
    const contracts = registry.assets.flatMap((asset) => registry.contractsOf(asset))
    expect(contracts.length).toBeGreaterThan(20)
    for (const { chain, address, explorer_url } of contracts) {
      expect(registry.normalizeAddress(chain, address)).toBe(address)
      expect(explorer_url).toMatch(/^https:\/\//)
      expect(explorer_url).toContain(address)
    }
  })

  it('know what quote currencies are', () => {
    const known = { BTC: 'bitcoin', ETH: 'ethereum', USDT: 'tether', USDC: 'usd-coin' }
    expect(Object.fromEntries(registry.references)).toMatchObject(known)
  })
})

describe('a base symbol at a venue', () => {
  it.each([
    ['kraken', 'TRAC', 'origintrail'],
    ['coinbase', 'TRAC', 'origintrail'],
    ['gate', 'TNK', 'trac-network'],
    ['mexc', 'TNK', 'trac-network'],
    ['gate', 'TAPPROTOCOL', 'tap-protocol'],
    ['mexc', 'NAT', 'dmt-nat'],
    ['kraken', 'BTC', 'bitcoin'],
    ['a venue of tomorrow', 'BTC', 'bitcoin'],
  ])('%s %s is %s', (venue, symbol, slug) => {
    expect(registry.listingAt(venue, symbol)).toBe(slug)
  })

  it.each([
    ['gate', 'TAP', 'is Tap Fantasy there'],
    ['kraken', 'TNK', 'is not known to be Trac Network there'],
    ['okx', 'NAT', 'is not known to be DMT-NAT there'],
    ['binance', 'BX', 'has no market'],
  ])('%s %s is no one’s: it %s', (venue, symbol) => {
    expect(registry.listingAt(venue, symbol)).toBeUndefined()
  })

  it.each([
    ['trac-network', true],
    ['tap-protocol', true],
    ['bx', true],
    ['origintrail', true],
    ['bitcoin', false],
    ['not-in-the-registry', false],
  ])('%s is matched by its spellings alone: %s', (slug, alone) => {
    expect(registry.hasSpellings(slug)).toBe(alone)
  })
})

describe('a registry that is damaged', () => {
  it.each([
    ['an address that is missing', { contracts: [{ chain: 'ethereum', decimals: 18 }] }, /acme.*contracts\.0\.address/],
    ['a slug that breaks the pattern', { slug: 'Acme Coin' }, /Acme Coin.*slug/],
    ['a link that is not https', { links: { ...entry.links, website: 'http://example.com/' } }, /acme.*links\.website/],
    ['an unknown member', { price: 1 }, /acme.*price/],
  ])('is refused for %s, in one line that names entry and member', (_what, damage, message) => {
    const open = () => openRegistry({ assets: [{ ...entry, ...damage }] })
    expect(open).toThrow(RegistryError)
    expect(open).toThrow(message)
    expect(open).not.toThrow(/\n/)
  })

  it('is refused when it is no list at all', () => {
    expect(() => openRegistry({ assets: {} })).toThrow(/assets: the whole file/)
  })

  it.each([
    ['slug', { slug: 'acme' }],
    ['coingecko id', { external_ids: { coingecko: 'acme-coin' } }],
    ['symbol ACM at kraken', { exchange_symbols: { kraken: 'ACM' } }],
    ['contract ethereum', { contracts: [{ chain: 'ethereum', address: `0x${'0'.repeat(38)}aa`, decimals: 18 }] }],
  ])('is refused when two entries claim one %s', (name, shared) => {
    expect(() => openRegistry({ assets: [entry, { ...other, ...shared }] })).toThrow(name)
  })

  it('is refused for a contract on a chain without facts', () => {
    const stray = { ...entry, contracts: [{ chain: 'no-such-chain', address: 'x', decimals: null }] }
    expect(() => openRegistry({ assets: [stray] })).toThrow(/acme: contracts: .*no-such-chain/)
  })

  it('lets two assets differ', () => {
    expect(openRegistry({ assets: [entry, other] }).assets).toHaveLength(2)
  })
})

describe('a source that uses the names of another', () => {
  const borrowed = openRegistry({ assets: [entry], spelledAs: { rehearsal: 'coingecko' } })

  it('has its ids and its chain names', () => {
    const [acme] = borrowed.assets
    expect(acme && borrowed.externalIds(acme)).toContainEqual(['rehearsal', 'acme-coin'])
    expect(borrowed.chainOf('rehearsal', 'polygon-pos')).toBe('polygon-pos')
    expect(borrowed.platformOf('rehearsal', 'polygon-pos')).toBe('polygon-pos')
  })

  it('goes by the slug of an asset that the other has no id of', () => {
    const opened = openRegistry({ assets: [other], spelledAs: { rehearsal: 'coingecko' } })
    expect(opened.assets.flatMap((asset) => opened.externalIds(asset))).toEqual([['rehearsal', 'other']])
  })

  it('has its symbols', () => {
    const opened = openRegistry({ assets: [entry], spelledAs: { rehearsal: 'kraken' } })
    expect(opened.listingAt('rehearsal', 'ACM')).toBe('acme')
  })

  it('has none of them by default', () => {
    expect(registry.chainOf('rehearsal', 'polygon-pos')).toBeNull()
    expect(registry.platformOf('rehearsal', 'polygon-pos')).toBeNull()
  })
})

describe('the logo of a listing', () => {
  it('is at the site by an id, not by a symbol', () => {
    const { logoUrl } = openRegistry({ assets: [entry], site: 'https://quotes.example/market/' })
    expect(logoUrl('bitcoin', { coingecko: 'bitcoin' })).toBe('https://quotes.example/market/logos/bitcoin.svg')
    expect(logoUrl('bitcoin', { kraken: 'bitcoin' })).toBeNull()
  })

  it.each([undefined, null, 'http://127.0.0.1/'])('has a path where the site is %s', (site) =>
    expect(
      openRegistry({ assets: [entry], ...(site !== undefined && { site }) }).logoUrl('btc', { sample: 'bitcoin' }),
    ).toBe('/logos/btc.svg'),
  )
})
