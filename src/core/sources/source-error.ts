import type { Ms } from '../contract/time.ts'
import type { SourceErrorCode } from '../contract/words.ts'

/** The failure of one source. `code` and `message` are published: no key, no body and no URL with a query. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
  readonly code: SourceErrorCode
  /** The least time until the same request may succeed; null: it will not. */
  readonly retryMs: Ms | null

  constructor(code: SourceErrorCode, message: string, options: ErrorOptions & { readonly retryMs?: Ms } = {}) {
    super(message, options)
    this.code = code
    this.retryMs = options.retryMs ?? null
  }
}

export const connectionFailure = (code: string): string =>
  code === 'ENOTFOUND' || code === 'EAI_AGAIN'
    ? `the name of the host was not found (${code})`
    : `connection failed (${code})`

/** The refusal of a host to answer addresses of this region (HTTP 451), which asking again does not change. */
export class RegionError extends SourceError {}

export const endOf = ({ reason }: AbortSignal, name: string, cause?: unknown): SourceError =>
  reason instanceof SourceError
    ? reason
    : new SourceError('source_timeout', `${name}: aborted at the end of the run`, { cause })

/** Waits until the signal aborts. undici does not end the CONNECT to a proxy then, only what comes after it. */
export async function untilAborted<Result>(result: Promise<Result>, signal: AbortSignal, name: string) {
  const settled = new AbortController()
  const aborted = new Promise<never>((_, reject) => {
    // One turn of the event loop later, because what is aborted may still return what it has.
    const end = () => setImmediate(reject, endOf(signal, name))
    if (signal.aborted) end()
    else signal.addEventListener('abort', end, { once: true, signal: settled.signal })
  })
  try {
    return await Promise.race([result, aborted])
  } finally {
    settled.abort()
  }
}
