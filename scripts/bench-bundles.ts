import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { BundleSource, ObservationRow } from '../src/contract/observations.ts'
import { bundlePaths, fileAt, readBundles, writeBundle } from '../src/observations/bundle-files.ts'
import type { Bundle } from '../src/observations/bundle.ts'
import { mergeBundles } from '../src/observations/merge.ts'
import { withheld } from '../src/observations/withhold.ts'
import { feedOf } from '../src/feed/feed.ts'
import { NOTHING_BEFORE } from '../src/feed/listing.ts'
import { openRegistry } from '../src/registry/registry.ts'
import type { Run } from '../src/run/run.ts'
import { snapshot } from '../src/run/snapshot.ts'
import { NO_FIGURES } from '../src/sources/source.ts'
import { SAMPLE_SPELLINGS, sampleSources } from '../src/sources/sample/sample.ts'
import { sampleRun } from './sample-run.ts'

/** What runs through bundles take. */
export interface BundleFigures {
  readonly listings: number
  /** CPU of a run in one process, and of one that writes its bundle, reads it again and merges it. */
  readonly directMs: number
  readonly throughMs: number
  /** From the slowest shard to the published tree. */
  readonly shards: number
  readonly mergeWallMs: number
}

const LISTINGS = 1250
const SHARDS = 20
const SECRET = 'bench'.repeat(8)

const runOf = (now: number, root: string): Run => ({
  ...sampleRun(root, now, LISTINGS),
  history: { perRun: 0, perSource: 0 },
})

