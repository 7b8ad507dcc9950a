import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, statSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Composition } from '../src/core/endpoints/compose.ts'
import { published } from '../src/core/endpoints/table.ts'
import { metrics } from '../src/exports/metrics.ts'
import { compositionOf } from '../src/exports/table.ts'
import { type Registry, openRegistry } from '../src/core/registry/registry.ts'
import { CADENCE_MS, type Inputs, type Limits, type Ports, type RunReport, type Tell } from '../src/core/run/run.ts'
import { snapshot } from '../src/core/run/snapshot.ts'
import { ECOSYSTEM, PRODUCT } from '../src/core/contract/product.ts'
import { SAMPLE_SPELLINGS, sampleSources } from '../src/core/sources/sample/sample.ts'
import { once } from './once.ts'

/** Listings of the sample by default: enough for every list, and few enough to build a tree quickly. */
export const SAMPLE_LISTINGS = 16

/** The endpoints, of which one has `limit` variants instead of five, and one export: the others take half of a small run. */
export const ONE_LIMITED_LIST: Composition = {
  endpoints: published.filter((endpoint) => endpoint.name === 'assets' || !('limit' in endpoint.parameters)),
  attachments: [metrics],
  tables: () => [],
}

/** All past prices and candles: most of the work of a first run. */
export const ALL_REQUESTS = { perRun: 1_000_000, perSource: 1_000_000 }
export const FEW_REQUESTS = { perRun: 96, perSource: 60 }
export const NO_REQUESTS = { perRun: 0, perSource: 0 }

const LEAN_ASSETS: readonly string[] = [
  'trac-network',
  'tap-protocol',
  'dmt-nat',
  'bx',
  'bitcoin',
  'ethereum',
  'tether',
  'usd-coin',
]

export const LEAN_LISTINGS = LEAN_ASSETS.length

export const leanRegistry = (count = LEAN_LISTINGS): Registry => {
  const { assets } = openRegistry()
  return openRegistry({
    label: 'sample registry',
    assets: LEAN_ASSETS.slice(0, count).flatMap((slug) => assets.filter((asset) => asset.slug === slug)),
    spelledAs: SAMPLE_SPELLINGS,
  })
}

export const NOON = Date.UTC(2026, 10, 20, 12)

export const newFolder = (): string => mkdtempSync(join(tmpdir(), 'quotetree-'))

export type Run = Inputs & Ports & Limits

/** A tree without settings of its own, and without pages. */
export const BUILT_IN = compositionOf(ECOSYSTEM)

/** The publisher of a tree where a test does not say it. */
export const SITE = {
  product: PRODUCT,
  ecosystem: ECOSYSTEM,
  address: null,
  brand: { logo: null, colours: {}, currencies: null },
  names: false,
  pages: false,
  program: 'test',
}

/** A run of the sample into a folder, without a network and with all of its past prices. */
const sampleRunOf = (root: string, now: number, count: number): Run => ({
  root,
  kind: 'sample',
  site: SITE,
  composition: BUILT_IN,
  sources: sampleSources(now, count),
  registry: openRegistry({ label: 'sample registry', spelledAs: SAMPLE_SPELLINGS }),
  now,
  cadenceMs: CADENCE_MS,
  wallNow: Date.now(),
  elapsed: () => performance.now(),
  signal: new AbortController().signal,
  connect: () => ({
    stats: { requests: 0, retries: 0, bytes: 0 },
    json: () => Promise.reject(new Error('the sample needs no network')),
    close: async () => {},
  }),
  listings: count,
  history: ALL_REQUESTS,
  fresh: false,
})

export const BASICS = { site: SITE, composition: BUILT_IN, cadenceMs: CADENCE_MS, fresh: false } as const

export const runOnce = (run: Run, tell?: Tell): Promise<RunReport> => snapshot(run, run, run, tell)

export type Given = Partial<Run> & { readonly count?: number; readonly tell?: Tell }

/** A run of the sample into a folder, at noon with `SAMPLE_LISTINGS` listings, by default. */
export const sampleRun = (root: string, given: Given = {}): Promise<RunReport> => {
  const run = sampleRunOf(root, given.now ?? NOON, given.count ?? SAMPLE_LISTINGS)
  return runOnce({ ...run, ...given }, given.tell)
}

/** A run that publishes few listings, few lists and no past prices: for tests of files, not of what is in them. */
export const leanRun = (root: string, given: Given = {}): Promise<RunReport> =>
  sampleRun(root, {
    count: LEAN_LISTINGS,
    registry: leanRegistry(),
    composition: ONE_LIMITED_LIST,
    history: NO_REQUESTS,
    ...given,
  })

/** Copies a tree with the times of its files: a third of the work of `cpSync`, which looks at every file several times. */
export function copyTree(from: string, root: string): void {
  mkdirSync(root, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, copy] = [join(from, entry.name), join(root, entry.name)]
    if (entry.isDirectory()) copyTree(source, copy)
    else {
      copyFileSync(source, copy)
      const { atime, mtime } = statSync(source)
      utimesSync(copy, atime, mtime)
    }
  }
}

/** The tree that `sampleRun` builds into an empty folder at noon, built once for all test files: only to be read. */
export const sharedSampleTree = (count = SAMPLE_LISTINGS): Promise<string> =>
  once(`sample-${count}`, (folder) => sampleRun(folder, { count }))

/** Copies that tree into an empty folder: far quicker than a run, where the run is not the subject. */
export const copySampleTree = async (root: string, count?: number): Promise<void> =>
  copyTree(await sharedSampleTree(count), root)

/** Copies the tree that `leanRun` builds into an empty folder at noon with all past prices. */
export const copyLeanTree = async (root: string): Promise<void> =>
  copyTree(await once('lean', (folder) => leanRun(folder, { history: ALL_REQUESTS })), root)

/** Copies that of `copySampleTree` with precompressed files. */
export const copyCompressedSampleTree = async (root: string): Promise<void> => {
  const compressed = await once('sample-compressed', async (folder) => {
    await copySampleTree(folder)
    await sampleRun(folder, { compress: true, history: NO_REQUESTS })
  })
  copyTree(compressed, root)
}

/** Copies that of `copyLeanTree` with precompressed files. */
export const copyCompressedLeanTree = async (root: string): Promise<void> => {
  const compressed = await once('lean-compressed', async (folder) => {
    await copyLeanTree(folder)
    await leanRun(folder, { compress: true })
  })
  copyTree(compressed, root)
}

export async function sampleTree(count?: number): Promise<string> {
  const root = newFolder()
  await copySampleTree(root, count)
  return root
}

/** Copies a tree with few past prices after a second run a minute later, with more listings: it has changes to tell. */
export async function copyChangedSampleTree(root: string, count = SAMPLE_LISTINGS): Promise<void> {
  const changed = await once(`sample-${count}-changed`, async (folder) => {
    await sampleRun(folder, { count, history: FEW_REQUESTS })
    await sampleRun(folder, { count: count + 8, now: NOON + 60_000, history: NO_REQUESTS })
  })
  copyTree(changed, root)
}
