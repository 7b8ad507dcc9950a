import { existsSync } from 'node:fs'
import { LastRun, MOST_UNPUBLISHED } from '../contract/last-run.ts'
import { type Ms, isoOf } from '../contract/time.ts'
import { privateFolder, readKept, writeKept } from './run-cache.ts'
import type { RunReport } from './run.ts'

export type EndedRun = Pick<RunReport, 'refusals' | 'lifted'> & Pick<LastRun, 'outcome'>

const NAME = 'last-run'

/** Returns how the last run ended; null if that is not known. */
export const readLastRun = (root: string): LastRun | null => readKept(root, NAME, LastRun)

/**
 * Keeps how a run ended beside the tree, where there is one: a first run that fails leaves its folder empty.
 *
 * @param now when it ended, in ms since 1970
 * @param ms how long it took
 */
export function keepLastRun(root: string, { outcome, refusals, lifted }: EndedRun, now: Ms, ms: Ms): void {
  if (!existsSync(privateFolder(root))) return
  const at = isoOf(now)
  const before = readLastRun(root)?.unpublished ?? []
  const run: LastRun = {
    at,
    outcome,
    seconds: Math.round(ms / 100) / 10,
    unpublished: outcome === 'published' ? [] : [...before, { at, outcome }].slice(-MOST_UNPUBLISHED),
    findings: [
      ...refusals.map(({ rule }) => ({ rule, refused: true })),
      ...lifted.map(({ rule }) => ({ rule, refused: false })),
    ],
  }
  writeKept(root, NAME, run)
}
