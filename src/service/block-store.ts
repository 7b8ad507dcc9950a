import { readThroughBlocks } from '../tree/block-reader.ts'
import type { Store } from './documents.ts'

/** A block has some hundred kilobytes, and the memory of functions is small. */
const KEPT_BLOCKS = 8

/** Returns a store that also has the documents in blocks, so that every URL is answered wherever its document is. */
export const blockStore = <Inner extends Store>(store: Inner): Inner => ({
  ...store,
  read: readThroughBlocks((file) => store.read(file), KEPT_BLOCKS),
})

/** Returns the store of a tree that is read file by file over HTTP. */
export const siteStore = (ask: (file: string) => Promise<Response>): Store =>
  blockStore({
    async read(file) {
      const response = await ask(file)
      if (response.ok) return response.text()
      await response.body?.cancel()
      if (response.status === 404) return null
      throw new Error(`The host of the files answered ${response.status} for ${file}`)
    },
  })
