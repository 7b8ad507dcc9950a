import { isObject, parseJson } from '../contract/read-json.ts'
import { lru } from '../contract/lru.ts'

/** A response with its parsed body. */
export interface Reply {
  readonly status: number
  /** Undefined if it is not JSON. */
  readonly body: unknown
  readonly etag: string | null
  readonly retryAfterSeconds: number | null
}

/** A request took longer than its timeout. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError'
}

/** Options of {@link httpClient}. */
export interface HttpOptions {
  readonly fetch: typeof globalThis.fetch
  readonly timeoutMs: number
  /** Maximum number of cached answers. */
  readonly cacheSize: number
  /** Called with each request when it has ended. */
  readonly onRequest?: ((event: RequestEvent) => void) | undefined
}

/** A request that has ended. */
export interface RequestEvent {
  readonly method: string
  readonly url: string
  /** Null if there was no response. */
  readonly status: number | null
  readonly ms: number
}

/** Sends requests and parses their responses. */
export interface HttpClient {
  /** Reads a URL. Concurrent calls for one URL share one request. */
  readonly get: (url: string, signal: AbortSignal | undefined) => Promise<Reply>
  /** Posts a body as JSON. */
  readonly post: (url: string, body: object, signal: AbortSignal | undefined) => Promise<Reply>
}

/** Maximum length of an answer: of the largest document. */
const MOST_BYTES = 64 * 2 ** 20

/** Longest delay of `setTimeout`. With a longer one it fires at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1

interface Cached {
  readonly etag: string
  readonly body: unknown
}

interface Sending {
  readonly url: string
  readonly init: RequestInit
  readonly cached?: Cached | undefined
}

/**
 * Whether a request may carry `If-None-Match`. On a page, the header makes a request to another origin need a preflight,
 * which static hosts refuse. Nothing is lost, because the browser's cache revalidates by itself.
 */
const mayBeConditional = (url: string): boolean =>
  globalThis.location === undefined || new URL(url).origin === globalThis.location.origin

/** Creates an HTTP client that caches answers by ETag. */
export function httpClient(options: HttpOptions): HttpClient {
  const cache = lru<Cached>(options.cacheSize)
  const pending = new Map<string, ReturnType<typeof begin>>()

  async function read(url: string, controller: AbortController): Promise<Reply> {
    const cached = cache.get(url)
    const headers: Record<string, string> = { accept: 'application/json' }
    if (cached && mayBeConditional(url)) headers['if-none-match'] = cached.etag
    const reply = await sendInTime({ url, init: { headers }, cached }, controller, options)
    const { status, etag, body } = reply
    if (status === 200 && etag && body !== undefined) cache.put(url, { etag, body })
    return reply
  }

  const begin = (url: string, controller = new AbortController()) => ({
    reply: read(url, controller),
    controller,
    waiting: 0,
  })
  async function get(url: string, signal: AbortSignal | undefined): Promise<Reply> {
    signal?.throwIfAborted()
    const shared = pending.get(url) ?? begin(url)
    pending.set(url, shared)
    shared.waiting++
    try {
      return await unlessAborted(shared.reply, signal)
    } finally {
      // The last waiting call ends the request, which is complete or no longer wanted.
      if (--shared.waiting === 0) {
        pending.delete(url)
        shared.controller.abort()
      }
    }
  }

  async function post(url: string, body: object, signal: AbortSignal | undefined): Promise<Reply> {
    signal?.throwIfAborted()
    const controller = new AbortController()
    const init = {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }
    try {
      return await unlessAborted(sendInTime({ url, init }, controller, options), signal)
    } finally {
      controller.abort()
    }
  }

  return { get, post }
}

/** Sends a request within its time, and reports it when it has ended. */
async function sendInTime(
  sending: Sending,
  controller: AbortController,
  { fetch, timeoutMs, onRequest }: HttpOptions,
): Promise<Reply> {
  const timer = setTimeout(
    () => controller.abort(new TimeoutError(`no answer within ${timeoutMs} ms`)),
    Math.min(timeoutMs, LONGEST_TIMER_MS),
  )
  const { url, init } = sending
  const began = performance.now()
  let status: number | null = null
  try {
    // A custom `fetch` may ignore the signal.
    const reply = await unlessAborted(send(fetch, sending, controller.signal), controller.signal)
    status = reply.status
    return reply
  } finally {
    clearTimeout(timer)
    onRequest?.({ method: init.method ?? 'GET', url, status, ms: performance.now() - began })
  }
}

async function send(fetch: HttpOptions['fetch'], { url, init, cached }: Sending, signal: AbortSignal): Promise<Reply> {
  const response = await fetch(url, { ...init, signal })
  const retryAfterSeconds = secondsOf(response.headers.get('retry-after'))
  const etag = response.headers.get('etag')
  // A browser may revalidate by itself and report 200, so the ETag is compared too.
  if (cached && (response.status === 304 || (response.ok && etag === cached.etag))) {
    await response.body?.cancel()
    return { status: 200, body: cached.body, etag: cached.etag, retryAfterSeconds }
  }
  return { status: response.status, body: bodyIn(await textOf(response)), etag, retryAfterSeconds }
}

async function textOf(response: Response): Promise<string> {
  // A custom `fetch` may have texts and no streams.
  if (!response.body) return response.text()
  const bytes = await bytesIn(response.body, MOST_BYTES)
  if (bytes === null) throw new RangeError(`more than ${MOST_BYTES} bytes came`)
  return new TextDecoder().decode(bytes)
}

/** Returns the bytes of a stream; null as soon as they are more than `most`. */
export async function bytesIn(body: ReadableStream<Uint8Array> | null, most: number): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = []
  let length = 0
  const reader = body?.getReader()
  for (;;) {
    // eslint-disable-next-line no-await-in-loop -- a stream is read piece by piece
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
    if (done) break
    length += value.byteLength
    if (length > most) {
      void reader?.cancel().catch(() => {})
      return null
    }
    chunks.push(value)
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.byteLength
  }
  return bytes
}

function secondsOf(retryAfter: string | null): number | null {
  const seconds = Number(retryAfter ?? Number.NaN)
  return Number.isNaN(seconds) ? null : seconds
}

/** Levels of lists and objects in an answer, at most: code that walks down more of them runs out of stack. */
const MOST_LEVELS = 64

/** Freezes a value with everything in it. Returns how many levels it has. */
function freeze(value: unknown): number {
  let levels = 0
  for (let level = [value]; level.length > 0; levels++)
    level = level.flatMap((one) => (isObject(one) && !Object.isFrozen(one) ? Object.values(Object.freeze(one)) : []))
  return levels
}

/** Returns the value of a JSON text, frozen; undefined if it is not JSON, or has too many values or levels. */
function bodyIn(text: string): unknown {
  const body = parseJson(text)
  return freeze(body) > MOST_LEVELS ? undefined : body
}

/** Freezes a value with everything in it: callers share it. */
export function frozen<T>(value: T): T {
  freeze(value)
  return value
}

/** Settles as the promise does, or rejects with the reason of the signal if that aborts first. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
