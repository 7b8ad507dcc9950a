import type { ReadableArchive } from '../client/archive.ts'
import type { ByteStore } from './objects.ts'

/** A snapshot file or an archive cannot be read or written. The message says which and what to do next. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError'
}

/** Where an archive is kept: a folder, a bucket, or the releases of a repository. Files are `<month's folder>/<name>`. */
export interface ArchiveStore extends ReadableArchive {
  /** Lengths of the files in a month's folder, by file; empty if there is none. */
  list(folder: string): Promise<ReadonlyMap<string, number>>
  /** Stores a file whole, in place of one of that name. */
  put(file: string, bytes: Uint8Array): Promise<void>
  remove(file: string): Promise<void>
  /** Keeps other writers away during `work`, where the place has a lock. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>
}

/** A snapshot file never changes. */
const SNAPSHOT_CACHE = 'public, max-age=31536000, immutable'
/** The list of a day changes with every run. */
const DAY_CACHE = 'public, max-age=60'

const lengthsOf = (listed: ReadonlyMap<string, { readonly bytes: number }>) =>
  new Map(Array.from(listed, ([file, { bytes }]) => [file, bytes]))

/** Returns an archive in a bucket. Buckets have no lock: writers that overtake each other find the other's file. */
export const bucketArchive = (objects: ByteStore): ArchiveStore => ({
  name: objects.name,
  list: (folder) => objects.list(`${folder}/`).then(lengthsOf),
  read: (file, range) => objects.readBytes(file, range),
  put: (file, body) => {
    const isList = file.endsWith('.json')
    return objects.put({
      key: file,
      body,
      contentType: isList ? 'application/json; charset=utf-8' : 'application/zip',
      cacheControl: isList ? DAY_CACHE : SNAPSHOT_CACHE,
      contentEncoding: null,
    })
  },
  remove: (file) => objects.remove(file),
  alone: (work) => work(),
})
