import pLimit from 'p-limit'
import * as z from 'zod'
import { DexPair } from '../contract/ecosystem.ts'
import type { EndpointSpec } from '../contract/endpoint-spec.ts'
import { byKey } from '../contract/order.ts'
import { API_FOLDER } from '../contract/prefix.ts'
import { isSampleLabel } from '../contract/product.ts'
import { readJson } from '../contract/read-json.ts'
import { STATE_VERSION } from '../contract/words.ts'
import type { Composition } from '../endpoints/compose.ts'
import type { Listing } from '../feed/listing.ts'
import { sum } from '../feed/statistics.ts'
import { readThroughBlocks } from '../tree/block-reader.ts'
import { LAYOUT } from '../tree/layout.ts'
import { PublishedIndex, PublishedManifest, rowsListedBy } from '../tree/published-documents.ts'
import { partsOf } from '../tree/published-head.ts'
import type { TreeReader } from '../tree/reader.ts'
import { Comparisons } from './deviation.ts'
import { type CheckedFiles, FileInspection, repairOf, textsOf } from './file-inspection.ts'
import { closesList, compareCloses, type HistoryFigures, compareHistory } from './history-figures.ts'
import { compareAsset, compareRanks, compareMarkets, comparePools } from './listing-figures.ts'
import {
  compareEncodings,
  compareCheckpoint,
  compareTableFiles,
  compareUnlisted,
  type CheckedTree,
  compareBuild,
  compareChain,
} from './other-files.ts'
import {
  Collector,
  FILES_AT_ONCE,
  type PublishedTree,
  documentReader,
  listingOf,
  publishedTree,
  rowsOf,
  type RunFacts,
  runFacts,
} from './published-tree.ts'
import { recomputedWorld, compareDocuments } from './recomposition.ts'
import { compareEvents, eventsByDay, compareRates, compareSources, compareRunDays } from './run-figures.ts'
import { compareCandles, compareDaily, comparePastRates } from './series-figures.ts'

/** What verify checks, with the files that each check covers, in the order of its findings. */
export const CHECKS = [
  { check: 'build', covers: 'lock, journal and age of the tree' },
  { check: 'chain', covers: 'the index and the manifest, whose digests cover all others' },
  {
    check: 'digests',
    covers: 'every file that the manifest lists: documents, pages, scripts, feeds, logos, exports, descriptions',
  },
  { check: 'schemas', covers: 'every document of the API: schema, name, counts, time' },
  { check: 'unlisted', covers: 'every other file, and those of hosts' },
  { check: 'encodings', covers: 'compressed files' },
  { check: 'tables', covers: 'Parquet files' },
  { check: 'state', covers: 'the checkpoint' },
  { check: 'label', covers: 'the kind of data in the index' },
  { check: 'rates', covers: 'reference rates in collector, and those of past days' },
  { check: 'sources', covers: 'counts of sources in collector' },
  { check: 'runs', covers: 'runs and gaps by day in collector' },
  { check: 'ranks', covers: 'ranks by market cap' },
  { check: 'markets', covers: 'pools, and market rows of each listing' },
  { check: 'prices', covers: 'price, weights, confidence, caps, changes and ranges of each listing' },
  { check: 'history', covers: 'the series of each listing' },
  { check: 'candles', covers: 'the candles and daily bars of each listing' },
  { check: 'closes', covers: 'daily closes' },
  { check: 'changes', covers: 'events' },
  {
    check: 'documents',
    covers: 'every list, feed, page, export and description: composed again from the recomputed figures',
  },
] as const

export type CheckName = (typeof CHECKS)[number]['check']

export type Verification = ReturnType<typeof resultOf>

interface Verifying {
  readonly specs: readonly EndpointSpec[]
  /** What the tree is composed of; null: only its files are checked. */
  readonly composition: Composition | null
  /** Time of the check in ms since 1970. */
  readonly now: number
}

