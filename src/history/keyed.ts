/** Documents of the past, each with a key such as its day, its year or its slug, extended by this run. */
export interface Keyed<Document> {
  /** Keys that have a document, in order. */
  readonly keys: readonly string[]
  /** Whether this run changed a document. */
  isChanged(this: void, key: string): boolean
  /** Returns a document, changed or not; one without rows where there is none. */
  of(this: void, key: string): Document
}
