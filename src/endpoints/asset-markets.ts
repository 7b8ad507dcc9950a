import { ownListOf } from '../contract/envelope.ts'
import { Market } from '../contract/market.ts'
import { slug } from '../contract/parameters.ts'
import { Slug } from '../contract/words.ts'
import { endpoint } from './endpoint.ts'
import { healthOf, listingOf, slugs } from './own.ts'

export const assetMarkets = endpoint({
  name: 'asset-markets',
  group: 'One asset',
  path: '/assets/:slug/markets',
  description: 'Exchange markets of one asset, by volume, flagged markets last.',
  example: '/assets/bitcoin/markets',
  parameters: { slug },
  members: {
    slug: Slug,
    replacedBy: Slug.nullable().describe('Set on a retired slug: the slug that replaces it.'),
    ...ownListOf(Market),
  },
  keys: slugs,
  health: healthOf,
  body: (world, { slug }) => {
    const { asset, markets } = listingOf(world, slug)
    return { slug, replacedBy: asset.replaced_by, count: markets.length, rows: markets }
  },
})