interface VerifiedTree extends CheckedTree {
  readonly compared: Comparisons<CheckName>
  /** Reads a document, in its own file or in a block. */
  readonly read: TreeReader
}

/** Blocks kept in memory: a check reads the documents of many listings at once. */
const KEPT_BLOCKS = 128

/**
 * Verifies a published tree: recomputes every figure from its other documents alone, composes every document again, and
 * compares every file with the manifest. {@link CHECKS} names the checks.
 */
export async function verifyTree(files: CheckedFiles, { composition, ...given }: Verifying): Promise<Verification> {
  const tree = await openTree(files, given)
  const { index, rows, read, compared, inspection } = tree
  const isCurrent = index === null || index.stateVersion === STATE_VERSION
  const published = composition && isCurrent ? await publishedTree({ read, rows }, compared.of('schemas')) : null
  // Figures first: what they read is inspected, and not read again.
  if (published && composition) await compareFigures(published, composition, tree)
  compareBuild(tree, compared.of('build'))
  compareChain(tree, compared.of('chain'))
  await inspection.readRest()
  await compareUnlisted(tree, compared.of('unlisted'))
  await compareEncodings(tree, compared.of('encodings'))
  await compareTableFiles(tree, compared.of('tables'))
  await compareCheckpoint(tree, compared.of('state'))
  return resultOf(tree, published?.listings ?? [])
}

const Index = PublishedIndex.extend({ product: z.string() })

/** Verifies some listings of a tree, and the files that they are in. Returns the first slug that the tree does not have. */
export async function verifyListings(
  files: CheckedFiles,
  slugs: readonly string[],
  given: Omit<Verifying, 'composition'>,
): Promise<Verification | { readonly unknown: string }> {
  const tree = await openTree(files, given)
  const { read, compared } = tree
  const document = documentReader(read, compared.of('schemas'))
  const texts = await Promise.all(slugs.map((slug) => read(`${API_FOLDER}/assets/${slug}.json`)))
  const unknown = slugs.find((_, place) => texts[place] === null)
  if (unknown !== undefined) return { unknown }
  const [collector, pools, ...found] = await Promise.all([
    document(LAYOUT.collector, Collector),
    document(`${API_FOLDER}/dex-pairs.json`, rowsOf(DexPair)),
    ...slugs.map((slug) => listingOf(document, slug)),
  ])
  const listings = found.flatMap((listing) => listing ?? [])
  const facts = collector && pools && runFacts({ collector, pairs: pools.rows })
  if (facts) await compareListings(listings, facts, tree)
  return resultOf(tree, listings)
}

async function openTree(files: CheckedFiles, { specs, now }: Omit<Verifying, 'composition'>): Promise<VerifiedTree> {
  const textOf = textsOf(files)
  const [indexText = null, manifestText = null] = await Promise.all([LAYOUT.index, LAYOUT.manifest].map(textOf))
  const index = readJson(indexText, Index)
  const manifest = readJson(manifestText, PublishedManifest)
  const parts = manifest && (await partsOf(manifest, ({ path }) => textOf(path)))
  const { rows, lost } = rowsListedBy(manifest ?? { rows: [] }, (part) => parts?.get(part) ?? null)
  const repair = repairOf(files.root, index?.label ?? null)
  const compared = new Comparisons<CheckName>()
  for (const { check } of CHECKS) compared.of(check)
  // The schemas are those of this version.
  const checkable = index === null || index.stateVersion === STATE_VERSION ? specs : []
  const [digests, schemas] = [compared.of('digests'), compared.of('schemas')]
  const inspection = new FileInspection(files, { index, rows, lost, specs: checkable, repair, digests, schemas })
  const read = readThroughBlocks(inspection.read, KEPT_BLOCKS)
  return { files, index, manifest, manifestText, rows, lost, inspection, specs, repair, now, compared, read }
}

