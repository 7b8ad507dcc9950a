import { rollup } from 'd3-array'
import pLimit from 'p-limit'
import * as z from 'zod'
import { CollectorMembers, SourceRow } from '../contract/collector.ts'
import { DexPair } from '../contract/dex-pair.ts'
import type { TreeReader } from '../tree/reader.ts'
import { API_FOLDER } from '../contract/prefix.ts'
import type { Listing } from '../feed/listing.ts'
import { sum } from '../feed/statistics.ts'
import { agreedListings } from './agreement.ts'
import { compareAsset, compareRanks } from './asset-figures.ts'
import { Comparison, type Deviation } from './deviation.ts'
import { type HistoryFigures, compareHistory } from './history-figures.ts'
import { compareCandles } from './candle-figures.ts'
import { compareCloses } from './close-figures.ts'
import { compareMarkets } from './market-figures.ts'
import { FILES_AT_ONCE, documentReader, listingOf, publishedTree } from './published-tree.ts'
import { recomputedWorld } from './recomputed-world.ts'
import { type Composed, compareDocuments } from './recomposition.ts'
import { compareRates } from './rate-figures.ts'
import { type RunFacts, runFacts } from './run-facts.ts'
import { compareSources } from './source-figures.ts'

/** The result of a verification of published figures. */
export interface Verification {
  readonly snapshotId: string | null
  readonly listings: number
  /** Number of compared figures. */
  readonly figures: number
  /**
   * Number of figures of each name that are published as a source reports them. They cannot be recomputed, so they are only
   * compared between the documents that repeat them.
   */
  readonly told: Readonly<Record<string, number>>
  readonly deviations: readonly Deviation[]
}

/**
 * Recomputes every figure of a published tree from its other documents alone: conversions, prices with their basis and
 * weights, confidence, market caps, ranks, counts, lists, the heads of
 * the histories, candles and daily closes.
 */
export async function verifyTree(read: TreeReader, composed: Composed): Promise<Verification> {
  const comparison = new Comparison()
  const tree = await publishedTree(read, comparison)
  if (tree === null)
    return { snapshotId: null, listings: 0, told: {}, figures: comparison.figures, deviations: comparison.deviations }
  const listings = agreedListings(tree)
  const facts = runFacts(tree)
  compareRates(facts.rates, comparison)
  compareSources(tree.collector.rows, listings, comparison)
  compareRanks(listings, comparison)
  const limit = pLimit(FILES_AT_ONCE)
  const histories = new Map(
    await Promise.all(
      listings.map((listing) =>
        limit(async () => [listing.asset.slug, await compareListing(listing, facts, read, comparison)] as const),
      ),
    ),
  )
  await compareCloses(listings, facts.now, read, comparison)
  const world = recomputedWorld(tree, listings, {
    withHistory: [...histories.values()].filter(({ coversHalf }) => coversHalf).length,
    sparklineOf: (slug) => histories.get(slug)?.sparkline ?? [],
  })
  await compareDocuments(composed, { world, tree, read }, comparison)
  return {
    snapshotId: tree.index.snapshotId,
    listings: listings.length,
    figures: comparison.figures,
    told: toldFigures(listings),
    deviations: comparison.deviations,
  }
}

function toldFigures(listings: readonly Listing[]): Record<string, number> {
  const names = listings.flatMap(({ asset: { told_by } }) => Object.values(told_by).flat())
  return Object.fromEntries(
    [
      ...rollup(
        names,
        ({ length }) => length,
        (name) => name,
      ),
    ].toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )
}

/** Compares all documents of one listing. */
async function compareListing(
  listing: Listing,
  facts: RunFacts,
  read: TreeReader,
  comparison: Comparison,
): Promise<HistoryFigures> {
  compareMarkets(listing.asset.slug, listing.markets, facts, comparison)
  compareAsset(listing, facts, comparison)
  await compareCandles(listing.asset.slug, read, comparison)
  return compareHistory(listing.asset, facts.now, read, comparison)
}

const Collector = z.object({ ...CollectorMembers, rows: z.array(SourceRow) })
const Pools = z.object({ rows: z.array(DexPair) })

/** Recomputes the figures of one asset. Returns null if the tree does not have it. */
export async function verifyAsset(read: TreeReader, slug: string): Promise<Verification | null> {
  const comparison = new Comparison()
  const document = documentReader(read, comparison)
  if ((await read(`${API_FOLDER}/assets/${slug}.json`)) === null) return null
  const [collector, pools, listing] = await Promise.all([
    document(`${API_FOLDER}/collector.json`, Collector),
    document(`${API_FOLDER}/dex-pairs.json`, Pools),
    listingOf(document, slug),
  ])
  if (collector && pools && listing) {
    const facts = runFacts({ collector, pairs: pools.rows })
    await compareListing(listing, facts, read, comparison)
  }
  return {
    snapshotId: null,
    listings: 1,
    figures: comparison.figures,
    told: toldFigures(listing ? [listing] : []),
    deviations: comparison.deviations,
  }
}

/** Combines several verifications of one tree. */
export function together(verifications: readonly Verification[]): Verification {
  const counts = verifications.flatMap(({ told }) => Object.entries(told))
  return {
    snapshotId: null,
    listings: sum(verifications.map(({ listings }) => listings)),
    figures: sum(verifications.map(({ figures }) => figures)),
    told: Object.fromEntries(
      rollup(
        counts,
        (own) => sum(own.map(([, count]) => count)),
        ([name]) => name,
      ),
    ),
    deviations: verifications.flatMap(({ deviations }) => deviations),
  }
}
