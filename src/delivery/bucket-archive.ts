import type { ArchiveStore } from './archive-store.ts'
import type { ByteStore } from './object-store.ts'

/** A snapshot file never changes. */
const SNAPSHOT_CACHE = 'public, max-age=31536000, immutable'
/** The list of a day changes with every run. */
const DAY_CACHE = 'public, max-age=60'

/** Returns an archive in a bucket. Buckets have no lock: writers that overtake each other find the other's file. */
export const bucketArchive = (objects: ByteStore): ArchiveStore => ({
  name: objects.name,
  list: (folder) => objects.lengths(`${folder}/`),
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
