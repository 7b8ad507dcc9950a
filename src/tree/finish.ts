import { lock } from './lock.ts'
import { TreeError } from './tree-error.ts'
import { Tree } from './tree.ts'

/**
 * Finishes a publication that was cut off, so that a server shows one snapshot and not parts of two. `now` is the
 * machine's clock in ms since 1970. What keeps it from being finished is given back: a build that is under way does it
 * itself, and a folder that cannot be written is served as it stands.
 */
export function finish(root: string, now: number): TreeError | null {
  if (!Tree.isUnfinished(root)) return null
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
