import { rollup } from 'd3-array'
import * as z from 'zod'
import { byKey } from '../contract/order.ts'
import { CollectorMembers, SourceRow } from '../contract/collector.ts'
import { DexPair } from '../contract/dex-pair.ts'
import type { EndpointSpec } from '../contract/endpoint-spec.ts'
import { readJson } from '../contract/read-json.ts'
import { API_FOLDER } from '../contract/prefix.ts'
import { STATE_VERSION } from '../contract/words.ts'
import type { Composition } from '../endpoints/compose.ts'
import type { Listing } from '../feed/listing.ts'
import { fragilePrices } from './fragility-summary.ts'
import { readThroughBlocks } from '../tree/block-reader.ts'
import { LAYOUT } from '../tree/layout.ts'
import { PublishedIndex, PublishedManifest } from '../tree/published-documents.ts'
import type { CheckedFiles } from './checked-files.ts'
import {
  CHECKS,
  type CheckName,
  type CheckedTree,
  type Compared,
  checkFiles,
  checkListings,
  checkWhole,
  checkedListings,
  recomputedTree,
} from './checks.ts'
import { Comparison, type Deviation } from './deviation.ts'
import { FileInspection } from './file-inspection.ts'
import { documentReader, listingOf, publishedTree } from './published-tree.ts'
import { repairOf } from './repair.ts'
import { runFacts } from './run-facts.ts'

/** What a check found. */
export interface Finding extends Deviation {
  readonly check: CheckName
}

/** The result of a verification. */
export interface Verification {
  readonly snapshotId: string | null
  readonly listings: number
  /** Number of compared figures and files. */
  readonly figures: number
  /**
   * Number of figures of each name that are published as a source reports them. They cannot be recomputed, so they are only
   * compared between the documents that repeat them.
   */
  readonly told: Readonly<Record<string, number>>
  /** How far one false source moves each price, as published. */
  readonly fragility: ReturnType<typeof fragilePrices>
  readonly findings: readonly Finding[]
}

/** How a tree is verified. */
interface Verifying {
  readonly specs: readonly EndpointSpec[]
  /** What the tree is composed of; null: only its files are checked. */
  readonly composition: Composition | null
  /** Time of the check in ms since 1970. */
  readonly now: number
}

/** Blocks kept in memory: a check reads the documents of many listings at once. */
const KEPT_BLOCKS = 128

/**
 * Verifies a published tree: recomputes every figure from its other documents alone, composes every document again, and
 * compares every file with the manifest. {@link CHECKS} names the checks.
 */
export async function verifyTree(files: CheckedFiles, { specs, composition, now }: Verifying): Promise<Verification> {
  const tree = await openTree(files, { specs, now })
  const read = readThroughBlocks(tree.inspection.read, KEPT_BLOCKS)
  const unread = new Comparison()
  const isCurrent = tree.index === null || tree.index.stateVersion === STATE_VERSION
  const published = composition && isCurrent ? await publishedTree(read, unread) : null
  const figures = published && composition && (await recomputedTree(published, { read, composition }))
  // Figures first: what they read is inspected, and not read again.
  const compared = new Map([
    ...(figures ? [...(await checkListings(figures.checked)), ...(await checkWhole(figures))] : []),
    ...(await checkFiles(tree)),
  ])
  compared.get('schemas')?.join(unread)
  return resultOf(compared, {
    snapshotId: tree.index?.snapshotId ?? null,
    listings: figures?.listings ?? [],
  })
}

const Collector = z.object({ ...CollectorMembers, rows: z.array(SourceRow) })
const Pools = z.object({ rows: z.array(DexPair) })
const Index = PublishedIndex.extend({ product: z.string() })

/** Verifies some listings of a tree, and the files that they are in. Returns the first slug that the tree does not have. */
export async function verifyListings(
  files: CheckedFiles,
  slugs: readonly string[],
  given: Omit<Verifying, 'composition'>,
): Promise<Verification | { readonly unknown: string }> {
  const { inspection, index } = await openTree(files, given)
  const read = readThroughBlocks(inspection.read, KEPT_BLOCKS)
  const unread = new Comparison()
  const document = documentReader(read, unread)
  const texts = await Promise.all(slugs.map((slug) => read(`${API_FOLDER}/assets/${slug}.json`)))
  const unknown = slugs.find((_, place) => texts[place] === null)
  if (unknown !== undefined) return { unknown }
  const [collector, pools, ...found] = await Promise.all([
    document(LAYOUT.collector, Collector),
    document(`${API_FOLDER}/dex-pairs.json`, Pools),
    ...slugs.map((slug) => listingOf(document, slug)),
  ])
  const listings = found.flatMap((listing) => listing ?? [])
  const facts = collector && pools && runFacts({ collector, pairs: pools.rows })
  const compared = facts ? await checkListings(checkedListings(listings, { facts, read })) : new Map()
  const ofFiles: Compared = new Map([
    ['digests', inspection.digests],
    ['schemas', new Comparison().join(inspection.schemas).join(unread)],
  ])
  return resultOf(new Map([...compared, ...ofFiles]), {
    snapshotId: index?.snapshotId ?? null,
    listings,
  })
}

async function openTree(files: CheckedFiles, { specs, now }: Omit<Verifying, 'composition'>): Promise<CheckedTree> {
  const [indexText, manifestText] = await Promise.all(
    [LAYOUT.index, LAYOUT.manifest].map(async (file) => {
      const bytes = await files.bytes(file)
      return bytes instanceof Uint8Array ? new TextDecoder().decode(bytes) : null
    }),
  )
  const index = readJson(indexText ?? null, Index)
  const manifest = readJson(manifestText ?? null, PublishedManifest)
  const repair = repairOf(files.root, index?.label ?? null)
  // The schemas are those of this version.
  const checkable = index === null || index.stateVersion === STATE_VERSION ? specs : []
  const inspection = new FileInspection(files, { lists: { index, manifest }, specs: checkable, repair })
  return { files, index, manifest, manifestText: manifestText ?? null, inspection, specs, repair, now }
}

function resultOf(
  compared: Compared,
  { snapshotId, listings }: Pick<Verification, 'snapshotId'> & { listings: readonly Listing[] },
): Verification {
  const comparisons = CHECKS.flatMap(({ name }) => {
    const comparison = compared.get(name)
    return comparison ? [[name, comparison] as const] : []
  })
  return {
    snapshotId,
    listings: listings.length,
    figures: comparisons.reduce((sum, [, { figures }]) => sum + figures, 0),
    told: toldFigures(listings),
    fragility: fragilePrices(listings),
    findings: comparisons.flatMap(([check, { deviations }]) =>
      deviations.map((deviation) => ({ check, ...deviation })),
    ),
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
    ].toSorted(byKey),
  )
}
