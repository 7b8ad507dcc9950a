import { SEARCH_INDEX } from '../contract/site-files.ts'
import { byKey, compare } from '../contract/order.ts'
import type { Asset } from '../contract/asset.ts'
import type { Attachment, World } from '../endpoints/endpoint.ts'
import { ADDRESS_START, type SearchIndex } from './search.ts'

type Named = Pick<Asset, 'slug' | 'symbol' | 'name' | 'external_ids' | 'contracts'>

/** Returns the ids of an asset at its sources that its slug, symbol and name do not find, and how its contracts begin. */
export function otherIds({ slug, symbol, name, external_ids, contracts }: Named): string[] {
  const found = new Set([symbol.toLowerCase(), name.toLowerCase()])
  const ids = Object.values(external_ids).map((id) => id.toLowerCase())
  const addresses = contracts.map(({ address }) => address.slice(0, ADDRESS_START).toLowerCase())
  return [...new Set([...ids.filter((id) => !slug.includes(id) && !found.has(id)), ...addresses])].toSorted()
}

/** Returns the file of what the search finds. The largest listings come first, by powers of two, so that it changes rarely. */
export function searchIndex({ listed, categories, venues }: World): Attachment {
  const tokens = listed
    .map(({ asset }) => {
      const size = Math.floor(Math.log2(asset.market_cap_rank ?? listed.length + 1))
      return { size, entry: [asset.slug, asset.symbol, asset.name, ...otherIds(asset)] as const }
    })
    .toSorted((a, b) => a.size - b.size || compare(a.entry[0], b.entry[0]))
  const index: SearchIndex = {
    tokens: tokens.map(({ entry }) => entry),
    categories: [...categories.values()].map(({ row }) => [row.category_id, row.name] as const).toSorted(byKey),
    exchanges: [...venues.values()].map(({ row }) => [row.exchange_id, row.exchange_name] as const).toSorted(byKey),
  }
  return { path: SEARCH_INDEX, text: `${JSON.stringify(index)}\n` }
}
