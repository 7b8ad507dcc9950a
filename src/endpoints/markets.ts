import { MarketsRow } from '../contract/asset.ts'
import { listOf } from '../contract/envelope.ts'
import { vs } from '../contract/parameters.ts'
import { type World, endpoint } from './endpoint.ts'
import { assetRows } from './lists.ts'

/** Every listing with its sparkline, in the order of the list. */
export const marketsRows = (world: World) =>
  world.listed.map(({ asset }) => ({ ...asset, sparkline_7d: [...world.sparklineOf(asset.slug)] }))

export const markets = endpoint({
  name: 'markets',
  group: 'Lists',
  path: '/markets',
  description:
    'The full feed: all listings with price changes, supplies, all-time high, tags, contracts and a sparkline of seven days.',
  example: '/markets',
  parameters: { vs },
  members: listOf(MarketsRow),
  body: (world) => assetRows(world, marketsRows(world)),
})
