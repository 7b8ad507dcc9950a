import { AssetRow, MarketsRow, TopRow } from '../contract/asset.ts'
import { listOf } from '../contract/envelope.ts'
import { ids, limit, vs } from '../contract/parameters.ts'
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
