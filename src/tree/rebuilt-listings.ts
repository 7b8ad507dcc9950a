import * as z from 'zod'
import { Asset, DetailedRow, NO_BASIS, NO_LINKS } from '../contract/asset.ts'
import { fileOf } from '../contract/endpoint-spec.ts'
import { seriesFile } from '../contract/history.ts'
import { SourceIdRow } from '../contract/identity.ts'
import { API_FOLDER, PREFIX } from '../contract/prefix.ts'
import { Slug } from '../contract/words.ts'
import { markets } from '../endpoints/lists.ts'

/** Reads a document of the last publication; null where it is missing or damaged. */
export type Read = <Schema extends z.ZodType>(file: string, schema: Schema) => z.infer<Schema> | null

const Feed = z.object({ rows: z.array(DetailedRow) })
const Ids = z.object({ source_id: z.string(), rows: z.array(SourceIdRow) })
const Series = z.object({ replacedBy: Slug.nullable() })
const IDS = new RegExp(`^${API_FOLDER}/ids/[^/]+\\.json$`)

/**
 * Returns what other documents say of listings whose profiles are lost: the row of the feed, and the ids at the sources.
 * They keep their slugs, prices and contracts, and a source that lies at that moment meets what is known of them. A slug
 * that is not in the feed was delisted or renamed, and stays taken. Nothing is known where the feed is lost too.
 *
 * @param files all files of the last publication
 */
export function rebuiltAssets(slugs: ReadonlySet<string>, files: readonly string[], read: Read): Asset[] {
  const feed = slugs.size === 0 ? null : read(fileOf(markets, {}), Feed)
  if (feed === null) return []
  const rows = new Map(feed.rows.map((row) => [row.slug, row]))
  const ids = idsOf(slugs, files, read)
  return [...slugs].map((slug) =>
    Asset.parse({
      ...(rows.get(slug) ?? retired(slug)),
      asset_type: null,
      description: null,
      links: NO_LINKS,
      explorers: [],
      market_count: 0,
      markets_endpoint: `${PREFIX}/assets/${slug}/markets`,
      history_endpoint: `${PREFIX}/history/${slug}`,
      external_ids: Object.fromEntries(ids.get(slug) ?? []),
      aliases: [],
      replaced_by: rows.has(slug) ? null : (read(seriesFile(slug, 365), Series)?.replacedBy ?? null),
      notice: null,
      first_listed: null,
      profile_updated: null,
      last_seen: null,
      price_basis: NO_BASIS,
    }),
  )
}

function idsOf(
  slugs: ReadonlySet<string>,
  files: readonly string[],
  read: Read,
): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const found = new Map<string, Map<string, string>>()
  for (const file of files) {
    const document = IDS.test(file) ? read(file, Ids) : null
    for (const { id, slug } of document?.rows ?? []) {
      if (!document || !slugs.has(slug)) continue
      found.set(slug, (found.get(slug) ?? new Map<string, string>()).set(document.source_id, id))
    }
  }
  return found
}

/** The row of a listing that left the feed, of which nothing but its slug is known. */
const retired = (slug: string) => ({
  ...Object.fromEntries(Object.keys(DetailedRow.shape).map((member) => [member, null])),
  asset_id: slug,
  slug,
  symbol: slug,
  name: slug,
  verification_status: 'unverified',
  source_label: 'unknown',
  token_page: `/token/${slug}`,
  exchange_count: 0,
  listing_status: 'delisted',
  tags: [],
  contracts: [],
})
