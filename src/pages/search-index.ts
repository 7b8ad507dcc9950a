import { SEARCH_INDEX } from '../core/contract/site-files.ts'
import { byKey } from '../core/contract/order.ts'
import type { Asset } from '../core/contract/asset.ts'
import type { Attachment, PublicationData } from '../core/endpoints/endpoint.ts'
import { ADDRESS_START, type SearchIndex } from './search.ts'

type Named = Pick<Asset, 'slug' | 'symbol' | 'name' | 'external_ids' | 'contracts'>

/** Returns the ids of an asset at its sources that its slug, symbol and name do not find, and how its contracts begin. */
export function otherIds({ slug, symbol, name, external_ids, contracts }: Named): string[] {
  const found = new Set([symbol.toLowerCase(), name.toLowerCase()])
  const ids = Object.values(external_ids).map((id) => id.toLowerCase())
  const addresses = contracts.map(({ address }) => address.slice(0, ADDRESS_START).toLowerCase())
  return [...new Set([...ids.filter((id) => !slug.includes(id) && !found.has(id)), ...addresses])].toSorted()
}

export function searchIndex({ listed, categories, venues }: PublicationData): Attachment {
  const index: SearchIndex = {
    tokens: listed.map(({ asset }) => [
      asset.slug,
      asset.symbol,
      asset.name,
      asset.market_cap_rank,
      asset.price_usd,
      ...otherIds(asset),
    ]),
    categories: [...categories.values()].map(({ row }) => [row.category_id, row.name] as const).toSorted(byKey),
    exchanges: [...venues.values()].map(({ row }) => [row.exchange_id, row.exchange_name] as const).toSorted(byKey),
  }
  return { path: SEARCH_INDEX, text: `${JSON.stringify(index)}\n` }
}
