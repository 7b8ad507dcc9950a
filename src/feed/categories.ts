import { compare } from '../contract/order.ts'
import type { Asset } from '../contract/asset.ts'
import type { CategoryRow } from '../contract/category.ts'
import { slugOf } from './slug.ts'
import { capChangeOf, isCounted, totalsOf } from './totals.ts'

/** A tag and its listings. */
export interface Category {
  readonly row: CategoryRow
  /** In the order of the given assets. */
  readonly assets: readonly Asset[]
}

/**
 * Returns the categories of these assets by id, largest market cap first. Tags with the same slug are merged; tags without
 * a Latin letter or digit have none.
 */
export function categoriesOf(assets: readonly Asset[]): ReadonlyMap<string, Category> {
  const ids = new Map<string, string>()
  const tagged = new Map<string, { readonly assets: Set<Asset>; readonly spellings: Map<string, number> }>()
  for (const asset of assets)
    for (const tag of asset.tags) {
      const id = ids.get(tag) ?? slugOf(tag)
      ids.set(tag, id)
      if (id === '') continue
      const category = tagged.get(id) ?? { assets: new Set(), spellings: new Map() }
      tagged.set(id, category)
      category.assets.add(asset)
      category.spellings.set(tag, (category.spellings.get(tag) ?? 0) + 1)
    }
  const categories = [...tagged].map(([id, { assets, spellings }]): Category => {
    const own = [...assets]
    const counted = own.filter(isCounted)
    return {
      row: {
        category_id: id,
        name: mostUsed(spellings),
        listing_count: own.length,
        ...totalsOf(counted),
        percent_change_24h: capChangeOf(counted),
      },
      assets: own,
    }
  })
  return new Map(categories.toSorted(byCap).map((category) => [category.row.category_id, category]))
}

const byCap = ({ row: a }: Category, { row: b }: Category): number =>
  (b.market_cap_usd ?? -1) - (a.market_cap_usd ?? -1) || compare(a.category_id, b.category_id)

const mostUsed = (spellings: ReadonlyMap<string, number>): string =>
  [...spellings].toSorted(([a, times], [b, others]) => others - times || compare(a, b))[0]?.[0] ?? ''
