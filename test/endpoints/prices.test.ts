import { beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import type { PublicationData } from '../../src/core/endpoints/endpoint.ts'
import { chainPrices, markets, prices } from '../../src/core/endpoints/lists.ts'
import { rates } from '../../src/core/endpoints/rates.ts'
import type { Asset } from '../../src/core/contract/asset.ts'
import { assetOf } from '../feed/world.ts'
import { brotliBytes, documentsOf, sampleWorld, worldOf } from './worlds.ts'

const ChainPrices = z.object({
  prices: z.record(z.string(), z.object({ slug: z.string(), price_usd: z.number() })),
})

describe('on the whole sample', () => {
  let world: PublicationData
  let texts: ReadonlyMap<string, string>
  beforeAll(async () => {
    world = await sampleWorld()
    texts = documentsOf(world, markets, prices, chainPrices, rates)
  })

  it('has the prices of markets digit for digit, in the order of assets, and no other', () => {
    const [, entries = ''] = /"prices":\{\n(.*)\n\}\}\n$/s.exec(texts.get('prices') ?? '') ?? []
    const rows = [...(texts.get('markets') ?? '').matchAll(/^\{"asset_id":"([^"]+)".*?"price_usd":([\d.]+|null)/gm)]
    const expected = rows.flatMap(([, slug, price]) => (price === 'null' ? [] : [`"${slug}":${price}`]))
    expect(rows.length).toBe(1252)
    expect(expected.length).toBeLessThan(rows.length)
    expect(entries.split(',\n')).toEqual(expected)
  })

  it('needs at most 14 KB for all and 1.4 KB for the first 100', () => {
    expect(brotliBytes(texts.get('prices'))).toBeLessThanOrEqual(14_000)
    expect(brotliBytes(texts.get('prices/limit=100'))).toBeLessThanOrEqual(1400)
  })

  it('needs at most 2 KB for all rates', () => {
    expect(brotliBytes(texts.get('rates'))).toBeLessThanOrEqual(2000)
  })

  it('needs at most 15 bytes a contract beside its address, whose 20 no coding makes less', () => {
    const text = texts.get('prices/ethereum') ?? ''
    const contracts = Object.keys(ChainPrices.parse(JSON.parse(text)).prices).length
    expect(brotliBytes(text)).toBeLessThanOrEqual(contracts * (20 + 15))
  })

  it('has every contract of a chain that is of one listing with a price', () => {
    const found = ChainPrices.parse(JSON.parse(texts.get('prices/ethereum') ?? '')).prices
    const owners = new Map<string, string[]>()
    for (const { asset } of world.listed)
      for (const { chain, address } of asset.contracts)
        if (chain === 'ethereum' && asset.price_usd !== null && asset.verification_status !== 'flagged')
          owners.set(address.toLowerCase(), [...(owners.get(address.toLowerCase()) ?? []), asset.slug])
    const single = [...owners].flatMap(([address, [slug, ...others]]) => (others.length === 0 ? [[address, slug]] : []))
    expect(single.length).toBeGreaterThan(100)
    for (const [address = '', slug] of single) expect(found[address]?.slug).toBe(slug)
    for (const { slug, price_usd } of Object.values(found))
      expect(price_usd).toBe(world.bySlug.get(slug)?.asset.price_usd)
  })
})

const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
const contracts = [{ chain: 'ethereum', chain_id: 1, address: USDC, decimals: 6, standard: null, explorer_url: null }]

describe('a contract', () => {
  const pricesOf = (...assets: readonly Asset[]) => {
    const text = documentsOf(worldOf(assets.map((asset) => [asset])), chainPrices).get('prices/ethereum')
    return ChainPrices.parse(JSON.parse(text ?? '')).prices
  }

  it('has the price of its listing, under the address in small letters', () => {
    expect(pricesOf(assetOf('usd-coin', { price_usd: 0.999, contracts }))).toEqual({
      [USDC.toLowerCase()]: { slug: 'usd-coin', price_usd: 0.999 },
    })
  })

  it('has that of the one verified listing, whatever else claims it', () => {
    const verified = assetOf('usd-coin', { price_usd: 0.999, contracts, verification_status: 'verified' })
    const other = assetOf('not-usd-coin', { price_usd: 7, contracts, verification_status: 'unverified' })
    expect(pricesOf(verified, other)).toEqual({ [USDC.toLowerCase()]: { slug: 'usd-coin', price_usd: 0.999 } })
  })

  it.each([
    ['two unverified listings claim it', 'unverified', 'unverified', 1],
    ['two verified listings claim it', 'verified', 'verified', 1],
    ['its listings are flagged', 'flagged', 'flagged', 1],
    ['its listing has no price', 'verified', 'flagged', null],
  ] as const)('has none where %s', (_, one, other, price_usd) => {
    const claimants = [
      assetOf('one', { price_usd, contracts, verification_status: one }),
      assetOf('other', { price_usd: 2, contracts, verification_status: other }),
    ]
    expect(pricesOf(...claimants)).toEqual({})
  })
})

it('keeps the order of assets where a slug is a number', () => {
  const texts = documentsOf(
    worldOf([
      [assetOf('bitcoin', { price_usd: 80_000, market_cap_rank: 1 })],
      [assetOf('888', { price_usd: 2, market_cap_rank: 2 })],
      [assetOf('unpriced', { price_usd: null, market_cap_rank: 3 })],
    ]),
    prices,
  )
  expect(texts.get('prices')).toContain('"count":2,\n"total":3,\n"prices":{\n"bitcoin":80000,\n"888":2\n}}\n')
})
