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

/** An object store whose objects are read as bytes, whole or in part. */
export interface ByteStore extends Pick<ObjectStore, 'name' | 'put' | 'remove'> {
  /** Lengths of the objects whose keys begin with `below`, by key. */
  lengths(below: string): Promise<ReadonlyMap<string, number>>
  /** Returns an object as it is stored, or `length` bytes of it; null if there is none. */
  readBytes(key: string, range?: { readonly from: number; readonly length: number }): Promise<Uint8Array | null>
}
