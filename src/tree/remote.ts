import { fetch } from 'undici'
import { MOST_FILE_BYTES, type TreeReader, folderReader } from './reader.ts'
import { RestoreError } from './restore-error.ts'

export interface RemoteOptions {
  /** How long one file may take, in ms. */
  readonly timeoutMs: number
  readonly attempts: number
  readonly pause: (ms: number) => Promise<unknown>
}

/** So many redirects in a row are followed. */
const MOST_REDIRECTS = 5

/** Why there is no file: the place says so, or it cannot be asked. */
export interface Unanswered {
  readonly reason: 'absent' | 'unreachable'
  /** Follows the name of the file: `answers 403`. */
  readonly why: string
  /** Status of a site that says so. */
  readonly status?: number
  readonly cause?: unknown
}
export type Answer<Value> = { readonly value: Value } | Unanswered

/** Takes the body of a file. */
export type TakeBody<Value> = (body: AsyncIterable<Uint8Array>) => Promise<Value>

export const isSite = (place: string): boolean => /^https?:\/\//.test(place)

/**
 * A reader of the tree in a folder, or on a site: the address below which `api/mkt.json` stands. A site that does not
 * answer, or answers 429 or 5xx, is asked again. Any other status than 200 is a file that is not there: what that means
 * of the whole place, the caller decides.
 *
 * @throws RestoreError `unreachable`, from the reader: the site may hold a tree, and nobody can tell
 */
export function readerAt(place: string, options: RemoteOptions): TreeReader {
  if (!isSite(place)) return folderReader(place)
  return async (file, most = MOST_FILE_BYTES) => {
    const url = fileOnSite(place, file)
    const answer = await askSite(url, (body) => textOf(body, most), options)
    if ('value' in answer) return answer.value
    if (answer.reason === 'absent') return null
    throw new RestoreError('unreachable', `${url.href} ${answer.why}`, { cause: answer.cause })
  }
}

/** Address of a file on a site. */
export const fileOnSite = (site: string, file: string): URL =>
  new URL(file.split('/').map(encodeURIComponent).join('/'), site.endsWith('/') ? site : `${site}/`)

/** Asks a site for a file. Silence, 429 and 5xx are asked again; any other answer stands. */
export async function askSite<Value>(
  url: URL,
  take: TakeBody<Value>,
  { timeoutMs, attempts, pause }: RemoteOptions,
): Promise<Answer<Value>> {
  for (let attempt = 1; ; attempt++) {
    const answer = await request(url, take, timeoutMs)
    if (!('isPassing' in answer)) return answer
    if (attempt === attempts)
      return { reason: 'unreachable', why: `${answer.why}, asked ${attempt} times`, cause: answer.cause }
    await pause(500 * 2 ** attempt)
  }
}

/** A failure that may pass. */
interface Passing {
  readonly isPassing: true
  readonly why: string
  readonly cause?: unknown
}

async function request<Value>(url: URL, take: TakeBody<Value>, timeoutMs: number): Promise<Answer<Value> | Passing> {
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    for (let target = url, hop = 0; hop <= MOST_REDIRECTS; hop++) {
      const response = await fetch(target, { signal, redirect: 'manual' })
      const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null
      if (response.status === 200) return { value: await take(response.body ?? nothing()) }
      await response.body?.cancel()
      const why = `answers ${response.status}`
      if (response.status === 429 || response.status >= 500) return { isPassing: true, why }
      if (location === null) return { reason: 'absent', why, status: response.status }
      const next = new URL(location, target)
      if (!isSameSite(target, next))
        return {
          reason: 'unreachable',
          why: `redirects to ${next.origin}, another site. Name that one if you trust it`,
        }
      target = next
    }
    return { isPassing: true, why: `redirects more than ${MOST_REDIRECTS} times` }
  } catch (cause) {
    if (cause instanceof RestoreError) throw cause
    return { isPassing: true, why: `cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, cause }
  }
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** A site may redirect to itself. What is behind another address may be for this machine alone: a person decides. */
function isSameSite(from: URL, to: URL): boolean {
  const isUpgrade = to.protocol === 'https:' && from.protocol === 'http:' && to.port === '' && from.port === ''
  return to.hostname === from.hostname && (to.origin === from.origin || isUpgrade)
}

/** What a body holds; null as soon as it is longer than `most` bytes. */
export async function textOf(body: AsyncIterable<Uint8Array>, most: number): Promise<string | null> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > most) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
