import { once } from '../contract/once.ts'
import { parseJson } from '../contract/read-json.ts'
import { type PastFile, openUntil, siteArchive } from './archive.ts'
import type { Transport } from './call.ts'
import { MirrorError, NoMirrorError, SnapshotFileError } from './errors.ts'
import { lru } from '../contract/lru.ts'
import { type Mirror, mirrorAt } from './mirror.ts'
import { type HttpClient, unlessAborted } from './request.ts'
import { type OpenSnapshot, type SnapshotFile, openSnapshotFile } from './snapshot-file.ts'
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

/** One keeps the texts of some entries in memory. */
const KEPT_FILES = 4

/**
 * Returns the function that gives what reads as of a time in ms: from the newest snapshot until then, in the first archive
 * that has one. It checks every byte against its SHA-256.
 */
export function pastReaders({ archives, prefix, fetch, timeoutMs }: PastOptions): (time: number) => Transport['read'] {
  const sites = new Map(archives.map((base) => [base, siteArchive(base, fetch, timeoutMs)]))
  const files = lru<() => Promise<OpenSnapshot>>(KEPT_FILES)
  const opened = (file: SnapshotFile): Promise<OpenSnapshot> => {
    const open = files.get(file.name) ?? once(() => openSnapshotFile(file))
    files.put(file.name, open)
    return open()
  }
  return (time) => {
    const pasts = new Map(Array.from(sites, ([base, site]) => [base, once(() => openUntil(site, time, opened))]))
    return readerOf(pasts, prefix, time)
  }
}

function readerOf(
  pasts: ReadonlyMap<string, () => Promise<PastFile>>,
  prefix: string,
  time: number,
): Transport['read'] {
  return async (route, values, options) => {
    const failures: MirrorError[] = []
    for (const [base, open] of pasts) {
      try {
        // eslint-disable-next-line no-await-in-loop -- an archive is only asked if the one before it failed
        const past = await unlessAborted(open(), options?.signal)
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
function transportIn(archive: Mirror, time: number, { snapshot, open }: PastFile): Transport {
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
