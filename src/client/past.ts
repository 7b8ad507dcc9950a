import {
  type ArchiveDay,
  type ArchivedPack,
  MOST_DAY_BYTES,
  archiveDayFile,
  archiveDayOf,
  isArchiveDay,
  packAt,
} from '../contract/archive.ts'
import { parseJson } from '../contract/read-json.ts'
import { isoOf } from '../contract/time.ts'
import type { Transport } from './call.ts'
import { MirrorError, NoMirrorError, PackError } from './errors.ts'
import { lru } from '../contract/lru.ts'
import { type Methods, methodsOf } from './methods.ts'
import { type Mirror, mirrorAt } from './mirror.ts'
import { type OpenPack, openPack } from './pack.ts'
import { rangeReader } from './range.ts'
import { type HttpClient, unlessAborted } from './request.ts'
import { mirrorTransport } from './transport.ts'

/** The API as it answered at a time. */
export type AtTime = (time: Date | string | number) => Methods

/** Options of {@link pastOf}. */
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
  readonly pack: ArchivedPack
  readonly open: OpenPack
}

const DAY_MS = 86_400_000
/** A pack of 1,252 listings takes some megabytes of memory, if all of it was read. */
const KEPT_PACKS = 4

/**
 * Returns the function that gives the methods at a time. They read the newest snapshot until then from the first archive
 * that has one, and check every byte against its SHA-256.
 */
export function pastOf({ archives, prefix, fetch, timeoutMs }: PastOptions): AtTime {
  const get = rangeReader(fetch, timeoutMs)
  const packs = lru<Promise<OpenPack>>(KEPT_PACKS)

  async function dayOf(base: string, day: string): Promise<ArchiveDay | null> {
    const file = `${base}/${archiveDayFile(day)}`
    const bytes = await get.whole(file, MOST_DAY_BYTES)
    if (bytes === null) return null
    const value = parseJson(new TextDecoder().decode(bytes))
    if (isArchiveDay(value, day)) return value
    throw new PackError(file, 'it is not the list of a day')
  }
  function opened(base: string, pack: ArchivedPack): Promise<OpenPack> {
    const { file, bytes, index } = pack
    const name = `${base}/${file}`
    const known = packs.get(name)
    if (known) return known
    const opening = openPack({ name, bytes, index, read: get.ranges(name, bytes), of: pack })
    packs.put(name, opening)
    // A failure is not kept: the next call asks again.
    opening.catch(() => packs.remove(name))
    return opening
  }
  async function pastIn(base: string, time: number): Promise<Past> {
    // In the archive the day may not have begun.
    const day = (await dayOf(base, archiveDayOf(time))) ?? (await dayOf(base, archiveDayOf(time - DAY_MS)))
    const pack = day && packAt(day, time)
    if (!pack) throw new PackError(base, `there is no snapshot until ${isoOf(time)}`)
    return { pack, open: await opened(base, pack) }
  }
  return (given) => {
    const time = new Date(given).getTime()
    if (Number.isNaN(time)) throw new TypeError(`${String(given)} is not a time`)
    const pasts = new Map<string, Promise<Past>>()
    const pastOnce = (base: string): Promise<Past> => {
      const known = pasts.get(base) ?? pastIn(base, time)
      pasts.set(base, known)
      known.catch(() => pasts.delete(base))
      return known
    }
    return methodsOf(transportOf({ archives, prefix }, time, pastOnce))
  }
}

function transportOf(
  { archives, prefix }: Pick<PastOptions, 'archives' | 'prefix'>,
  time: number,
  pastIn: (base: string) => Promise<Past>,
): Transport {
  return {
    async read(route, values, options) {
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
    },
    submit: () => Promise.reject(new TypeError('The past takes no listing requests')),
  }
}

/** Returns the failures of an archive. @throws the error itself, if another archive would answer the same */
function failuresOf(base: string, error: unknown): readonly MirrorError[] {
  if (error instanceof NoMirrorError) return error.failures
  if (error instanceof PackError) return [new MirrorError(base, 'unreachable', error.message, error)]
  throw error
}

/** Returns a transport that reads a snapshot of the past like a mirror that stands still at that time. */
function transportIn(archive: Mirror, time: number, { pack, open }: Past): Transport {
  const http: HttpClient = {
    async get(url, signal) {
      const path = decodeURIComponent(url.slice(archive.base.length + 1))
      const bytes = await unlessAborted(open.document(path), signal)
      const body = bytes === null ? undefined : parseJson(new TextDecoder().decode(bytes))
      return { status: bytes === null ? 404 : 200, body, etag: null, retryAfterSeconds: null }
    },
    post: () => Promise.reject(new TypeError('The past takes no listing requests')),
  }
  // Known from the list of the day, so the index is not read for it.
  const mirror = { ...archive, staleAfter: pack.staleAfter, indexReadAt: time }
  return mirrorTransport({ mirrors: [mirror], http, maxStaleMs: Infinity, now: () => time })
}
