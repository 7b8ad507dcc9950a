import { MarketsRow } from '../contract/asset.ts'
import { listOf } from '../contract/envelope.ts'
import { endpoint } from './endpoint.ts'
import { assetRows } from './lists.ts'

export const markets = endpoint({
  name: 'markets',
  path: '/markets',
  description: 'The full feed: all listings with price changes, supplies, all-time high, tags and contracts.',
  example: '/markets',
  parameters: {},
  members: listOf(MarketsRow),
  body: (world) =>
    assetRows(
      world,
      world.listed.map(({ asset }) => asset),
    ),
})
