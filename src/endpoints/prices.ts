import { PricesMembers } from '../contract/prices.ts'
import { ids, limit, vs } from '../contract/parameters.ts'
import type { Snapshot } from '../feed/snapshot.ts'
import { endpoint } from './endpoint.ts'

const priced = ({ listed }: Snapshot): (readonly [slug: string, price_usd: number])[] =>
  listed.flatMap(({ asset: { slug, price_usd } }) => (price_usd === null ? [] : [[slug, price_usd] as const]))

export const prices = endpoint({
  name: 'prices',
  group: 'Lists',
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
