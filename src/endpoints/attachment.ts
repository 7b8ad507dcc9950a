import type { World, Written } from './endpoint.ts'

/** A file of the tree that is not an answer of the API, such as a page, an export or a feed. */
export interface Attachment {
  /** Relative to the tree's root: `openapi.json`, `api/mkt/assets.csv`. */
  readonly path: string
  readonly text: string
}

/** Builds attachments from the same world as the documents. Equal worlds give equal texts. */
export type Attachments = (world: World, written: Written) => Iterable<Attachment>
