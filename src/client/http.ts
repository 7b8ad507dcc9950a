import { isObject, parseJson } from '../core/contract/read-json.ts'
import { lru } from '../core/contract/lru.ts'

export interface HttpReply {
  readonly status: number
  /** Undefined if it is not JSON. */
  readonly body: unknown
  readonly etag: string | null
  readonly retryAfterSeconds: number | null
}

export type HttpClient = ReturnType<typeof httpClient>

type Cached = Readonly<{ etag: string; body: unknown }>

/** Maximum length of an answer: of the largest document. */
const MOST_BYTES = 64 * 2 ** 20
const KEPT_ANSWERS = 100
/** Longest delay of a timer. With a longer one it fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

/**
 * Whether a request may carry `If-None-Match`. On a page, the header makes a request to another origin need a preflight,
 * which static hosts refuse. Nothing is lost, because the browser's cache revalidates by itself.
 */
const mayBeConditional = (url: string): boolean =>
  globalThis.location === undefined || new URL(url).origin === globalThis.location.origin

/** Creates an HTTP client that caches answers by ETag. */
export function httpClient(fetch: typeof globalThis.fetch, timeoutMs: number) {
  const cache = lru<Cached>(KEPT_ANSWERS)
  const pending = new Map<string, ReturnType<typeof begin>>()

  function send(url: string, init: RequestInit, aborted: AbortSignal, cached?: Cached): Promise<HttpReply> {
    const signal = AbortSignal.any([aborted, AbortSignal.timeout(Math.min(timeoutMs, LONGEST_TIMER_MS))])
    const reply = fetch(url, { ...init, signal }).then((response) => replyOf(response, cached))
    // A custom `fetch` may ignore the signal.
    return unlessAborted(reply, signal)
  }

  async function read(url: string, aborted: AbortSignal): Promise<HttpReply> {
    const cached = cache.get(url)
    const headers: Record<string, string> = { accept: 'application/json' }
    if (cached && mayBeConditional(url)) headers['if-none-match'] = cached.etag
    const reply = await send(url, { headers }, aborted, cached)
    const { status, etag, body } = reply
    if (status === 200 && etag && body !== undefined) cache.put(url, { etag, body })
    return reply
  }

  function begin(url: string) {
    const end = new AbortController()
    return { reply: read(url, end.signal), end, waiting: 0 }
  }

  return {
    async get(url: string, signal: AbortSignal | undefined): Promise<HttpReply> {
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
          shared.end.abort()
        }
      }
    },
    async post(url: string, body: object, signal: AbortSignal = new AbortController().signal): Promise<HttpReply> {
      signal.throwIfAborted()
      const headers = { accept: 'application/json', 'content-type': 'application/json' }
      return send(url, { method: 'POST', headers, body: JSON.stringify(body) }, signal)
    },
  }
}

async function replyOf(response: Response, cached: Cached | undefined): Promise<HttpReply> {
  const { status, ok, headers } = response
  const etag = headers.get('etag')
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN)
  const retryAfterSeconds = Number.isNaN(retryAfter) ? null : retryAfter
  // A browser may revalidate by itself and report 200, so the ETag is compared too.
  if (cached && (status === 304 || (ok && etag === cached.etag))) {
    await response.body?.cancel()
    return { status: 200, ...cached, retryAfterSeconds }
  }
  const body = parseJson(await textOf(response))
  return { status, body: freeze(body) > MOST_LEVELS ? undefined : body, etag, retryAfterSeconds }
}

/** Returns the text of a response. @throws RangeError if it is longer than any document */
function textOf(response: Response): Promise<string> {
  // A custom `fetch` may have texts and no streams.
  if (!response.body) return response.text()
  let length = 0
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, stream) {
      length += chunk.byteLength
      if (length > MOST_BYTES) throw new RangeError(`more than ${MOST_BYTES} bytes came`)
      stream.enqueue(chunk)
    },
  })
  return new Response(response.body.pipeThrough(counted)).text()
}

/** Levels of lists and objects in an answer, at most: code that walks down more of them runs out of stack. */
const MOST_LEVELS = 64

/** Freezes a value with everything in it: callers share it. Returns how many levels it has. */
export function freeze(value: unknown): number {
  let levels = 0
  for (let level = [value]; level.length > 0; levels++)
    level = level.flatMap((one) => (isObject(one) && !Object.isFrozen(one) ? Object.values(Object.freeze(one)) : []))
  return levels
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
