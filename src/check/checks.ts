import pLimit from 'p-limit'
import { isSampleLabel } from '../contract/product.ts'
import type { EndpointSpec } from '../contract/endpoint-spec.ts'
import type { Composition } from '../endpoints/compose.ts'
import type { Listing } from '../feed/listing.ts'
import { LAYOUT } from '../tree/layout.ts'
import type { TreeReader } from '../tree/reader.ts'
import { agreedListings } from './agreement.ts'
import { compareAsset, compareRanks } from './asset-figures.ts'
import { compareBuild } from './build-state.ts'
import { compareCandles } from './candle-figures.ts'
import { compareChain } from './chain.ts'
import { type EventsByDay, compareEvents, eventsByDay } from './change-figures.ts'
import type { CheckedFiles } from './checked-files.ts'
import { closesList, compareCloses } from './close-figures.ts'
import { Comparison } from './deviation.ts'
import type { FileInspection, PublishedLists } from './file-inspection.ts'
import { type HistoryFigures, compareHistory } from './history-figures.ts'
import { LAWS, breachesOf, lawTree } from './laws.ts'
import { compareMarkets } from './market-figures.ts'
import { compareEncodings, compareCheckpoint, compareTableFiles, compareUnlisted } from './other-files.ts'
import { FILES_AT_ONCE, type PublishedTree } from './published-tree.ts'
import { compareRates } from './rate-figures.ts'
import { recomputedWorld } from './recomputed-world.ts'
import { compareDocuments } from './recomposition.ts'
import type { Repair } from './repair.ts'
import { compareRunDays } from './run-day-figures.ts'
import { type RunFacts, runFacts } from './run-facts.ts'
import { compareSources } from './source-figures.ts'

/** The files of a tree, as the checks of files see them. */
export interface CheckedTree extends PublishedLists {
  readonly files: CheckedFiles
  readonly manifestText: string | null
  readonly inspection: FileInspection
  readonly specs: readonly EndpointSpec[]
  readonly repair: Repair
  /** Time of the check in ms since 1970. */
  readonly now: number
}

/** One listing with what its figures are computed from. */
interface CheckedListing {
  readonly listing: Listing
  readonly facts: RunFacts
  readonly read: TreeReader
  /** The history of the listing, compared once for all checks that need it. */
  readonly history: () => Promise<ComparedHistory>
}

/** A tree whose figures can be recomputed. */
interface RecomputedTree {
  readonly tree: PublishedTree
  readonly listings: readonly Listing[]
  readonly facts: RunFacts
  readonly events: EventsByDay
  readonly read: TreeReader
  readonly composition: Composition
  readonly checked: readonly CheckedListing[]
}

interface ComparedHistory {
  readonly figures: HistoryFigures
  readonly comparison: Comparison
}

interface Named {
  readonly name: string
  /** The files that it covers, for the documentation. */
  readonly covers: string
}

/** A check of the files of a tree, of the figures of one listing, or of those of the whole tree. */
type FileCheck = Named & { files(tree: CheckedTree, comparison: Comparison): void | Promise<void> }
type ListingCheck = Named & { each(listing: CheckedListing, comparison: Comparison): void | Promise<void> }
type TreeCheck = Named & { whole(tree: RecomputedTree, comparison: Comparison): void | Promise<void> }

