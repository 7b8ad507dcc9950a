/** A document as JSON, before any schema. */
export type Json = Readonly<Record<string, unknown>>

/** How documents of one kind change from one version of the state to the next. */
interface Step {
  /** Whether a file, by its path in the tree, is of this kind. */
  readonly isOf: (file: string) => boolean
  /** Returns the document in the next version; the same one if it is in it already. */
  readonly migrate: (document: Json) => Json
}

/**
 * One version of the state to the next. A step is a pure function and leaves a document of the next version unchanged, so
 * that a tree with documents of both versions is read correctly.
 */
export type Migration = readonly Step[]
