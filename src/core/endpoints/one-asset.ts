import { Asset } from '../contract/asset.ts'
import { ownListOf } from '../contract/envelope.ts'
import { Market } from '../contract/market.ts'
import { slug } from '../contract/parameters.ts'
import { Slug } from '../contract/words.ts'
import type { Health } from '../feed/health.ts'
import type { Snapshot } from '../feed/snapshot.ts'
import { type PublicationData, endpoint, entryAt } from './endpoint.ts'

const slugs = ({ listings }: Snapshot) => listings.map(({ asset: { slug } }) => ({ slug }))

export const listingHealth = ({ health, healthOf }: PublicationData, { slug }: { readonly slug: string }): Health =>
  healthOf.get(slug) ?? health

export const asset = endpoint('One asset', {
  name: 'asset',
  path: '/assets/:slug',
  description: 'Everything known about one asset, with the inputs of its price.',
  parameters: { slug },
  members: { asset: Asset },
  keys: slugs,
  health: listingHealth,
  body: ({ bySlug }, { slug }) => ({ asset: entryAt(bySlug, slug).asset }),
})

export const assetMarkets = endpoint('One asset', {
  name: 'asset-markets',
  path: '/assets/:slug/markets',
  description: 'Exchange markets of one asset, by volume, flagged markets last.',
  parameters: { slug },
  members: {
    slug: Slug,
    replacedBy: Slug.nullable().describe('Set on a retired slug: the slug that replaces it.'),
    ...ownListOf(Market),
  },
  keys: slugs,
  health: listingHealth,
  body: ({ bySlug }, { slug }) => {
    const { asset, markets } = entryAt(bySlug, slug)
    return { slug, replacedBy: asset.replaced_by, rows: markets }
  },
})
