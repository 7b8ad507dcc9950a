import type { World, Written } from './endpoint.ts'

/** A file of the tree that is not an answer of the API: a page, a description, an export, a feed. */
export interface Attachment {
  /** Below the tree's root: `openapi.json`, `api/mkt/assets.csv`. */
  readonly path: string
  readonly text: string
}

/** Makes attachments of the world that the documents were made of. Equal worlds give equal texts. */
export type Attachments = (world: World, written: Written) => Iterable<Attachment>
