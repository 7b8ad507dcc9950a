import { group } from 'd3-array'
import type { Asset } from '../contract/asset.ts'
import { ids, limit, vs, chain } from '../contract/parameters.ts'
import { PricesMembers, ChainPricesMembers } from '../contract/prices.ts'
import type { Snapshot } from '../feed/snapshot.ts'
import { endpoint } from './endpoint.ts'

const priced = ({ listed }: Snapshot): (readonly [slug: string, price_usd: number])[] =>
  listed.flatMap(({ asset: { slug, price_usd } }) => (price_usd === null ? [] : [[slug, price_usd] as const]))

export const prices = endpoint('Lists', {
  name: 'prices',
  path: '/prices',
  description: 'All prices in US dollars by slug, in the order of assets: the smallest answer with every price.',
  example: '/prices?limit=10',
  parameters: { limit, ids, vs },
  members: PricesMembers,
  order: (world) => priced(world).map(([slug]) => slug),
  body: (world) => {
    const entries = priced(world)
    return { count: entries.length, total: world.listed.length, prices: Object.fromEntries(entries) }
  },
})

function ownerOf(claimants: readonly Asset[]): Asset | null {
  const trusted = claimants.filter(({ verification_status }) => verification_status !== 'flagged')
  const verified = trusted.filter(({ verification_status }) => verification_status === 'verified')
  const [owner, ...others] = verified.length > 0 ? verified : trusted
  return owner && others.length === 0 ? owner : null
}

/** Returns the price by contract of a chain, in the order of `contracts/:chain`. */
const pricesOn = ({ directory, bySlug }: Snapshot, chain: string) => {
  const claimed = group(directory.chains.get(chain) ?? [], ({ address }) => address)
  return [...claimed].flatMap(([address, rows]) => {
    const owner = ownerOf(rows.flatMap(({ slug }) => bySlug.get(slug)?.asset ?? []))
    if (owner === null || owner.price_usd === null) return []
    return [[address, { slug: owner.slug, price_usd: owner.price_usd }] as const]
  })
}

export const chainPrices = endpoint('Lists', {
  name: 'chain-prices',
  path: '/prices/:chain',
  description: 'All prices of one chain in US dollars, by contract address.',
  example: '/prices/ethereum',
  parameters: { chain },
  members: ChainPricesMembers,
  keys: ({ directory }) => [...directory.chains.keys()].map((chain) => ({ chain })),
  body: (world, { chain }) => {
    const entries = pricesOn(world, chain)
    return { chain, count: entries.length, prices: Object.fromEntries(entries) }
  },
})
