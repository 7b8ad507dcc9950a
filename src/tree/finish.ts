import { isUnfinished } from './journal.ts'
import { lock } from './lock.ts'
import { TreeError } from './tree-error.ts'
import { Tree } from './tree.ts'

/**
 * Completes an interrupted publication, so that a server shows one snapshot instead of parts of two. Returns null, or the
 * error if it cannot: a running build completes it itself, and a read-only folder is served as it is.
 *
 * @param now time of day in ms since 1970
 */
export function finishPublication(root: string, now: number): TreeError | null {
  if (!isUnfinished(root)) return null
  try {
    const unlock = lock(root, now)
    try {
      new Tree(root)
    } finally {
      unlock()
    }
    return null
  } catch (error) {
    if (error instanceof TreeError) return error
    throw error
  }
}
