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

/**
 * A reader of the tree in a folder, or on a site: the address below which `api/mkt.json` stands. A site that does not
 * answer, or answers 429 or 5xx, is asked again.
 *
 * @throws RestoreError `unreachable`, from the reader: the site may hold a tree, and nobody can tell
 */
export function readerAt(place: string, { timeoutMs, attempts, pause }: RemoteOptions): TreeReader {
  if (!/^https?:\/\//.test(place)) return folderReader(place)
  const base = place.endsWith('/') ? place : `${place}/`
  return async (file, most = MOST_FILE_BYTES) => {
    const url = new URL(file.split('/').map(encodeURIComponent).join('/'), base)
    for (let attempt = 1; ; attempt++) {
      const answer = await request(url, most, timeoutMs)
      if (!('why' in answer)) return answer.text
      if (attempt === attempts)
        throw new RestoreError('unreachable', `${url.href} ${answer.why}, asked ${attempt} times`, {
          cause: answer.cause,
        })
      await pause(500 * 2 ** attempt)
    }
  }
}

type Answer = { readonly text: string | null } | { readonly why: string; readonly cause?: unknown }

async function request(url: URL, most: number, timeoutMs: number): Promise<Answer> {
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    for (let target = url, hop = 0; hop <= MOST_REDIRECTS; hop++) {
      const response = await fetch(target, { signal, redirect: 'manual' })
      const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null
      if (response.status === 200) return { text: await textOf(response.body ?? [], most) }
      await response.body?.cancel()
      if (response.status === 429 || response.status >= 500) return { why: `answers ${response.status}` }
      if (location === null) return { text: null }
      target = redirected(target, location)
    }
    return { why: `redirects more than ${MOST_REDIRECTS} times` }
  } catch (cause) {
    if (cause instanceof RestoreError) throw cause
    return { why: `cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, cause }
  }
}

/** A site may redirect to itself. What is behind another address may be for this machine alone: a person decides. */
function redirected(from: URL, location: string): URL {
  const to = new URL(location, from)
  const isUpgrade = to.protocol === 'https:' && from.protocol === 'http:' && to.port === '' && from.port === ''
  if (to.hostname === from.hostname && (to.origin === from.origin || isUpgrade)) return to
  throw new RestoreError(
    'unreachable',
    `${from.href} redirects to ${to.origin}, another site. Name that one if you trust it.`,
  )
}

/** What a body holds; null as soon as it is longer than `most` bytes. */
async function textOf(body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>, most: number): Promise<string | null> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > most) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
