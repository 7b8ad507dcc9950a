import { LAYOUT } from '../tree/layout.ts'
import type { TreeReader } from '../tree/reader.ts'

const ATTEMPTS = 3

/**
 * Returns the result of work that reads a whole tree, and repeats it if the tree was published meanwhile, so that all files
 * are of one publication. Returns null if that happened in every attempt.
 */
export async function onOnePublication<T>(read: TreeReader, work: () => Promise<T>): Promise<T | null> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const before = await read(LAYOUT.index)
    const result = await work()
    if ((await read(LAYOUT.index)) === before) return result
  }
  return null
}
