import { group } from 'd3-array'
import * as z from 'zod'
import { type Asset, AssetRow, MarketsRow, TopRow } from '../contract/asset.ts'
import { ListTotals, listOf } from '../contract/envelope.ts'
import { ChainId } from '../contract/identity.ts'
import { chain, ids, limit, vs } from '../contract/parameters.ts'
import { Price, Slug } from '../contract/words.ts'
import type { Snapshot } from '../feed/snapshot.ts'
import { endpoint, oneDocument } from './endpoint.ts'

export const assets = endpoint('Lists', {
  name: 'assets',
  path: '/assets',
  description: 'All listings in short form: identity, price, change and market cap, by market cap rank, unranked last.',
  parameters: { limit, ids, vs },
  members: listOf(AssetRow),
  body: ({ listed }) => ({ rows: listed.map(({ asset }) => asset) }),
})

export const markets = endpoint('Lists', {
  name: 'markets',
  path: '/markets',
  description:
    'The full feed: all listings with price changes, supplies, all-time high, tags, contracts and a sparkline of seven days.',
  parameters: { vs },
  members: listOf(MarketsRow),
  body: (world) => ({ rows: world.marketsRows }),
})

const TOP = 100

export const top = oneDocument('Lists', {
  name: 'top',
  path: '/top',
  description: `The first ${TOP} listings with price, changes, logo and a sparkline of seven days: one small document for a dashboard.`,
  members: listOf(TopRow),
  body: (world) => ({ rows: world.marketsRows.slice(0, TOP) }),
})

function rankedList<Name extends 'gainers' | 'losers' | 'trending'>(name: Name, description: string) {
  const path: string = `/${name}`
  return endpoint('Lists', {
    name,
    path,
    description,
    parameters: { limit, vs },
    members: listOf(AssetRow),
    body: (world) => ({ rows: world[name] }),
  })
}

export const gainers = rankedList(
  'gainers',
  'Listings with the largest gains in 24 hours, largest first, without thin, stale and flagged markets.',
)
export const losers = rankedList(
  'losers',
  'Listings with the largest losses in 24 hours, largest first, without thin, stale and flagged markets.',
)
export const trending = rankedList('trending', 'Verified and ranked listings by market cap, largest first.')

const priced = ({ listed }: Snapshot): (readonly [slug: string, price_usd: number])[] =>
  listed.flatMap(({ asset: { slug, price_usd } }) => (price_usd === null ? [] : [[slug, price_usd] as const]))

export const prices = endpoint('Lists', {
  name: 'prices',
  path: '/prices',
  description: 'All prices in US dollars by slug, in the order of assets: the smallest answer with every price.',
  parameters: { limit, ids, vs },
  members: {
    ...ListTotals,
    prices: z
      .record(z.string(), Price)
      .describe(
        'Price in US dollars by slug: `price_usd` of `assets`, in the same order. Listings without a price are omitted.',
      ),
  },
  order: (world) => priced(world).map(([slug]) => slug),
  body: (world) => ({ prices: Object.fromEntries(priced(world)) }),
})

function ownerOf(claimants: readonly Asset[]): Asset | null {
  const trusted = claimants.filter(({ verification_status }) => verification_status !== 'flagged')
  const verified = trusted.filter(({ verification_status }) => verification_status === 'verified')
  const [owner, ...others] = verified.length > 0 ? verified : trusted
  return owner && others.length === 0 ? owner : null
}

const pricesOn = ({ directory, bySlug }: Snapshot, chain: string) => {
  const claimed = group(directory.chains.get(chain) ?? [], ({ address }) => address)
  return [...claimed].flatMap(([address, rows]) => {
    const owner = ownerOf(rows.flatMap(({ slug }) => bySlug.get(slug)?.asset ?? []))
    if (owner === null || owner.price_usd === null) return []
    return [[address, { slug: owner.slug, price_usd: owner.price_usd }] as const]
  })
}

const ContractPrice = z
  .object({ slug: Slug, price_usd: Price })
  .meta({ id: 'ContractPrice', description: 'The listing of a contract and its price.' })

export const chainPrices = endpoint('Lists', {
  name: 'chain-prices',
  path: '/prices/:chain',
  description: 'All prices of one chain in US dollars, by contract address.',
  parameters: { chain },
  members: {
    chain: ChainId,
    count: ListTotals.count,
    prices: z
      .record(z.string(), ContractPrice)
      .describe(
        'By contract address, in lower case if hexadecimal. Omitted: listings without a price, flagged listings, and ' +
          'contracts that several listings claim unless exactly one of them is verified.',
      ),
  },
  keys: ({ directory }) => [...directory.chains.keys()].map((chain) => ({ chain })),
  body: (world, { chain }) => ({ chain, prices: Object.fromEntries(pricesOn(world, chain)) }),
})
