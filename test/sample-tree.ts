import { cpSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openRegistry } from '../src/registry/registry.ts'
import { type Run, type RunReport, snapshot } from '../src/run/run.ts'
import { SAMPLE_SPELLINGS, sampleSources } from '../src/sources/sample/sample.ts'
import { precompress } from '../src/tree/precompressed.ts'
import { once } from './once.ts'

/** Listings of the sample unless told: enough for every list, and few enough to build a tree quickly. */
export const SAMPLE_LISTINGS = 60

export const NOON = Date.UTC(2026, 10, 20, 12)

/** A new empty folder. */
export const newFolder = (): string => mkdtempSync(join(tmpdir(), 'quotetree-'))

/** A run of the sample into a folder, at noon with `SAMPLE_LISTINGS` listings, unless told. */
export const sampleRun = (root: string, given: Partial<Run> & { count?: number } = {}): Promise<RunReport> => {
  const now = given.now ?? NOON
  return snapshot({
    root,
    kind: 'sample',
    sources: sampleSources(now, given.count ?? SAMPLE_LISTINGS),
    registry: openRegistry({
      label: 'sample registry',
      spelledAs: SAMPLE_SPELLINGS,
    }),
    now,
    wallNow: Date.now(),
    elapsed: () => performance.now(),
    signal: new AbortController().signal,
    connect: () => ({
      stats: { requests: 0, retries: 0, bytes: 0 },
      json: () => Promise.reject(new Error('the sample asks nobody')),
      close: async () => {},
    }),
    listings: null,
    history: { perRun: 100_000, perSource: 100_000 },
    fresh: false,
    ...given,
  })
}

const copyInto = (from: string, root: string): void => cpSync(from, root, { recursive: true, preserveTimestamps: true })

/** The tree that `sampleRun` builds into an empty folder at noon, built once for all test files: only to be read. */
export const sharedSampleTree = (count = SAMPLE_LISTINGS): Promise<string> =>
  once(`sample-${count}`, (folder) => sampleRun(folder, { count }))

/** Copies that tree into an empty folder: far quicker than a run, where the run is not the subject. */
export const copySampleTree = async (root: string, count?: number): Promise<void> =>
  copyInto(await sharedSampleTree(count), root)

/** Copies that tree with its precompressed files. */
export async function copyCompressedSampleTree(root: string, count = SAMPLE_LISTINGS): Promise<void> {
  const compressed = await once(`sample-${count}-compressed`, async (folder) => {
    await copySampleTree(folder, count)
    await precompress(folder)
  })
  copyInto(compressed, root)
}

/** A copy of that tree in a folder of its own. */
export async function sampleTree(count?: number): Promise<string> {
  const root = newFolder()
  await copySampleTree(root, count)
  return root
}

/** Copies the tree after a second run a minute later, with one listing more: it has changes to tell. */
export async function copyChangedSampleTree(root: string, count = SAMPLE_LISTINGS): Promise<void> {
  const changed = await once(`sample-${count}-changed`, async (folder) => {
    await copySampleTree(folder, count)
    await sampleRun(folder, { count: count + 1, now: NOON + 60_000 })
  })
  copyInto(changed, root)
}
