import { readThroughBundles } from '../tree/bundled-reader.ts'
import type { Store } from './documents.ts'

/** A bundle has some hundred kilobytes, and the memory of functions is small. */
const KEPT_BUNDLES = 8

/** Returns a store that also has the documents in bundles, so that every URL is answered wherever its document is. */
export const bundledStore = <Inner extends Store>(store: Inner): Inner => ({
  ...store,
  read: readThroughBundles((file) => store.read(file), KEPT_BUNDLES),
})
