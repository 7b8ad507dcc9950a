import type { ArchiveStore } from '../archive/archive-store.ts'
import type { ByteStore } from './object-store.ts'

/** A pack never changes. */
const PACK_CACHE = 'public, max-age=31536000, immutable'
/** The list of a day changes with every run. */
const DAY_CACHE = 'public, max-age=60'

/** Returns an archive in a bucket. Buckets have no lock: writers that overtake each other find the other's pack. */
export const bucketArchive = (objects: ByteStore): ArchiveStore => ({
  name: objects.name,
  list: (folder) => objects.lengths(`${folder}/`),
  read: (file, range) => objects.readBytes(file, range),
  put: (file, body) => {
    const isPack = file.endsWith('.pack')
    return objects.put({
      key: file,
      body,
      contentType: isPack ? 'application/octet-stream' : 'application/json; charset=utf-8',
      cacheControl: isPack ? PACK_CACHE : DAY_CACHE,
      contentEncoding: null,
    })
  },
  remove: (file) => objects.remove(file),
  alone: (work) => work(),
})
