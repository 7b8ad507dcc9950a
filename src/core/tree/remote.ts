import type { Ms } from '../contract/time.ts'
import pLimit from 'p-limit'
import { MOST_FILE_BYTES, type TreeReader, bytesAt, pathBelow } from './reader.ts'
import { connectionFailure } from '../sources/source-error.ts'
import { RestoreError } from './tree-error.ts'
import { setTimeout as sleep } from 'node:timers/promises'

/** How long a site is waited for, and how often it is asked. */
const PATIENCE = { timeoutMs: 30_000, attempts: 3, pause: (ms: Ms): Promise<unknown> => sleep(ms) }

const MOST_REDIRECTS = 5

interface Unanswered {
  readonly reason: 'absent' | 'unreachable' | 'asked again'
  /** Completes a sentence that begins with the file: `answers 403`. */
  readonly why: string
  readonly status?: number
  readonly cause?: unknown
}
/** The content of a file; null: it is larger than asked for. */
type PlaceAnswer = { readonly content: Buffer | null } | Unanswered

export const isSite = (place: string): boolean => /^https?:\/\//.test(place)

const fileOnSite = (site: string, file: string): URL =>
  new URL(file.split('/').map(encodeURIComponent).join('/'), site.endsWith('/') ? site : `${site}/`)

async function askSite(url: URL, most: number, { timeoutMs, attempts, pause }: typeof PATIENCE): Promise<PlaceAnswer> {
  for (let attempt = 1; ; attempt++) {
    const answer = await request(url, most, timeoutMs)
    if ('content' in answer || answer.reason !== 'asked again') return answer
    if (attempt === attempts) return { ...answer, reason: 'unreachable', why: `${answer.why}, asked ${attempt} times` }
    await pause(500 * 2 ** attempt)
  }
}

async function request(url: URL, most: number, timeoutMs: number): Promise<PlaceAnswer> {
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    for (let target = url, hop = 0; hop <= MOST_REDIRECTS; hop++) {
      const response = await fetch(target, { signal, redirect: 'manual' })
      const location = response.status >= 300 && response.status < 400 ? response.headers.get('location') : null
      if (response.status === 200) return { content: await bytesOf(response.body ?? [], most) }
      await response.body?.cancel()
      const why = `answers ${response.status}`
      if (response.status === 429 || response.status >= 500) return { reason: 'asked again', why }
      if (location === null) return { reason: 'absent', why, status: response.status }
      const next = new URL(location, target)
      if (!isSameSite(target, next))
        return {
          reason: 'unreachable',
          why: `redirects to ${next.origin}, another site. Name that one if you trust it`,
        }
      target = next
    }
    return { reason: 'asked again', why: `redirects more than ${MOST_REDIRECTS} times` }
  } catch (cause) {
    return { reason: 'asked again', why: `cannot be read: ${failureOf(cause)}`, cause }
  }
}

/** Returns why a request failed: the error of `fetch` says it in its cause alone. */
function failureOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { cause } = error
  return cause instanceof Error && 'code' in cause ? connectionFailure(String(cause.code)) : error.message
}

/** Whether a redirect stays on the site. Another host may be internal to this network, so an operator must name it. */
function isSameSite(from: URL, to: URL): boolean {
  const isUpgrade = to.protocol === 'https:' && from.protocol === 'http:' && to.port === '' && from.port === ''
  return to.hostname === from.hostname && (to.origin === from.origin || isUpgrade)
}

/** Returns the bytes of a body, or null as soon as they are more than `most`. */
export async function bytesOf(body: AsyncIterable<Uint8Array> | readonly Uint8Array[], most: number) {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > most) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Processes items concurrently. When it rejects on the first failure, no work is in progress. */
export async function inParallel<Input, Output>(
  inputs: readonly Input[],
  atOnce: number,
  work: (input: Input) => Promise<Output>,
): Promise<Output[]> {
  const limit = pLimit({ concurrency: atOnce, rejectOnClear: true })
  const begun = inputs.map((input) => limit(work, input))
  try {
    return await Promise.all(begun)
  } finally {
    limit.clearQueue()
    await Promise.allSettled(begun)
  }
}

/** A tree, or its tables of rows alone, in a folder or below the URL of a site. */
export interface Place {
  readonly name: string
  /**
   * Returns a file of at most `most` bytes, or why there is none. A site is asked again if it does not answer, its body is
   * interrupted, or it answers 429 or 5xx. Any other status than 200 counts as a missing file.
   */
  readonly ask: (file: string, most: number) => Promise<PlaceAnswer>
}

export const placeAt = (name: string, options = PATIENCE): Place => ({
  name,
  async ask(file, most) {
    if (isSite(name)) return askSite(fileOnSite(name, file), most, options)
    const path = await pathBelow(name, file)
    return path === null ? { reason: 'absent', why: 'is not there' } : { content: bytesAt(path, most) }
  },
})

/** Returns a file of a place; null: it is missing or too large. @throws RestoreError if it cannot be read, but may be there */
export async function contentAt({ name, ask }: Place, file: string): Promise<Buffer | null> {
  const answer = await ask(file, MOST_FILE_BYTES)
  if ('content' in answer) return answer.content
  if (answer.reason === 'absent') return null
  throw new RestoreError('unreachable', `${file} of ${name} ${answer.why}.`, { cause: answer.cause })
}

export const readerAt =
  (name: string): TreeReader =>
  async (file) =>
    (await contentAt(placeAt(name), file))?.toString('utf8') ?? null
