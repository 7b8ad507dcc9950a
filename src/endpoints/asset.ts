import { Asset } from '../contract/asset.ts'
import { slug } from '../contract/parameters.ts'
import { endpoint } from './endpoint.ts'
import { healthOf, listingOf, slugs } from './own.ts'

export const asset = endpoint({
  name: 'asset',
  group: 'One asset',
  path: '/assets/:slug',
  description: 'Everything known about one asset, with the inputs of its price.',
  example: '/assets/bitcoin',
  parameters: { slug },
  members: { asset: Asset },
  keys: slugs,
  health: healthOf,
  body: (world, { slug }) => ({ asset: listingOf(world, slug).asset }),
})
