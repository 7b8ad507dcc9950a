import { LAYOUT } from '../tree/layout.ts'
import type { TreeReader } from '../tree/reader.ts'

const ATTEMPTS = 3

/**
 * The result of work that reads a whole tree, all of one publication: it is done again where the tree was published
 * meanwhile. Null where that happened each time.
 */
export async function onOnePublication<T>(read: TreeReader, work: () => Promise<T>): Promise<T | null> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const before = await read(LAYOUT.index)
    const result = await work()
    if ((await read(LAYOUT.index)) === before) return result
  }
  return null
}
