import { ownListOf } from '../contract/envelope.ts'
import { Market } from '../contract/market.ts'
import { slug } from '../contract/parameters.ts'
import { Slug } from '../contract/words.ts'
import { endpoint } from './endpoint.ts'
import { healthOf, listingOf, slugs } from './own.ts'

export const assetMarkets = endpoint({
  name: 'asset-markets',
  path: '/assets/:slug/markets',
  description: 'The exchange markets of one asset, by volume, flagged ones last.',
  example: '/assets/bitcoin/markets',
  parameters: { slug },
  members: {
    slug: Slug,
    replacedBy: Slug.nullable().describe('Set on a slug that was given up: the slug to ask instead.'),
    ...ownListOf(Market),
  },
  keys: slugs,
  health: healthOf,
  body: (world, { slug }) => {
    const { asset, markets } = listingOf(world, slug)
    return { slug, replacedBy: asset.replaced_by, count: markets.length, rows: markets }
  },
})
