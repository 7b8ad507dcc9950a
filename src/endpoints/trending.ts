import { AssetRow } from '../contract/asset.ts'
import { listOf } from '../contract/envelope.ts'
import { limit, vs } from '../contract/parameters.ts'
import { endpoint } from './endpoint.ts'
import { assetRows } from './lists.ts'

export const trending = endpoint({
  name: 'trending',
  group: 'Lists',
  path: '/trending',
  description: 'Verified and ranked listings by market cap, largest first.',
  example: '/trending?limit=10',
  parameters: { limit, vs },
  members: listOf(AssetRow),
  body: (world) => assetRows(world, world.trending),
})
