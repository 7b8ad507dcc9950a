import { isUnfinished } from './journal.ts'
import { lock } from './lock.ts'
import { TreeError } from './tree-error.ts'
import { Tree } from './tree.ts'

/**
 * Finishes an interrupted publication, so that a server shows one snapshot and not parts of two. Gives back the reason
 * where it cannot: a build that is under way finishes it itself, and a folder that cannot be written is served as it is.
 *
 * @param now the machine's clock in ms since 1970
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
