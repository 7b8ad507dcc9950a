import {
  type ArchiveDay,
  type ArchivedSnapshot,
  MOST_DAY_BYTES,
  PACK_ADVICE,
  archiveDayFile,
  archiveDayIn,
  dayUntil,
  isPack,
  snapshotAt,
} from '../contract/archive.ts'
import { parseJson } from '../contract/read-json.ts'
import { isoOf } from '../contract/time.ts'
import type { Transport } from './call.ts'
import { MirrorError, NoMirrorError, SnapshotFileError } from './errors.ts'
import { lru } from '../contract/lru.ts'
import { type Mirror, mirrorAt } from './mirror.ts'
import { rangeReader } from './range.ts'
import { type HttpClient, unlessAborted } from './request.ts'
import { type OpenSnapshot, openSnapshotFile } from './snapshot-file.ts'
import { mirrorTransport } from './transport.ts'

/** Options of {@link pastReaders}. */
export interface PastOptions {
  /** Addresses of archives, without a trailing slash, in order of preference. */
  readonly archives: readonly string[]
  /** Path of the API in the archived snapshots. */
  readonly prefix: string
  readonly fetch: typeof globalThis.fetch
  readonly timeoutMs: number
}

/** A snapshot of the past in one archive. */
interface Past {
  readonly snapshot: ArchivedSnapshot
  readonly open: OpenSnapshot
}

/** One keeps the texts of some entries in memory. */
const KEPT_FILES = 4

/**
 * Returns the function that gives what reads as of a time in ms: from the newest snapshot until then, in the first archive
 * that has one. It checks every byte against its SHA-256.
 */
export function pastReaders({ archives, prefix, fetch, timeoutMs }: PastOptions): (time: number) => Transport['read'] {
  const get = rangeReader(fetch, timeoutMs)
  const files = lru<Promise<OpenSnapshot>>(KEPT_FILES)

  async function dayOf(base: string, day: string): Promise<ArchiveDay | null> {
    const file = `${base}/${archiveDayFile(day)}`
    const bytes = await get.whole(file, MOST_DAY_BYTES)
    if (bytes === null) return null
    const list = archiveDayIn(parseJson(new TextDecoder().decode(bytes)), day)
    if (list) return list
    throw new SnapshotFileError(file, 'it is not the list of a day')
  }
  function opened(base: string, snapshot: ArchivedSnapshot): Promise<OpenSnapshot> {
    const { file, bytes, end } = snapshot
    const name = `${base}/${file}`
    if (isPack(file)) throw new SnapshotFileError(name, PACK_ADVICE)
    const known = files.get(name)
    if (known) return known
    const opening = openSnapshotFile({ name, bytes, end, read: get.ranges(name, bytes), of: snapshot })
    files.put(name, opening)
    // A failure is not kept: the next call asks again.
    opening.catch(() => files.remove(name))
    return opening
  }
  async function pastIn(base: string, time: number): Promise<Past> {
    const day = await dayUntil(time, (one) => dayOf(base, one))
    const snapshot = day && snapshotAt(day, time)
    if (!snapshot) throw new SnapshotFileError(base, `there is no snapshot until ${isoOf(time)}`)
    return { snapshot, open: await opened(base, snapshot) }
  }
  return (time) => {
    const pasts = new Map<string, Promise<Past>>()
    const pastOnce = (base: string): Promise<Past> => {
      const known = pasts.get(base) ?? pastIn(base, time)
      pasts.set(base, known)
      known.catch(() => pasts.delete(base))
      return known
    }
    return readerOf({ archives, prefix }, time, pastOnce)
  }
}

function readerOf(
  { archives, prefix }: Pick<PastOptions, 'archives' | 'prefix'>,
  time: number,
  pastIn: (base: string) => Promise<Past>,
): Transport['read'] {
  return async (route, values, options) => {
    const failures: MirrorError[] = []
    for (const base of archives) {
      try {
        // eslint-disable-next-line no-await-in-loop -- an archive is only asked if the one before it failed
        const past = await unlessAborted(pastIn(base), options?.signal)
        // eslint-disable-next-line no-await-in-loop
        return await transportIn(mirrorAt(base, prefix), time, past).read(route, values, options)
      } catch (error) {
        failures.push(...failuresOf(base, error))
      }
    }
    throw new NoMirrorError(failures)
  }
}

/** Returns the failures of an archive. @throws the error itself, if another archive would answer the same */
function failuresOf(base: string, error: unknown): readonly MirrorError[] {
  if (error instanceof NoMirrorError) return error.failures
  if (error instanceof SnapshotFileError) return [new MirrorError(base, 'unreachable', error.message, error)]
  throw error
}

/** Returns a transport that reads a snapshot of the past like a mirror that stands still at that time. */
function transportIn(archive: Mirror, time: number, { snapshot, open }: Past): Transport {
  const http: HttpClient = {
    async get(url, signal) {
      const path = decodeURIComponent(url.slice(archive.base.length + 1))
      const text = await unlessAborted(open.document(path), signal)
      const body = text === null ? undefined : parseJson(text)
      return { status: text === null ? 404 : 200, body, etag: null, retryAfterSeconds: null }
    },
    post: () => Promise.reject(new TypeError('The past takes no listing requests')),
  }
  // Known from the list of the day, so the index is not read for it.
  const mirror = { ...archive, staleAfter: snapshot.staleAfter, indexReadAt: time }
  return mirrorTransport({ mirrors: [mirror], http, maxStaleMs: Infinity, now: () => time })
}
