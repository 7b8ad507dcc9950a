/** An object as a store lists it. */
export interface Listed {
  /** ETag without quotes: the MD5 of the body, unless the store encrypts with its own keys. */
  readonly etag: string
  /** Time of the store in ms since 1970. */
  readonly modifiedAt: number
}

/** An object to store, with its response headers. */
export interface Stored {
  readonly key: string
  readonly body: Uint8Array
  readonly contentType: string
  readonly cacheControl: string
  readonly contentEncoding: 'gzip' | null
}

/** An object store. Every call rejects with a DeliveryError on failure. */
export interface ObjectStore {
  /** For messages: `s3://bucket/prefix`. */
  readonly name: string
  /** Every object, by key. */
  list(): Promise<ReadonlyMap<string, Listed>>
  /** Returns the text of an object, or null if there is none. */
  read(key: string): Promise<string | null>
  put(object: Stored): Promise<void>
  remove(key: string): Promise<void>
}