/** Compares the figures of each listing, several listings in parallel. Returns what their histories say. */
async function compareListings(
  listings: readonly Listing[],
  facts: RunFacts,
  { compared, read }: VerifiedTree,
): Promise<ReadonlyMap<string, HistoryFigures>> {
  const limit = pLimit(FILES_AT_ONCE)
  const compare = async (listing: Listing) => {
    const { asset } = listing
    compareMarkets(listing, facts, compared.of('markets'))
    compareAsset(listing, facts, compared.of('prices'))
    await compareCandles(asset.slug, read, compared.of('candles'))
    await compareDaily(asset.slug, read, compared.of('candles'))
    return [asset.slug, await compareHistory(asset, facts.now, read, compared.of('history'))] as const
  }
  return new Map(await Promise.all(listings.map((listing) => limit(() => compare(listing)))))
}

async function compareFigures(tree: PublishedTree, composition: Composition, checked: VerifiedTree): Promise<void> {
  const { listings, collector, index, changes, pairs } = tree
  const { compared, read } = checked
  const facts = runFacts(tree)
  const histories = await compareListings(listings, facts, checked)
  const events = await eventsByDay(changes.days, read)
  compared.of('label').same(LAYOUT.index, 'label', {
    published: isSampleLabel(index.label) ? 'sample data' : 'live data',
    recomputed: [...facts.sources.keys()].some((id) => /^sample(-|$)/.test(id)) ? 'sample data' : 'live data',
    rule: 'the sources in collector',
  })
  compareRates(facts.rates, new Set(facts.sources.keys()), compared.of('rates'))
  const files = tree.rows.map(({ path }) => path)
  await comparePastRates(files, read, compared.of('rates'))
  compareSources(collector.rows, listings, compared.of('sources'))
  const closes = await closesList(read)
  compareRunDays(collector.runs, { now: facts.now, events, closes }, compared.of('runs'))
  compareRanks(listings, compared.of('ranks'))
  comparePools(pairs, compared.of('markets'))
  await compareCloses({ listings, now: facts.now, histories }, { files, read }, compared.of('closes'))
  compareEvents(events, listings, compared.of('changes'))
  const world = recomputedWorld(tree, histories, events)
  await compareDocuments(composition, { world, tree, read }, compared.of('documents'))
}

function resultOf({ index, compared }: VerifiedTree, listings: readonly Listing[]) {
  const told: Record<string, number> = {}
  for (const { asset } of listings)
    for (const name of Object.values(asset.told_by).flat()) told[name] = (told[name] ?? 0) + 1
  return {
    snapshotId: index?.snapshotId ?? null,
    listings: listings.length,
    figures: sum([...compared.figures.values()]),
    /**
     * Number of figures of each name that are published as a source reports them. They cannot be recomputed, so they are
     * only compared between the documents that repeat them.
     */
    told: Object.fromEntries(Object.entries(told).toSorted(byKey)),
    fragility: fragilePrices(listings),
    findings: compared.findings,
  }
}

/** Returns the fragility of the prices of a run, the most fragile first. Carried prices are of an earlier run. */
const fragilePrices = (listings: readonly Listing[]) =>
  listings
    .flatMap(({ asset: { slug, price_basis } }) => {
      const { method, fragility_bp, sources } = price_basis
      return fragility_bp === null || method === 'carried'
        ? []
        : [{ slug, method, sources: sources.length, fragility_bp }]
    })
    .toSorted((a, b) => b.fragility_bp - a.fragility_bp)

const ATTEMPTS = 3

/**
 * Returns the result of work that reads a whole tree, and repeats it if the tree was published meanwhile, so that all files
 * are of one publication. Returns null if that happened in every attempt.
 */
export async function onOnePublication<T>(read: TreeReader, work: () => Promise<T>): Promise<T | null> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const before = await read(LAYOUT.index)
    const result = await work()
    if ((await read(LAYOUT.index)) === before) return result
  }
  return null
}
