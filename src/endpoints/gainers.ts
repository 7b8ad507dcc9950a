import { AssetRow } from '../contract/asset.ts'
import { listOf } from '../contract/envelope.ts'
import { limit } from '../contract/parameters.ts'
import { endpoint } from './endpoint.ts'
import { assetRows } from './lists.ts'

export const gainers = endpoint({
  name: 'gainers',
  path: '/gainers',
  description:
    'Listings by strongest positive move of 24 hours, strongest first; thin, stale and flagged markets left out.',
  example: '/gainers?limit=10',
  parameters: { limit },
  members: listOf(AssetRow),
  body: (world) => assetRows(world, world.gainers),
})
