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

/** A folder of trees that are built once for all test files of a run. Not to be written to. */
const shared = (name: string, build: (root: string) => Promise<unknown>): Promise<string> => once(`tree-${name}`, build)
const copyInto = (from: string, root: string): void => cpSync(from, root, { recursive: true, preserveTimestamps: true })

/** Puts the tree into an empty folder that `sampleRun` would build there at noon; far quicker, where the run is not the subject. */
export async function sampleTree(root: string, count = 150): Promise<void> {
  copyInto(await shared(`${count}`, (folder) => sampleRun(folder, { count })), root)
}

/** The same after a second run a minute later, with one listing more: a tree that has changes to tell. */
export async function changedSampleTree(root: string): Promise<void> {
  const build = async (folder: string) => {
    await sampleTree(folder)
    await sampleRun(folder, { count: 151, now: NOON + 60_000 })
  }
  copyInto(await shared('changed', build), root)
}
