import { readThroughBlocks } from '../tree/block-reader.ts'
import type { Store } from './documents.ts'

/** A block has some hundred kilobytes, and the memory of functions is small. */
const KEPT_BLOCKS = 8

/** Returns a store that also has the documents in blocks, so that every URL is answered wherever its document is. */
export const blockStore = <Inner extends Store>(store: Inner): Inner => ({
  ...store,
  read: readThroughBlocks((file) => store.read(file), KEPT_BLOCKS),
})
