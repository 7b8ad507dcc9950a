import * as z from 'zod'
import { sha256Of } from '../contract/digest.ts'
import { fileOf } from '../contract/endpoint-spec.ts'
import { Asset } from '../contract/asset.ts'
import { CollectorMembers, type Methodology, type RunDay, SourceRow } from '../contract/collector.ts'
import { DexPair } from '../contract/ecosystem.ts'
import { RequestRow } from '../contract/listing-request.ts'
import { Market } from '../contract/market.ts'
import { QuarantineRow } from '../contract/quarantine.ts'
import { readJson } from '../contract/read-json.ts'
import { groupBy } from '../contract/order.ts'
import { type Listing, NOTHING_BEFORE, type Previous } from '../feed/listing.ts'
import { assetMarkets } from '../endpoints/one-asset.ts'
import { dexPairs } from '../endpoints/ecosystem.ts'
import { listingRequests } from '../endpoints/operations.ts'
import { quarantine } from '../endpoints/operations.ts'
import { LAYOUT, profileSlug } from './layout.ts'
import { PublishedIndex, PublishedManifest, refuseOther } from './published-documents.ts'
import { type Read, rebuiltAssets } from './rebuilt-listings.ts'
import type { Tree } from './tree.ts'

/** The state of the last publication. */
export interface LastPublication extends Previous {
  /** Label in the index; null before the first publication. */
  readonly label: string | null
  /** Time of the publication; null before the first. */
  readonly publishedAt: string | null
  /** When the publication after it was due; null before the first. */
  readonly nextBuildAt: string | null
  /** Files that could not be read. The run composes them again. */
  readonly damaged: readonly string[]
  readonly methodology: Methodology | null
  /** Runs by day, oldest first. */
  readonly runs: readonly RunDay[]
  readonly requests: readonly RequestRow[]
  readonly manifest: { readonly rowsDigest: string; readonly sha256: string } | null
}

/** The state before the first publication. */
export const NOTHING_PUBLISHED: LastPublication = {
  ...NOTHING_BEFORE,
  label: null,
  publishedAt: null,
  nextBuildAt: null,
  damaged: [],
  methodology: null,
  runs: [],
  requests: [],
  manifest: null,
}

const Index = PublishedIndex.pick({ label: true, generatedAt: true, nextBuildAt: true })
const Collector = z.object({
  rows: z.array(SourceRow),
  referenceRates: CollectorMembers.referenceRates,
  methodology: CollectorMembers.methodology,
  runs: CollectorMembers.runs,
})
const NO_COLLECTOR = { rows: [], referenceRates: [], methodology: null, runs: [] }
const Requests = z.object({ rows: z.array(RequestRow) })
const Quarantine = z.object({ rows: z.array(QuarantineRow) })
const Manifest = PublishedManifest.pick({ rowsDigest: true })
const Pairs = z.object({ rows: z.array(DexPair) })
const Profile = z.object({ asset: Asset })
const Markets = z.object({ rows: z.array(Market) })

/**
 * Reads the state that a run extends, which is only in the published documents.
 *
 * @throws TreeError `other_state`
 */
export function lastPublication(tree: Tree): LastPublication {
  for (const version of tree.versions) refuseOther(tree.root, version)
  const damaged: string[] = []
  const read: Read = (file, schema) => {
    const text = tree.read(file)
    const document = readJson(text, schema)
    if (document === null && (text !== null || tree.damaged.includes(file))) damaged.push(file)
    return document
  }
  const listings = listingsIn(tree, read)
  const collector = read(LAYOUT.collector, Collector) ?? NO_COLLECTOR
  const index = read(LAYOUT.index, Index)
  const slugs = tree.documents('assets').flatMap((file) => profileSlug(file) ?? [])
  return {
    unreadable: new Set(slugs.filter((slug) => !listings.has(slug))),
    label: index?.label ?? null,
    publishedAt: index?.generatedAt ?? null,
    nextBuildAt: index?.nextBuildAt ?? null,
    listings,
    sources: new Map(collector.rows.map((row) => [row.source_id, row])),
    rates: new Map(collector.referenceRates.map((rate) => [rate.symbol, rate])),
    pairs: read(fileOf(dexPairs, {}), Pairs)?.rows ?? [],
    damaged,
    methodology: collector.methodology,
    runs: collector.runs,
    requests: read(fileOf(listingRequests, {}), Requests)?.rows ?? [],
    manifest: manifestOf(tree.read(LAYOUT.manifest)),
  }
}

function listingsIn(tree: Tree, read: Read): ReadonlyMap<string, Listing> {
  const listings = new Map<string, Listing>()
  const lost = new Set<string>()
  // A profile that is rebuilt from a list has no rows of its own.
  const heldOf = groupBy(read(fileOf(quarantine, {}), Quarantine)?.rows ?? [], ({ slug }) => slug)
  const put = (asset: Asset) => {
    const { slug, held } = asset
    const markets = read(fileOf(assetMarkets, { slug }), Markets)?.rows ?? []
    listings.set(slug, { asset: held.length > 0 ? asset : { ...asset, held: heldOf.get(slug) ?? [] }, markets })
  }
  for (const file of tree.documents('assets')) {
    const slug = profileSlug(file)
    const profile = slug === null ? null : read(file, Profile)
    if (profile) put(profile.asset)
    else if (slug !== null) lost.add(slug)
  }
  for (const asset of rebuiltAssets(lost, tree.files, read)) put(asset)
  return listings
}

function manifestOf(text: string | null): LastPublication['manifest'] {
  const manifest = readJson(text, Manifest)
  return text !== null && manifest ? { rowsDigest: manifest.rowsDigest, sha256: sha256Of(text) } : null
}