/** CPU in ms that a task takes. */
async function cpuOf(task: () => Promise<unknown>): Promise<number> {
  globalThis.gc?.()
  const before = process.cpuUsage()
  await task()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

const readAt = (folder: string) => readBundles(bundlePaths(folder).map(fileAt))

/** Runs over a tree in one process and through bundles, in turns, and merges 20 shards. */
export async function benchBundles(work: string, begin: number): Promise<BundleFigures> {
  const [direct, through] = [join(work, 'direct'), join(work, 'through')]
  const folderOf = (run: number) => join(work, `bundles-${run}`)
  const directMs: number[] = []
  const throughMs: number[] = []
  let last: Bundle | null = null
  let listings = 0
  for (let run = 0; run < RUNS; run++) {
    const now = begin + run * 1_800_000
    let bundle: Bundle | null = null
    const ownMs = await cpuOf(async () => {
      const report = await snapshot({ ...runOf(now, direct), onObserved: (own) => (bundle = own) })
      listings = report.listings
    })
    const mergedMs = await cpuOf(async () => {
      if (bundle) writeBundle(folderOf(run), withheld(bundle, SECRET))
      await snapshot({ ...runOf(now, through), bundles: readAt(folderOf(run)) })
    })
    // The first run builds everything, and warms up.
    if (run > 0) {
      directMs.push(ownMs)
      throughMs.push(mergedMs)
    }
    last = bundle
  }
  const now = begin + (RUNS - 1) * 1_800_000
  return {
    listings,
    directMs: mean(directMs),
    throughMs: mean(throughMs),
    shards: SHARDS,
    mergeWallMs: last ? mergeWall(join(work, 'shards'), last, now) : Number.NaN,
  }
}

const RUNS = 4

/** Wall time of reading and merging as many bundles as shards, which is what follows the slowest of them. */
function mergeWall(folder: string, { header, rows }: Bundle, now: number): number {
  mkdirSync(folder)
  for (let shard = 0; shard < SHARDS; shard++) {
    const sources = header.sources.flatMap((source): BundleSource[] => {
      const own = shareOf(rows.get(source.source_id) ?? [], shard)
      return own.length === 0 ? [] : [{ ...source, rows: own.length }]
    })
    const shared = new Map([...rows].map(([id, own]) => [id, shareOf(own, shard)] as const))
    writeBundle(folder, withheld({ header: { ...header, sources }, rows: shared, unusable: new Map() }, SECRET))
  }
  const start = performance.now()
  mergeBundles(readAt(folder), { sources: sampleSources(now, LISTINGS), kind: 'sample', publishedAt: null, now })
  return performance.now() - start
}

const shareOf = (rows: readonly ObservationRow[], shard: number): readonly ObservationRow[] =>
  rows.filter((_, index) => index % SHARDS === shard)

/** What a merge of many quotes takes. */
export interface MergeFigures {
  readonly quotes: number
  readonly priced: number
  /** Of reading and merging alone. */
  readonly mergeMs: number
  /** With the feed. */
  readonly cpuMs: number
  readonly peakMiB: number
  readonly fileMiB: number
}

/** Venues of a merge. */
const VENUES = 10

/** Reads and merges bundles of an aggregator and ten venues that have so many quotes together, into a priced feed. */
export function benchMerge(work: string, now: number, quotes: number): MergeFigures {
  const samples = sampleSources(now, 10)
  const [aggregator] = samples
  const exchange = samples.find(({ type }) => type === 'exchange')
  if (!aggregator || !exchange) throw new Error('the sample has no aggregator or no exchange')
  const venues = Array.from({ length: VENUES }, (_, venue) => ({
    ...exchange,
    id: `venue-${venue}`,
    label: `Venue ${venue}`,
  }))
  const sources = [aggregator, ...venues]
  const folder = join(work, `merge-${quotes}`)
  const each = quotes / VENUES
  let bytes = 0
  for (const source of sources) {
    const rows = Array.from({ length: each }, (_, index) =>
      source === aggregator ? sightingOf(source.id, index, now) : quoteOf(source.id, index, now),
    )
    const file = withheld(bundleWith(source, rows, now), SECRET)
    bytes += file.bundle.bytes.length
    writeBundle(folder, file)
  }
  globalThis.gc?.()
  const before = process.cpuUsage()
  const { reports } = mergeBundles(readAt(folder), { sources, kind: 'sample', publishedAt: null, now })
  const merging = process.cpuUsage(before)
  const { snapshot: priced } = feedOf({
    reports,
    registry: openRegistry({ label: 'sample registry', spelledAs: SAMPLE_SPELLINGS }),
    previous: NOTHING_BEFORE,
    now,
    label: 'bench',
    nextBuildAt: now,
  })
  const { user, system } = process.cpuUsage(before)
  const merged = reports.reduce((sum, report) => sum + report.quotes.length, 0)
  if (merged !== quotes) throw new Error(`${merged} of ${quotes} quotes were merged`)
  return {
    quotes,
    priced: priced.coverage.priced,
    mergeMs: (merging.user + merging.system) / 1000,
    cpuMs: (user + system) / 1000,
    peakMiB: process.resourceUsage().maxRSS / 1024,
    fileMiB: bytes / 2 ** 20,
  }
}

const quoteOf = (source_id: string, index: number, at: number): ObservationRow => ({
  source_id,
  kind: 'quote',
  market: `T${String(index).padStart(6, '0')}-USDT`,
  base: `T${index}`,
  quote: 'USDT',
  last: 1 + ((index * 7919) % 100_003) / 1e4,
  bid: 1 + ((index * 7907) % 100_003) / 1e4,
  ask: 1 + ((index * 7901) % 100_003) / 1e4,
  volume_24h_base: (index * 104_729) % 1_000_003,
  volume_24h_quote: (index * 104_723) % 1_000_003,
  percent_change_24h: ((index * 31) % 2000) / 100 - 10,
  at: at - (index % 60_000),
  trade_url: `https://venue.example/trade/T${index}_USDT`,
})

const sightingOf = (source_id: string, index: number, at: number): ObservationRow => ({
  source_id,
  kind: 'sighting',
  id: `t${index}`,
  slugs: [`t${index}`],
  symbol: `T${index}`,
  name: `Token ${index}`,
  ...NO_FIGURES,
  contracts: [],
  rank: index + 1,
  price_usd: 1 + ((index * 7919) % 100_003) / 1e4,
  at,
})

const bundleWith = (
  { id, rights, pace }: Run['sources'][number],
  rows: readonly ObservationRow[],
  now: number,
): Bundle => ({
  header: {
    format: 'quotetree-observations',
    version: 1,
    run: 'bench',
    kind: 'sample',
    commit: null,
    clock: now,
    cadence_ms: 1_800_000,
    region: null,
    expected: [id],
    sources: [
      {
        source_id: id,
        rights: rights.class,
        clock: now,
        listed: true,
        error: null,
        requests: 0,
        pace: { ...pace },
        rows: rows.length,
        currencies: false,
        profiles_missing: [],
        disagreement: null,
        commitment: null,
      },
    ],
  },
  rows: new Map([[id, rows]]),
  unusable: new Map(),
})

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
