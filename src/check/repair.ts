import { labelOf } from '../contract/product.ts'
import type { Unreadable } from './checked-files.ts'

/** What to do about a file that is not as it was published. */
export interface Repair {
  readonly rebuild: string
  ofMissing(file: string, reason: Unreadable['reason'] | null): string
  ofDamaged(file: string): string
}

/** Documents that a run extends: what is in them cannot be collected again. */
const PAST = /(?:^|\/)(?:history|candles|closes|changes)(?:\/|\.json$)|^tokenlist\.json$/

/**
 * Returns the advice for files of a tree in this folder; null: the tree is on a site or in a repository. No advice deletes a
 * file that holds the past: a run takes it from the checkpoint, and without that only a copy has it.
 */
export function repairOf(root: string | null, label: string | null): Repair {
  const sample = label === labelOf('sample') ? ' --sources sample' : ''
  const rebuild = root === null ? 'npm run snapshot and publish again' : `npm run snapshot -- --out ${root}${sample}`
  const made = (file: string) =>
    PAST.test(file)
      ? 'which takes it from the checkpoint if that has it. Otherwise put a copy back first: it holds the past.'
      : 'which composes it again.'
  if (root === null) return { rebuild, ofMissing: () => REMOTE, ofDamaged: () => REMOTE }
  return {
    rebuild,
    ofMissing: (file, reason) => {
      if (reason === 'folder') return `Move the folder away, then run ${rebuild}, ${made(file)}`
      if (reason === 'not_permitted') return 'Give this user the right to read it, or check as its owner.'
      return `Run ${rebuild}, ${made(file)}`
    },
    // A run trusts a file of the listed size and time, and reads it again after a touch.
    ofDamaged: (file) => `Run touch ${root}/${file}, then ${rebuild}, ${made(file)}`,
  }
}

const REMOTE = 'Publish the tree again, or purge the cache of the host.'
