import * as z from 'zod'
import { AssetRow } from './asset.ts'
import { listOf, ownListOf } from './envelope.ts'
import { CapChange, MarketTotals } from './global.ts'
import { Count, Slug, line } from './words.ts'

export const CategoryRow = z
  .object({
    category_id: Slug.describe('Slug of the tag; tags with the same slug are one category.'),
    name: line(80).describe('The tag as most of its listings spell it.'),
    listing_count: Count.describe('Listings with the tag, ranked or not.'),
    ...MarketTotals,
    percent_change_24h: CapChange,
  })
  .meta({ id: 'CategoryRow', description: 'One tag of `markets` and its listings. Unknown is null.' })
export type CategoryRow = z.infer<typeof CategoryRow>

export const CategoriesMembers = listOf(CategoryRow)
export const CategoryMembers = { category: CategoryRow, ...ownListOf(AssetRow) } as const
