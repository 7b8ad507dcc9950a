import pLimit from 'p-limit'
import * as z from 'zod'
import { IndexMembers } from '../contract/api-index.ts'
import { Asset, AssetRow, MarketsRow } from '../contract/asset.ts'
import { ChangesMembers } from '../contract/changes.ts'
import { CollectorMembers, SourceRow } from '../contract/collector.ts'
import { DexPair } from '../contract/dex-pair.ts'
import { EcosystemRow } from '../contract/ecosystem.ts'
import { GlobalMembers } from '../contract/global.ts'
import { RequestsMembers } from '../contract/listing-request.ts'
import type { ManifestRow } from '../contract/manifest.ts'
import { Market } from '../contract/market.ts'
import { checked, parseJson } from '../contract/read-json.ts'
import { API_FOLDER } from '../contract/prefix.ts'
import { ecosystemIn } from '../endpoints/ecosystem.ts'
import type { Listing } from '../feed/listing.ts'
import { profileSlugs } from '../tree/block-reader.ts'
import type { TreeReader } from '../tree/reader.ts'
import { agreedListings } from './agreement.ts'
import type { Comparison } from './deviation.ts'

export const FILES_AT_ONCE = 64

const Index = z
  .object({ ...IndexMembers, layout: IndexMembers.layout.default(null) })
  .pick({ label: true, nextBuildAt: true, snapshotId: true, sha256: true, layout: true, endpoints: true })
  .extend({ product: z.string() })
export const Collector = z.object({ ...CollectorMembers, rows: z.array(SourceRow) })
const Manifest = z.object({
  rowsDigest: z.string(),
  previous: z.string().nullable(),
  inputs: z.string(),
  commit: z.string().nullable(),
})
export const rowsOf = <Row extends z.ZodType>(row: Row) => z.object({ rows: z.array(row) })
const Profile = z.object({ asset: Asset })

/** The documents that all other documents of a tree are computed from. */
export interface PublishedTree {
  readonly index: z.infer<typeof Index>
  readonly collector: z.infer<typeof Collector>
  readonly manifest: z.infer<typeof Manifest>
  /** The parts of the manifest, and the files in them. */
  readonly rows: readonly ManifestRow[]
  /** The listings as most documents have them, see {@link agreedListings}. */
  readonly listings: readonly Listing[]
  /** Slugs of the full feed: all but those of delisted and renamed listings. */
  readonly listed: ReadonlySet<string>
  readonly pairs: readonly DexPair[]
  readonly ecosystem: readonly EcosystemRow[]
  readonly requests: z.infer<z.ZodObject<typeof RequestsMembers>>
  readonly changes: z.infer<z.ZodObject<typeof ChangesMembers>>
  readonly totals: z.infer<typeof GlobalMembers.global>
}

/**
 * Reads the documents that the figures of a tree are computed from. Records a missing or invalid document as a deviation,
 * and then returns null.
 */
export async function publishedTree(
  { read, rows }: Pick<PublishedTree, 'rows'> & { readonly read: TreeReader },
  comparison: Comparison,
): Promise<PublishedTree | null> {
  const document = documentReader(read, comparison)
  const [index, collector, manifest] = await Promise.all([
    document(`${API_FOLDER}.json`, Index),
    document(`${API_FOLDER}/collector.json`, Collector),
    document(`${API_FOLDER}/manifest.json`, Manifest),
  ])
  if (!index || !collector || !manifest) return null
  const slugs = await profileSlugs(
    rows.map(({ path }) => path),
    read,
  )
  const limit = pLimit(FILES_AT_ONCE)
  const [listings, pairs, ecosystem, requests, changes, totals, markets, assets] = await Promise.all([
    Promise.all(slugs.map((slug) => limit(() => (comparison.isFull ? null : listingOf(document, slug))))),
    document(`${API_FOLDER}/dex-pairs.json`, rowsOf(DexPair)),
    document(`${API_FOLDER}/${ecosystemIn(index.endpoints).name}.json`, rowsOf(EcosystemRow)),
    document(`${API_FOLDER}/listing-requests.json`, z.object(RequestsMembers)),
    document(`${API_FOLDER}/changes.json`, z.object(ChangesMembers)),
    document(`${API_FOLDER}/global.json`, z.object(GlobalMembers)),
    document(`${API_FOLDER}/markets.json`, rowsOf(MarketsRow)),
    document(`${API_FOLDER}/assets.json`, rowsOf(AssetRow)),
  ])
  const whole = listings.flatMap((listing) => listing ?? [])
  if (!pairs || !ecosystem || !requests || !changes || !totals || !markets || !assets || whole.length < slugs.length)
    return null
  return {
    index,
    collector,
    manifest,
    rows,
    listings: agreedListings(whole, [bySlug(markets.rows), bySlug(assets.rows)]),
    listed: new Set(markets.rows.map(({ slug }) => slug)),
    pairs: pairs.rows,
    ecosystem: ecosystem.rows,
    requests,
    changes,
    totals: totals.global,
  }
}

/** Reads a published listing. Returns null if its profile or its markets are missing or invalid. */
export async function listingOf(document: ReadDocument, slug: string): Promise<Listing | null> {
  const [profile, markets] = await Promise.all([
    document(`${API_FOLDER}/assets/${slug}.json`, Profile),
    document(`${API_FOLDER}/assets/${slug}/markets.json`, rowsOf(Market)),
  ])
  return profile && markets ? { asset: profile.asset, markets: markets.rows } : null
}

/** Reads a document. Records a missing or invalid one as a deviation, and then returns null. */
type ReadDocument = <Schema extends z.ZodType>(file: string, schema: Schema) => Promise<z.infer<Schema> | null>

export const documentReader =
  (read: TreeReader, comparison: Comparison): ReadDocument =>
  async (file, schema) => {
    const text = await read(file)
    const result = checked(text === null ? undefined : parseJson(text), schema)
    if (result.success) return result.data
    const [issue] = result.error.issues
    const published = text === null ? 'no such file' : issue?.message
    const member = text === null ? '' : (issue?.path.map(String).join('.') ?? '')
    comparison.same(file, member, { published, recomputed: 'a document of its schema', rule: 'schema' })
    return null
  }

const bySlug = <Row extends { readonly slug: string }>(rows: readonly Row[]): ReadonlyMap<string, Row> =>
  new Map(rows.map((row) => [row.slug, row]))
