import { AssetRow } from '../contract/asset.ts'
import { listOf } from '../contract/envelope.ts'
import { ids, limit, vs } from '../contract/parameters.ts'
import { endpoint } from './endpoint.ts'
import { assetRows } from './lists.ts'

export const assets = endpoint({
  name: 'assets',
  group: 'Lists',
  path: '/assets',
  description: 'All listings in short form: identity, price, change and market cap, by market cap rank, unranked last.',
  example: '/assets?limit=10',
  parameters: { limit, ids, vs },
  members: listOf(AssetRow),
  body: (world) =>
    assetRows(
      world,
      world.listed.map(({ asset }) => asset),
    ),
})
