import { type RangeReader, rangeReader } from '../client/range.ts'
import type { ReadRange } from '../client/snapshot-file.ts'
import { MOST_DAY_BYTES } from '../contract/archive.ts'
import type { ByteStore } from './objects.ts'

/** A snapshot file or an archive cannot be read or written. The message says which and what to do next. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError'
  readonly reason: 'damaged' | 'foreign' | 'not_archived' | 'old' | 'unfit' | 'unreachable'

  constructor(reason: ArchiveError['reason'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

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

/**
 * Returns an archive on a host of files, with or without ranges. Public releases of a GitHub repository are one:
 * `https://github.com/<owner>/<repo>/releases/download`.
 */
export function siteArchive(site: string, fetch: typeof globalThis.fetch, timeoutMs: number): ReadableArchive {
  const base = site.replace(/\/+$/, '')
  const host: RangeReader = rangeReader(fetch, timeoutMs)
  const files = new Map<string, ReadRange>()
  return {
    name: base,
    read(file, range) {
      const url = `${base}/${file}`
      if (range?.of === undefined) return host.whole(url, MOST_DAY_BYTES)
      const part = files.get(url) ?? host.ranges(url, range.of)
      files.set(url, part)
      return part(range.from, range.length)
    },
  }
}
