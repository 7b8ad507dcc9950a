import { AssetRow } from '../contract/asset.ts'
import { listOf } from '../contract/envelope.ts'
import { limit, vs } from '../contract/parameters.ts'
import { endpoint } from './endpoint.ts'
import { assetRows } from './lists.ts'

export const losers = endpoint({
  name: 'losers',
  group: 'Lists',
  path: '/losers',
  description: 'Listings with the largest losses in 24 hours, largest first, without thin, stale and flagged markets.',
  example: '/losers?limit=10',
  parameters: { limit, vs },
  members: listOf(AssetRow),
  body: (world) => assetRows(world, world.losers),
})
