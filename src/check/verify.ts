import pLimit from 'p-limit'
import * as z from 'zod'
import { CollectorMembers, SourceRow } from '../contract/collector.ts'
import { DexPair } from '../contract/dex-pair.ts'
import type { Attachments } from '../endpoints/attachment.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import type { Listing } from '../feed/listing.ts'
import { agreedListings } from './agreement.ts'
import { compareAsset } from './asset-figures.ts'
import { Comparison, type Deviation } from './deviation.ts'
import { type Observed, compareHistory } from './history-figures.ts'
import { type MarketInputs, compareMarkets, poolKey } from './market-figures.ts'
import { API_FOLDER } from '../contract/words.ts'
import type { TreeReader } from '../tree/reader.ts'
import { FILES_AT_ONCE, documentReader, listingOf, publishedTree } from './published-tree.ts'
import { recomputedWorld } from './recomputed-world.ts'
import { compareDocuments } from './recomposition.ts'

/** What a verification of published figures found. */
export interface Verification {
  readonly snapshotId: string | null
  readonly listings: number
  /** How many figures were compared. */
  readonly figures: number
  readonly deviations: readonly Deviation[]
}

/** The documents of the API and the files beside them that repeat its rows. */
export interface Composed {
  readonly endpoints: readonly Endpoint[]
  readonly attachments: readonly Attachments[]
}

/**
 * Recomputes every figure of a published tree from its other documents alone: conversions, prices with their basis and
 * weights, confidence, market caps, ranks, counts, lists, the heads of the histories. Needs nothing but the tree.
 */
export async function verifyTree(read: TreeReader, composed: Composed): Promise<Verification> {
  const comparison = new Comparison()
  const tree = await publishedTree(read, comparison)
  if (tree === null)
    return { snapshotId: null, listings: 0, figures: comparison.figures, deviations: comparison.deviations }
  const listings = agreedListings(tree)
  const inputs = marketInputs(tree.collector, tree.pairs)
  const now = Date.parse(tree.collector.freshness.collectedAt)
  const limit = pLimit(FILES_AT_ONCE)
  const remembered = await Promise.all(
    listings.map((listing) =>
      limit(() => {
        compareMarkets(listing.asset.slug, listing.markets, inputs, comparison)
        compareAsset(listing, { now, distrusted: distrustedIn(inputs) }, comparison)
        return compareHistory(listing.asset.slug, observedIn(listing, now), read, comparison)
      }),
    ),
  )
  const withHistory = remembered.filter(Boolean).length
  const world = recomputedWorld(tree, listings, withHistory)
  await compareDocuments(composed, world, tree, read, comparison)
  return {
    snapshotId: tree.index.snapshotId,
    listings: listings.length,
    figures: comparison.figures,
    deviations: comparison.deviations,
  }
}

const Inputs = z.object({
  referenceRates: CollectorMembers.referenceRates,
  freshness: CollectorMembers.freshness,
  rows: z.array(SourceRow),
})
const Pools = z.object({ rows: z.array(DexPair) })

/** Recomputes the figures of one asset; null where the tree has no such asset. */
export async function verifyAsset(read: TreeReader, slug: string): Promise<Verification | null> {
  const comparison = new Comparison()
  const document = documentReader(read, comparison)
  if ((await read(`${API_FOLDER}/assets/${slug}.json`)) === null) return null
  const [collector, pools, listing] = await Promise.all([
    document(`${API_FOLDER}/collector.json`, Inputs),
    document(`${API_FOLDER}/dex-pairs.json`, Pools),
    listingOf(document, slug),
  ])
  if (collector && pools && listing) {
    const now = Date.parse(collector.freshness.collectedAt)
    const inputs = marketInputs(collector, pools.rows)
    compareMarkets(slug, listing.markets, inputs, comparison)
    compareAsset(listing, { now, distrusted: distrustedIn(inputs) }, comparison)
    await compareHistory(slug, observedIn(listing, now), read, comparison)
  }
  return { snapshotId: null, listings: 1, figures: comparison.figures, deviations: comparison.deviations }
}

function marketInputs(
  { referenceRates, rows }: Pick<z.infer<typeof Inputs>, 'referenceRates' | 'rows'>,
  pairs: readonly DexPair[],
): MarketInputs {
  return {
    rates: new Map(referenceRates.map((rate) => [rate.symbol, rate])),
    sources: new Map(rows.map((row) => [row.source_id, row])),
    pools: new Map(pairs.map((pair) => [poolKey(pair.base_asset_id ?? '', pair.chain, pair.pool_address), pair])),
  }
}

/** The venues that were not believed. */
const distrustedIn = ({ sources }: MarketInputs): Set<string> =>
  new Set([...sources.values()].flatMap(({ source_id, price_factor }) => (price_factor === null ? [] : [source_id])))

/** What the run that published a listing saw of it. */
const observedIn = ({ asset: { price_usd, price_basis } }: Listing, at: number): Observed | null =>
  price_usd === null || price_basis.method === 'carried' ? null : { price_usd, at }
