import { isObject } from './read-json.ts'

/**
 * A snapshot file: the documents of one publication in a ZIP file. Its last entry, `snapshot.json`, says which publication it
 * is. The comment of an entry is the SHA-256 of its content. The list of the day has the digest of the end of the file, from
 * that entry on, so that every byte a reader uses is checked.
 */

/** Maximum length of a snapshot file. One of 1,252 listings has 2 MB. */
export const MOST_SNAPSHOT_BYTES = 64 * 2 ** 20
export const MOST_END_BYTES = 2 ** 20
/** Bytes of documents per byte of a snapshot file, at most: they are some 7 times larger, and this is more. */
const MOST_GROWTH = 50
/** What documents may always take. */
const LEAST_BYTES = 16 * 2 ** 20

/** Name of the last entry. */
export const HEAD_ENTRY = 'snapshot.json'

export interface FileEnd {
  readonly bytes: number
  readonly sha256: string
}

/** The members of the index document that a snapshot file repeats. */
export interface SnapshotHead {
  readonly generatedAt: string
  readonly staleAfter: string
  readonly snapshotId: string
  /** Lists whose beginnings are documents too, and the numbers of their rows: `limit` variants. */
  readonly limits: readonly (readonly [list: string, rows: readonly number[]])[]
}

/** Returns how many bytes the documents of a snapshot file of `bytes` bytes may have. */
export const mostDocumentBytes = (bytes: number): number => MOST_GROWTH * bytes + LEAST_BYTES

const isTime = (value: unknown): boolean => typeof value === 'string' && !Number.isNaN(Date.parse(value))

const isCount = (value: unknown): boolean => typeof value === 'number' && Number.isInteger(value) && value >= 0

const isLimit = (value: unknown): boolean =>
  Array.isArray(value) && typeof value[0] === 'string' && Array.isArray(value[1]) && value[1].every(isCount)

/** Whether a value is the head of a snapshot file. */
export const isSnapshotHead = (value: unknown): value is SnapshotHead =>
  isObject(value) &&
  isTime(value['generatedAt']) &&
  isTime(value['staleAfter']) &&
  typeof value['snapshotId'] === 'string' &&
  Array.isArray(value['limits']) &&
  value['limits'].every(isLimit)
