/** Bytes of a file: `length` from `from`. */
export interface ByteRange {
  readonly from: number
  readonly length: number
  /** Length of the whole file, if it is known: a place that ignores ranges is then read once. */
  readonly of?: number
}

/** An archive that is only read. */
export type ReadableArchive = Pick<ArchiveStore, 'name' | 'read'>

/** Where an archive is kept: a folder, a bucket, or the releases of a repository. Files are `<month's folder>/<name>`. */
export interface ArchiveStore {
  /** For messages. */
  readonly name: string
  /** Lengths of the files in a month's folder, by file; empty if there is none. */
  list(folder: string): Promise<ReadonlyMap<string, number>>
  /** Returns a file or a part of it; null if there is none. A part may be shorter, or the whole file. */
  read(file: string, range?: ByteRange): Promise<Uint8Array | null>
  /** Stores a file whole, in place of one of that name. */
  put(file: string, bytes: Uint8Array): Promise<void>
  remove(file: string): Promise<void>
  /** Keeps other writers away during `work`, where the place has a lock. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>
}
