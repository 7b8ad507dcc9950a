import { SEARCH_IDS } from '../contract/site-files.ts'
import type { Asset } from '../contract/asset.ts'
import type { Attachment } from '../endpoints/attachment.ts'
import type { World } from '../endpoints/endpoint.ts'

/** Returns the ids of an asset at its sources that its slug, symbol and name do not find. */
export function otherIds({
  slug,
  symbol,
  name,
  external_ids,
}: Pick<Asset, 'slug' | 'symbol' | 'name' | 'external_ids'>): string[] {
  const found = new Set([symbol.toLowerCase(), name.toLowerCase()])
  const ids = Object.values(external_ids).map((id) => id.toLowerCase())
  return [...new Set(ids)].filter((id) => !slug.includes(id) && !found.has(id)).toSorted()
}

/** Returns the file that the search reads: the other ids of each listing that has some, by slug. */
export function searchIds(world: World): Attachment {
  const ids = world.listed.flatMap(({ asset }) => {
    const own = otherIds(asset)
    return own.length === 0 ? [] : [{ slug: asset.slug, own }]
  })
  return { path: SEARCH_IDS, text: `${JSON.stringify(Object.fromEntries(ids.map(({ slug, own }) => [slug, own])))}\n` }
}
