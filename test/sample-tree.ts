import { cpSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openRegistry } from '../src/registry/registry.ts'
import { type Run, type RunReport, snapshot } from '../src/run/run.ts'
import { SAMPLE_SPELLINGS, sampleSources } from '../src/sources/sample/sample.ts'
import { once } from './once.ts'

export const NOON = Date.UTC(2026, 10, 20, 12)

/** A new empty folder. */
export const newFolder = (): string => mkdtempSync(join(tmpdir(), 'quotetree-'))

/** A run of the sample into a folder, at noon unless told. */
export const sampleRun = (root: string, given: Partial<Run> & { count?: number } = {}): Promise<RunReport> => {
  const now = given.now ?? NOON
  return snapshot({
    root,
    kind: 'sample',
    sources: sampleSources(now, given.count ?? 150),
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

/** The tree that `sampleRun` builds into an empty folder, shared by all test files: only to be read. */
export const sharedSampleTree = (count = 150): Promise<string> =>
  once(`sample-${count}`, (folder) => sampleRun(folder, { count }))

/** A copy of that tree in a folder of its own. */
export async function sampleTree(count?: number): Promise<string> {
  const root = newFolder()
  cpSync(await sharedSampleTree(count), root, { recursive: true, preserveTimestamps: true })
  return root
}
