import { SnapshotFileError } from './errors.ts'
import { MISSING_STATUS } from './document.ts'
import { LONGEST_TIMER_MS, bytesIn } from './request.ts'

/** Reads `length` bytes of a file from a place. It may return other bytes: they are checked by digest. */
export type ReadRange = (from: number, length: number) => Promise<Uint8Array>

/** Maximum number of redirects of one request. */
const MOST_REDIRECTS = 5

/** Whether a URL is of a public domain. An address or a short name may be one inside the network of the reader. */
const isPublic = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' &&
  /\.[a-z][a-z0-9-]*$/.test(hostname) &&
  !/\.(arpa|corp|home|internal|intranet|lan|local|localhost|private|test)$/.test(hostname)

/** Requests a URL, and follows redirects on its host and to public ones, as those of releases on GitHub. */
async function followed(fetch: typeof globalThis.fetch, url: string, init: RequestInit): Promise<Response> {
  let target = url
  for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
    // eslint-disable-next-line no-await-in-loop -- each redirect leads to the next
    const response = await fetch(target, { ...init, redirect: 'manual' })
    // A browser does not tell where it leads, and applies rules of its own.
    if (response.type === 'opaqueredirect') return fetch(target, init)
    const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null
    if (location === null) return response
    void response.body?.cancel().catch(() => {})
    const next = new URL(location, target)
    if (next.origin !== new URL(target).origin && !isPublic(next))
      throw new SnapshotFileError(url, `it redirects to ${next.origin}, another site. Name that one if you trust it`)
    target = next.href
  }
  throw new SnapshotFileError(url, `it redirects more than ${MOST_REDIRECTS} times`)
}

/**
 * Creates a reader of files and parts of files from hosts. Its calls reject with a SnapshotFileError if the host does not
 * answer, or sends more than it should.
 */
export function rangeReader(fetch: typeof globalThis.fetch, timeoutMs: number) {
  async function asked<Result>(
    url: string,
    headers: HeadersInit,
    take: (response: Response) => Promise<Result>,
  ): Promise<Result> {
    const controller = new AbortController()
    const timer = setTimeout(() => controller.abort(), Math.min(timeoutMs, LONGEST_TIMER_MS))
    try {
      return await take(await followed(fetch, url, { headers, signal: controller.signal }))
    } catch (cause) {
      if (cause instanceof SnapshotFileError) throw cause
      const why = cause instanceof Error ? cause.message : String(cause)
      throw new SnapshotFileError(url, controller.signal.aborted ? `no answer within ${timeoutMs} ms` : why, cause)
    } finally {
      clearTimeout(timer)
      controller.abort()
    }
  }
  return {
    /** Returns a file of at most `most` bytes; null if the host does not have it. */
    whole: (url: string, most: number): Promise<Uint8Array | null> =>
      asked(url, {}, async (response) => {
        if (response.ok) return bytesOf(url, response.body, most)
        if (MISSING_STATUS.has(response.status)) return null
        throw new SnapshotFileError(url, `status ${response.status}`)
      }),
    /** Returns a reader of parts of a file with a known length. */
    ranges(url: string, bytes: number): ReadRange {
      let all: Uint8Array | null = null
      return async (from, length) => {
        if (all) return all.subarray(from, from + length)
        return asked(url, { range: `bytes=${from}-${from + length - 1}` }, async (response) => {
          if (response.status === 206) return bytesOf(url, response.body, length)
          if (response.status !== 200) throw new SnapshotFileError(url, `status ${response.status}`)
          // The host ignores ranges. The file is not asked for again.
          const whole = await bytesOf(url, response.body, bytes)
          if (whole.byteLength !== bytes) throw new SnapshotFileError(url, `${whole.byteLength} bytes came of ${bytes}`)
          all = whole
          return whole.subarray(from, from + length)
        })
      }
    },
  }
}

/** Returns the bytes of a stream. @throws SnapshotFileError as soon as they are more than `most` */
export async function bytesOf(
  name: string,
  body: ReadableStream<Uint8Array> | null,
  most: number,
): Promise<Uint8Array> {
  const bytes = await bytesIn(body, most)
  if (bytes === null) throw new SnapshotFileError(name, `more than ${most} bytes came`)
  return bytes
}
