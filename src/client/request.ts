import { recent } from './recent.ts'

/** What came back from an address. */
export interface Reply {
  readonly status: number
  /** Undefined where it was no JSON. */
  readonly body: unknown
  readonly retryAfterSeconds: number | null
}

/** Says that an address took too long. */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError'
}

/** What is needed to exchange. */
export interface Wire {
  readonly fetch: typeof globalThis.fetch
  readonly timeoutMs: number
  /** How many answers are kept. */
  readonly cacheSize: number
}

/** Asks addresses. */
export interface Exchange {
  /** What stands at an address. Calls for one that is asked already wait for the same reply. */
  readonly get: (url: string, signal: AbortSignal | undefined) => Promise<Reply>
  /** Sends JSON to an address. */
  readonly post: (
    url: string,
    body: object,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ) => Promise<Reply>
}

/** A timer that is set for longer goes off at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

interface Known {
  readonly etag: string
  readonly body: unknown
}

interface Shared {
  readonly reply: Promise<Reply>
  readonly stop: AbortController
  waiting: number
}

/**
 * Whether a request may carry `If-None-Match`. To another origin, a page that sends it must ask leave first, and hosts of
 * files give none. Nothing is lost: there the browser's own cache sends the header.
 */
const mayBeConditional = (url: string): boolean =>
  globalThis.location === undefined || new URL(url).origin === globalThis.location.origin

/** Exchanges over a wire. */
export function exchangeOver({ fetch, timeoutMs, cacheSize }: Wire): Exchange {
  const cache = recent<Known>(cacheSize)
  const underWay = new Map<string, Shared>()

  async function send(url: string, init: RequestInit, known: Known | undefined, stop: AbortSignal): Promise<Reply> {
    const response = await fetch(url, { ...init, signal: stop })
    const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
    const retryAfterSeconds = Number.isNaN(retryAfter) ? null : retryAfter
    const etag = response.headers.get('etag')
    // A browser may have asked by itself; the tag says that it is what is known.
    const isKnown = known && (response.status === 304 || (response.ok && etag === known.etag))
    if (isKnown) {
      await response.body?.cancel()
      return { status: 200, body: known.body, retryAfterSeconds }
    }
    const body = jsonOf(await response.text())
    if (response.status === 200 && etag && body !== undefined && init.method === undefined)
      cache.put(url, { etag, body })
    return { status: response.status, body, retryAfterSeconds }
  }

  async function timed(
    url: string,
    init: RequestInit,
    known: Known | undefined,
    stop: AbortController,
  ): Promise<Reply> {
    const timer = setTimeout(
      () => stop.abort(new TimeoutError(`no answer within ${timeoutMs} ms`)),
      Math.min(timeoutMs, LONGEST_TIMER_MS),
    )
    try {
      // A `fetch` of one's own may not heed the signal.
      return await unlessAborted(send(url, init, known, stop.signal), stop.signal)
    } finally {
      clearTimeout(timer)
    }
  }

  function begin(url: string): Shared {
    const known = cache.get(url)
    const headers: Record<string, string> = { accept: 'application/json' }
    if (known && mayBeConditional(url)) headers['if-none-match'] = known.etag
    const stop = new AbortController()
    return { reply: timed(url, { headers }, known, stop), stop, waiting: 0 }
  }

  async function get(url: string, signal: AbortSignal | undefined): Promise<Reply> {
    signal?.throwIfAborted()
    const shared = underWay.get(url) ?? begin(url)
    underWay.set(url, shared)
    shared.waiting++
    try {
      return await unlessAborted(shared.reply, signal)
    } finally {
      // Whoever goes last ends it: there is a reply, or nobody waits for one any more.
      if (--shared.waiting === 0) {
        underWay.delete(url)
        shared.stop.abort()
      }
    }
  }

  async function post(
    url: string,
    body: object,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal | undefined,
  ): Promise<Reply> {
    signal?.throwIfAborted()
    const stop = new AbortController()
    const init = {
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    }
    try {
      return await unlessAborted(timed(url, init, undefined, stop), signal)
    } finally {
      stop.abort()
    }
  }

  return { get, post }
}

/** What a promise comes to, unless a signal ends the wait first. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
