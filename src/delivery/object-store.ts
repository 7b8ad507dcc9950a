/** An object as a store lists it. */
export interface Listed {
  /** As the store gives it, without quotes: the MD5 of the body unless the store encrypts with keys of its own. */
  readonly etag: string
  /** In ms since 1970, by the store's clock. */
  readonly modifiedAt: number
}

/** An object to store, with the headers that the store answers it with. */
export interface Stored {
  readonly key: string
  readonly body: Uint8Array
  readonly contentType: string
  readonly cacheControl: string
  readonly contentEncoding: 'gzip' | null
}

/** A place that keeps objects by key. Every call rejects with a DeliveryError when the store does not do as asked. */
export interface ObjectStore {
  /** For messages: `s3://bucket/prefix`. */
  readonly name: string
  /** Every object, by key. */
  list(): Promise<ReadonlyMap<string, Listed>>
  /** Text of an object, null where there is none. */
  read(key: string): Promise<string | null>
  put(object: Stored): Promise<void>
  remove(key: string): Promise<void>
}
