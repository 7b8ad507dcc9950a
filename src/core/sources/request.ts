import { type ZlibOptions, brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import type { Dispatcher } from 'undici'
import type { Facts } from './source.ts'
import { RegionError, SourceError, connectionFailure, endOf, untilAborted } from './source-error.ts'

export const HTTP_LIMITS = {
  connectMs: 10_000,
  /** From sending the request to the last header of the answer. */
  headersMs: 15_000,
  /** From the first to the last byte of the body, so that a slow body ends too. */
  bodyMs: 30_000,
  retries: 3,
  /** Longest wait before the first retry. It doubles with each retry, up to `maxBackoffMs`. */
  backoffMs: 500,
  maxBackoffMs: 15_000,
}
export type HttpLimits = Readonly<typeof HTTP_LIMITS>

export interface RequestContext {
  readonly source: Facts
  /** Gateway to send all requests to, as `<upstream>/<host><path>`; null: none. */
  readonly upstream: URL | null
  readonly userAgent: string
  readonly limits: HttpLimits
  readonly agent: Dispatcher
  readonly ended: AbortSignal
  readonly network?: Pick<ReturnType<typeof reachability>, 'asked' | 'answered'> | undefined
  /** Counts the bytes of bodies, as received and against the volume of the source, of which some are `left`. */
  readonly meter: {
    received(bytes: number): void
    /** @throws SourceError if the volume is exceeded */
    spend(bytes: number): void
    left(): number
  }
}

/** Time from the first request of a run in which one host at least must answer. */
export const NO_ANSWER_MS = 6_000
/** After a long pause of the process, answers that have arrived are read first. */
const GRACE_MS = 250

export function reachability() {
  const none = new AbortController()
  let timer: NodeJS.Timeout | null = null
  let isReached = false
  const giveUp = () =>
    none.abort(new SourceError('source_unreachable', `no host answered within ${NO_ANSWER_MS / 1000} s`))
  return {
    /** Aborts with `source_unreachable` if no host answers in time: without a network, no retry helps. */
    signal: none.signal,
    asked(): void {
      if (!isReached) timer ??= setTimeout(() => (timer = setTimeout(giveUp, GRACE_MS)), NO_ANSWER_MS)
    },
    answered(): void {
      isReached = true
      if (timer) clearTimeout(timer)
    },
  }
}

const MOST_PATH = 100

/** Returns the name of an answer in errors: host and path, without the query, which may hold a key. */
export function nameOf({ host }: Pick<Facts, 'host'>, path: string): string {
  const [own = ''] = path.split('?')
  return host + (own.length > MOST_PATH ? `${own.slice(0, MOST_PATH)}…` : own)
}

/** Returns the URL and headers of a request. A key is only sent to the host of the source, never to a gateway. */
export function requestOf(path: string, context: Pick<RequestContext, 'source' | 'upstream' | 'userAgent'>) {
  const { source, upstream, userAgent } = context
  const key = upstream === null && source.key ? { [source.key.header]: source.key.value } : {}
  const base = upstream === null ? 'https:/' : upstream.href.replace(/\/$/, '')
  return {
    url: new URL(`${base}/${source.host}${path}`),
    headers: { accept: 'application/json', 'accept-encoding': 'gzip, br, deflate', 'user-agent': userAgent, ...key },
  }
}

/** Returns the text of an answer. A redirect is none: a source is asked at its own path alone. @throws SourceError */
export async function send(path: string, context: RequestContext): Promise<string> {
  const { limits, ended, network } = context
  const name = nameOf(context.source, path)
  // The timers of undici only tick once a second.
  const late = new AbortController()
  const giveUp = (why: string) => late.abort(new SourceError('source_timeout', `${name}: ${why}`, { retryMs: 0 }))
  const signal = AbortSignal.any([late.signal, ended])
  let timer = setTimeout(giveUp, limits.headersMs, `no answer within ${limits.headersMs} ms`)
  try {
    const { url, headers } = requestOf(path, context)
    const request = { origin: url.origin, path: url.pathname + url.search, method: 'GET', headers, signal } as const
    network?.asked()
    const response = await untilAborted(context.agent.request(request), signal, name)
    network?.answered()
    clearTimeout(timer)
    timer = setTimeout(giveUp, limits.bodyMs, `no whole answer within ${limits.bodyMs} ms`)
    return await answerIn(path, response, context)
  } catch (cause) {
    if (ended.aborted) throw endOf(ended, name, cause)
    if (cause instanceof SourceError) throw cause
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    if (code === '') throw cause
    const isSlow = code === 'UND_ERR_CONNECT_TIMEOUT'
    const why = isSlow ? 'no connection in time' : connectionFailure(code)
    throw new SourceError(isSlow ? 'source_timeout' : 'source_unreachable', `${name}: ${why}`, { cause, retryMs: 0 })
  } finally {
    clearTimeout(timer)
  }
}

async function answerIn(path: string, response: Dispatcher.ResponseData, { source, meter }: RequestContext) {
  const { statusCode: status, headers, body } = response
  const name = nameOf(source, path)
  const message = `${name}: HTTP ${status}`
  const header = (name: string) => String(headers[name] ?? '')
  if (status >= 200 && status < 300) return textOf(response, name, meter)
  if (status === 403) {
    // Bybit answers 403 "access too frequent" for ten minutes. A 403 of any other source is final.
    const isRateLimit = /too (frequent|many)|rate limit/i.test(await textOf(response, name, meter))
    throw new SourceError(isRateLimit ? 'source_rate_limited' : 'source_invalid', message)
  }
  await body.dump()
  throw failureOf(status, message, restOf(header('retry-after'), header('date')))
}

function failureOf(status: number, message: string, retryMs: number): SourceError {
  if (status === 451) return new RegionError('source_unreachable', `${message}, it refuses addresses of this region`)
  if (status === 429) return new SourceError('source_rate_limited', message, { retryMs })
  // Binance: 418 is a ban that each further request prolongs. CoinPaprika: 402 is a plan that is used up or too small.
  if (status === 418 || status === 402) return new SourceError('source_rate_limited', message)
  if (status === 408 || status >= 500) return new SourceError('source_unreachable', message, { retryMs })
  return new SourceError('source_invalid', message)
}

/** Returns Retry-After in ms, 0 without one. A date (RFC 9110, 10.2.3) is relative to the host's clock. */
export function restOf(retryAfter: string, date: string): number {
  if (/^\s*\d+\s*$/.test(retryAfter)) return Number(retryAfter) * 1000
  const ms = Date.parse(retryAfter) - Date.parse(date)
  return ms > 0 ? ms : 0
}

const DECODERS: ReadonlyMap<string, (bytes: Buffer, options: ZlibOptions) => Buffer> = new Map([
  ['identity', (bytes: Buffer) => bytes],
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['br', brotliDecompressSync],
  ['deflate', inflateSync],
])

async function textOf({ headers, body }: Dispatcher.ResponseData, name: string, meter: RequestContext['meter']) {
  const fail = (why: string, cause?: unknown) => new SourceError('source_invalid', `${name}: ${why}`, { cause })
  // An aborted body emits an error (undici: RequestAbortedError), and an `error` event without a listener ends the process.
  body.on('error', () => {})
  const encoding = String(headers['content-encoding'] || 'identity')
  const decode = DECODERS.get(encoding.trim().toLowerCase())
  if (!decode) {
    body.destroy()
    throw fail('unknown content encoding')
  }
  const most = Math.max(1, meter.left())
  const parts: Buffer[] = []
  let size = 0
  for await (const part of body) {
    parts.push(part)
    size += part.length
    meter.received(part.length)
    if (size > most) meter.spend(size)
  }
  let decoded: Buffer
  try {
    decoded = decode(Buffer.concat(parts), { maxOutputLength: most })
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ERR_BUFFER_TOO_LARGE') meter.spend(most + 1)
    throw fail('undecodable body', cause)
  }
  meter.spend(decoded.length)
  return decoded.toString()
}
