import { isDeepStrictEqual } from 'node:util'
import { mode } from 'd3-array'
import pLimit from 'p-limit'
import * as z from 'zod'
import { IndexMembers } from '../contract/api-index.ts'
import { Asset, AssetRow, MarketsRow, DetailedRow } from '../contract/asset.ts'
import { ChangesMembers } from '../contract/changes.ts'
import { CollectorMembers, SourceRow } from '../contract/collector.ts'
import { DexPair, EcosystemRow } from '../contract/ecosystem.ts'
import { RequestsMembers } from '../contract/listing-request.ts'
import type { ManifestRow } from '../contract/manifest.ts'
import { Market } from '../contract/market.ts'
import { API_FOLDER } from '../contract/prefix.ts'
import { checked, parseJson } from '../contract/read-json.ts'
import { ecosystemIn } from '../endpoints/ecosystem.ts'
import type { Listing } from '../feed/listing.ts'
import { heardAmong } from '../feed/rank.ts'
import { movedSince, stillSince } from '../feed/freshness.ts'
import { rateDependence } from '../feed/rate-dependence.ts'
import { profileSlugs } from '../tree/block-reader.ts'
import type { TreeReader } from '../tree/reader.ts'
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

/**
 * Reads the documents that the figures of a tree are computed from. Records a missing or invalid document as a deviation,
 * and then returns null.
 */
export async function publishedTree(
  { read, rows }: { readonly read: TreeReader; readonly rows: readonly ManifestRow[] },
  comparison: Comparison,
) {
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
  const [listings, pairs, ecosystem, requests, changes, markets, assets] = await Promise.all([
    Promise.all(slugs.map((slug) => limit(() => (comparison.isFull ? null : listingOf(document, slug))))),
    document(`${API_FOLDER}/dex-pairs.json`, rowsOf(DexPair)),
    document(`${API_FOLDER}/${ecosystemIn(index.endpoints).name}.json`, rowsOf(EcosystemRow)),
    document(`${API_FOLDER}/listing-requests.json`, z.object(RequestsMembers)),
    document(`${API_FOLDER}/changes.json`, z.object(ChangesMembers)),
    document(`${API_FOLDER}/markets.json`, rowsOf(MarketsRow)),
    document(`${API_FOLDER}/assets.json`, rowsOf(AssetRow)),
  ])
  const whole = listings.flatMap((listing) => listing ?? [])
  if (!pairs || !ecosystem || !requests || !changes || !markets || !assets || whole.length < slugs.length) return null
  return {
    index,
    collector,
    manifest,
    /** The parts of the manifest, and the files in them. */
    rows,
    /** As most documents have them. */
    listings: agreedListings(whole, [bySlug(markets.rows), bySlug(assets.rows)]),
    pairs: pairs.rows,
    ecosystem: ecosystem.rows,
    requests,
    changes,
  }
}

/** The documents that all other documents of a tree are computed from. */
export type PublishedTree = NonNullable<Awaited<ReturnType<typeof publishedTree>>>

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

const MEMBERS = Object.keys(DetailedRow.shape)

/**
 * Returns the listings with the value of each member that most documents have. The profile and the lists repeat the same row,
 * so a single changed copy is outvoted and can be named. On a tie the profile counts.
 *
 * @param lists the rows of each list, by slug
 */
const agreedListings = (
  listings: readonly Listing[],
  lists: readonly ReadonlyMap<string, object>[],
): readonly Listing[] =>
  listings.map((listing) => {
    const rows = lists.flatMap((list) => list.get(listing.asset.slug) ?? [])
    const outvoted = MEMBERS.flatMap((member) => {
      const own = Reflect.get(listing.asset, member)
      const others = rows.flatMap((row) => (member in row ? [Reflect.get(row, member)] : []))
      const value = majority([own, ...others])
      return isDeepStrictEqual(own, value) ? [] : [[member, value] as const]
    })
    if (outvoted.length === 0) return listing
    const agreed = Asset.safeParse({ ...listing.asset, ...Object.fromEntries(outvoted) })
    return agreed.success ? { ...listing, asset: agreed.data } : listing
  })

/** Returns the first of the most frequent values. */
function majority(values: readonly unknown[]): unknown {
  const texts = values.map((value) => JSON.stringify(value))
  return values[mode(texts.map((text) => texts.indexOf(text))) ?? 0]
}

/** Returns the key of a pool, from the members that its market row has too. */
export const poolKey = (slug: string, chain: string | null, address: string | null): string =>
  `${slug} ${chain ?? ''}:${address ?? ''}`

/**
 * Returns the facts of the run that published these documents. Of a few listings it is not known whether most markets of
 * the feed moved; it is assumed then.
 */
export function runFacts({
  collector,
  pairs,
  listings,
}: Pick<PublishedTree, 'collector' | 'pairs'> & Partial<Pick<PublishedTree, 'listings'>>) {
  const { freshness, referenceRates, rows } = collector
  const now = Date.parse(freshness.collectedAt)
  const rates = new Map(referenceRates.map((rate) => [rate.symbol, rate]))
  return {
    /** Time of the run, as published and in ms since 1970. */
    at: freshness.collectedAt,
    now,
    rates,
    dependence: rateDependence(rates),
    sources: new Map(rows.map((row) => [row.source_id, row])),
    /** The sources by the label that their figures have. */
    byLabel: new Map(rows.map((row) => [row.source_label, row])),
    /** Venues distrusted by the run, by `source_id`. */
    distrusted: new Set(rows.flatMap(({ source_id, price_factor }) => (price_factor === null ? [] : source_id))),
    movedSince: listings
      ? movedSince(
          listings.flatMap(({ markets }) => markets),
          now,
        )
      : stillSince(now),
    heard: heardAmong(rows),
    /** By {@link poolKey}. */
    pools: new Map(pairs.map((pair) => [poolKey(pair.base_asset_id ?? '', pair.chain, pair.pool_address), pair])),
  }
}

/** The inputs of a listing's figures besides its own documents. */
export type RunFacts = ReturnType<typeof runFacts>