/** What verify checks, in the order of its findings. */
export const CHECKS = [
  {
    name: 'build',
    covers: 'lock, journal and age of the tree',
    files: ({ files: { root }, index, now, repair }, comparison) =>
      compareBuild({ root, index, now }, repair, comparison),
  },
  {
    name: 'chain',
    covers: 'the index and the manifest, whose digests cover all others',
    files: (tree, comparison) => compareChain(tree, tree.repair, comparison),
  },
  {
    name: 'digests',
    covers:
      'every file that the manifest lists: documents, pages, scripts, feeds, badges, logos, exports, descriptions',
    files: async ({ inspection }, comparison) => {
      await inspection.readRest()
      comparison.join(inspection.digests)
    },
  },
  {
    name: 'schemas',
    covers: 'every document of the API: schema, name, counts, time',
    files: async ({ inspection }, comparison) => {
      await inspection.readRest()
      comparison.join(inspection.schemas)
    },
  },
  { name: 'unlisted', covers: 'every other file, and those of hosts', files: compareUnlisted },
  { name: 'encodings', covers: 'compressed files', files: compareEncodings },
  { name: 'tables', covers: 'Parquet files', files: compareTableFiles },
  {
    name: 'state',
    covers: 'the checkpoint',
    files: (tree, comparison) => compareCheckpoint(tree, tree.index?.snapshotId ?? null, comparison),
  },
  {
    name: 'label',
    covers: 'the kind of data in the index',
    whole: ({ tree: { index, collector } }, comparison) =>
      void comparison.same(
        { document: LAYOUT.index, member: 'label' },
        {
          published: isSampleLabel(index.label) ? 'sample data' : 'live data',
          recomputed: collector.rows.some(({ source_id }) => /^sample(-|$)/.test(source_id))
            ? 'sample data'
            : 'live data',
          rule: 'the sources in collector',
        },
      ),
  },
  {
    name: 'rates',
    covers: 'reference rates in collector',
    whole: ({ facts }, comparison) => compareRates(facts.rates, comparison),
  },
  {
    name: 'sources',
    covers: 'counts of sources in collector',
    whole: ({ tree, listings }, comparison) => compareSources(tree.collector.rows, listings, comparison),
  },
  {
    name: 'runs',
    covers: 'runs and gaps by day in collector',
    whole: async ({ tree, events, facts: { now }, read }, comparison) =>
      compareRunDays(tree.collector.runs, { now, events, closes: await closesList(read) }, comparison),
  },
  { name: 'ranks', covers: 'ranks', whole: ({ listings }, comparison) => compareRanks(listings, comparison) },
  {
    name: 'markets',
    covers: 'market rows of each listing',
    each: ({ listing: { asset, markets }, facts }, comparison) =>
      compareMarkets(asset.slug, markets, facts, comparison),
  },
  {
    name: 'prices',
    covers: 'price, weights, confidence, caps and change of each listing',
    each: ({ listing, facts }, comparison) => compareAsset(listing, facts, comparison),
  },
  {
    name: 'history',
    covers: 'the series of each listing',
    each: async ({ history }, comparison) => void comparison.join((await history()).comparison),
  },
  {
    name: 'candles',
    covers: 'the candles of each listing',
    each: ({ listing, read }, comparison) => compareCandles(listing.asset.slug, read, comparison),
  },
  {
    name: 'closes',
    covers: 'daily closes',
    whole: async ({ listings, facts: { now }, read, checked }, comparison) =>
      compareCloses(listings, { now, read, histories: await historiesOf(checked) }, comparison),
  },
  {
    name: 'changes',
    covers: 'events',
    whole: ({ events, listings }, comparison) => compareEvents(events, listings, comparison),
  },
  {
    name: 'laws',
    covers: 'figures that must agree within and between documents',
    whole: async ({ listings, read }, comparison) => {
      const laws = await lawTree(
        read,
        listings.flatMap(({ asset }) => (asset.replaced_by === null ? [asset.slug] : [])),
      )
      const breaches = laws === null ? new Map<string, readonly string[]>() : breachesOf(laws)
      for (const { name, description } of LAWS)
        comparison.same(
          { document: LAYOUT.index, member: name },
          { published: breaches.get(name)?.slice(0, 3).join('; ') ?? null, recomputed: null, rule: description },
        )
    },
  },
  {
    name: 'documents',
    covers: 'every list, feed, page, badge, export and description: composed again from the recomputed figures',
    whole: async ({ tree, listings, events, read, composition, checked }, comparison) => {
      const histories = await historiesOf(checked)
      const world = recomputedWorld(tree, listings, {
        events,
        withHistory: () => [...histories.values()].filter(({ coversHalf }) => coversHalf).length,
        sparklineOf: (slug) => histories.get(slug)?.sparkline ?? [],
      })
      await compareDocuments(composition, { world, tree, read }, comparison)
    },
  },
] as const satisfies readonly (FileCheck | ListingCheck | TreeCheck)[]

/** Name of a check. */
export type CheckName = (typeof CHECKS)[number]['name']

/** What each check found. */
export type Compared = ReadonlyMap<CheckName, Comparison>

async function historiesOf(listings: readonly CheckedListing[]): Promise<ReadonlyMap<string, HistoryFigures>> {
  const limit = pLimit(FILES_AT_ONCE)
  return new Map(
    await Promise.all(
      listings.map(({ listing, history }) =>
        limit(async () => [listing.asset.slug, (await history()).figures] as const),
      ),
    ),
  )
}

/** Returns listings with what the checks of each need. */
export const checkedListings = (
  listings: readonly Listing[],
  { facts, read }: Pick<CheckedListing, 'facts' | 'read'>,
): readonly CheckedListing[] =>
  listings.map((listing) => {
    let compared: Promise<ComparedHistory> | null = null
    const compare = async () => {
      const comparison = new Comparison()
      const figures = await compareHistory(listing.asset, facts.now, read, comparison)
      return { figures, comparison }
    }
    return { listing, facts, read, history: () => (compared ??= compare()) }
  })

/** Returns a published tree with what the checks of its figures need. */
export async function recomputedTree(
  tree: PublishedTree,
  { read, composition }: Pick<RecomputedTree, 'read' | 'composition'>,
): Promise<RecomputedTree> {
  const listings = agreedListings(tree)
  const facts = runFacts(tree)
  const events = await eventsByDay(tree.changes.days, read)
  return { tree, listings, facts, events, read, composition, checked: checkedListings(listings, { facts, read }) }
}

/** Runs the checks of files. */
export async function checkFiles(tree: CheckedTree): Promise<Compared> {
  const found = new Map<CheckName, Comparison>()
  for (const check of CHECKS) {
    if (!('files' in check)) continue
    const comparison = new Comparison()
    // eslint-disable-next-line no-await-in-loop -- each reads many files at once by itself
    await check.files(tree, comparison)
    found.set(check.name, comparison)
  }
  return found
}

/** Runs the checks of single listings, several listings in parallel. */
export async function checkListings(listings: readonly CheckedListing[]): Promise<Compared> {
  const checks = CHECKS.flatMap((check) => ('each' in check ? [{ ...check, comparison: new Comparison() }] : []))
  const limit = pLimit(FILES_AT_ONCE)
  await Promise.all(
    listings.map((listing) =>
      limit(async () => {
        // eslint-disable-next-line no-await-in-loop -- many listings are checked at once
        for (const { each, comparison } of checks) await each(listing, comparison)
      }),
    ),
  )
  return new Map(checks.map(({ name, comparison }) => [name, comparison]))
}

/** Runs the checks of figures of the whole tree. */
export async function checkWhole(tree: RecomputedTree): Promise<Compared> {
  const found = new Map<CheckName, Comparison>()
  for (const check of CHECKS) {
    if (!('whole' in check)) continue
    const comparison = new Comparison()
    // eslint-disable-next-line no-await-in-loop -- each reads many files at once by itself
    await check.whole(tree, comparison)
    found.set(check.name, comparison)
  }
  return found
}
