import { pipeline, type Readable, type Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { Dispatcher } from 'undici'
import type { Reachability } from './reachability.ts'
import type { Facts } from './source.ts'
import { RegionError, SourceError, connectionFailure, endOf, untilAborted } from './source-error.ts'

export const HTTP_LIMITS = {
  connectMs: 10_000,
  /** From sending the request to the last header of the answer. */
  headersMs: 15_000,
  /** From the first to the last byte of the body, so that a slow body ends too. */
  bodyMs: 30_000,
  maxBytes: 64 * 2 ** 20,
  maxRatio: 200,
  retries: 3,
  /** Longest wait before the first retry. It doubles with each retry, up to `maxBackoffMs`. */
  backoffMs: 500,
  maxBackoffMs: 15_000,
  redirects: 3,
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
  readonly network?: Pick<Reachability, 'asked' | 'answered'> | undefined
  /** Counts the bytes of bodies. @throws SourceError if the volume of the source is exceeded */
  readonly meter: Readonly<Record<'received' | 'decoded', (bytes: number) => void>>
}

type Outcome =
  | { readonly kind: 'answered'; readonly text: string }
  | { readonly kind: 'moved'; readonly path: string }
  | { readonly kind: 'failed'; readonly error: SourceError; readonly isTransient: boolean; readonly waitMs: number }

const MOST_PATH = 100

/** Returns the name of an answer in errors: host and path, without the query, which may hold a key. */
export function nameOf(source: Facts, path: string): string {
  const [own = ''] = path.split('?')
  return source.host + (own.length > MOST_PATH ? `${own.slice(0, MOST_PATH)}…` : own)
}

/** Returns the URL and headers of a request. A key is only sent to the host of the source, never to a gateway. */
export function requestOf(path: string, context: Pick<RequestContext, 'source' | 'upstream' | 'userAgent'>) {
  const { source, upstream, userAgent } = context
  const key = upstream === null && source.key ? { [source.key.header]: source.key.value } : {}
  const base = upstream === null ? 'https:/' : upstream.href.replace(/\/$/, '')
  return {
    url: new URL(`${base}/${source.host}${path}`),
    headers: { accept: 'application/json', 'accept-encoding': ACCEPT_ENCODING, 'user-agent': userAgent, ...key },
  }
}

export async function send(path: string, context: RequestContext): Promise<Outcome> {
  const { limits } = context
  const name = nameOf(context.source, path)
  // The timers of undici only tick once a second.
  const late = new AbortController()
  const giveUp = (why: string) => late.abort(new SourceError('source_timeout', `${name}: ${why}`))
  const signal = AbortSignal.any([late.signal, context.ended])
  let timer = setTimeout(giveUp, limits.headersMs, `no answer within ${limits.headersMs} ms`)
  try {
    const { url, headers } = requestOf(path, context)
    const request = { origin: url.origin, path: url.pathname + url.search, method: 'GET', headers, signal } as const
    context.network?.asked()
    const response = await untilAborted(context.agent.request(request), signal)
    context.network?.answered()
    clearTimeout(timer)
    timer = setTimeout(giveUp, limits.bodyMs, `no whole answer within ${limits.bodyMs} ms`)
    return await outcomeOf(path, response, context)
  } catch (cause) {
    if (context.ended.aborted) return failed(endOf(context.ended, name, cause))
    if (cause instanceof SourceError) return failed(cause, cause.code === 'source_timeout')
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    if (code === '') throw cause
    const isSlow = code === 'UND_ERR_CONNECT_TIMEOUT'
    const why = isSlow ? 'no connection in time' : connectionFailure(code)
    return failed(new SourceError(isSlow ? 'source_timeout' : 'source_unreachable', `${name}: ${why}`, { cause }), true)
  } finally {
    clearTimeout(timer)
  }
}

const failed = (error: SourceError, isTransient = false, waitMs = 0): Outcome => {
  return { kind: 'failed', error, isTransient, waitMs }
}

const ERROR_BYTES = 64 * 2 ** 10

const REDIRECTS = new Set([301, 302, 303, 307, 308])

async function outcomeOf(path: string, response: Dispatcher.ResponseData, context: RequestContext): Promise<Outcome> {
  const { statusCode: status, headers, body } = response
  const { source, limits, meter } = context
  const name = nameOf(source, path)
  const encoding = String(headers['content-encoding'] ?? '')
    .trim()
    .toLowerCase()
  const read = (maxBytes: number) => textOf(body, { encoding, name, meter, limits: { ...limits, maxBytes } })
  if (status >= 200 && status < 300) return { kind: 'answered', text: await read(limits.maxBytes) }
  const message = `${name}: HTTP ${status}`
  if (status === 403) {
    // Bybit answers 403 "access too frequent" for ten minutes. A 403 of any other source is final.
    const isRateLimit = /too (frequent|many)|rate limit/i.test(await read(ERROR_BYTES))
    return failed(new SourceError(isRateLimit ? 'source_rate_limited' : 'source_invalid', message))
  }
  await body.dump({ limit: ERROR_BYTES })
  if (!REDIRECTS.has(status))
    return failureOf(status, message, restOf(String(headers['retry-after'] ?? ''), String(headers.date ?? '')))
  const target = pathOnSameHost(source, path, String(headers.location ?? ''))
  return target === null
    ? failed(new SourceError('source_invalid', `${message} to no path of this host`))
    : { kind: 'moved', path: target }
}

function failureOf(status: number, message: string, waitMs: number): Outcome {
  const error = (code: SourceError['code']) => new SourceError(code, message)
  if (status === 451)
    return failed(new RegionError('source_unreachable', `${message}, it refuses addresses of this region`))
  if (status === 429) return failed(error('source_rate_limited'), true, waitMs)
  // Binance: 418 is a ban that each further request prolongs. CoinPaprika: 402 is a plan that is used up or too small.
  if (status === 418 || status === 402) return failed(error('source_rate_limited'))
  if (status === 408 || status >= 500) return failed(error('source_unreachable'), true, waitMs)
  return failed(error('source_invalid'))
}

export function pathOnSameHost(source: Facts, path: string, location: string): string | null {
  const here = `https://${source.host}${path}`
  if (location === '' || !URL.canParse(location, here)) return null
  const { origin, pathname, search } = new URL(location, here)
  return origin === `https://${source.host}` ? pathname + search : null
}

/** Returns Retry-After in ms, 0 without one. A date (RFC 9110, 10.2.3) is relative to the host's clock. */
export function restOf(retryAfter: string, date: string): number {
  if (/^\s*\d+\s*$/.test(retryAfter)) return Number(retryAfter) * 1000
  const ms = Date.parse(retryAfter) - Date.parse(date)
  return ms > 0 ? ms : 0
}

/** Up to this size every ratio is allowed: a page of spaces compresses a thousandfold. */
const HARMLESS_BYTES = 2 ** 20

const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['br', createBrotliDecompress],
  ['deflate', createInflate],
])

const ACCEPT_ENCODING = 'gzip, br, deflate'

// Error codes of zlib (Z_DATA_ERROR) and brotli (ERR_PADDING_1). A lost connection is UND_ERR_* or E*.
const UNDECODABLE = /^(Z_|ERR_)/

async function textOf(
  body: Readable,
  { encoding, name, limits, meter }: Pick<RequestContext, 'limits' | 'meter'> & { encoding: string; name: string },
): Promise<string> {
  // An aborted body emits an error (undici: RequestAbortedError), and an `error` event without a listener ends the process.
  body.on('error', () => {})
  const decoder = DECODERS.get(encoding)
  if (decoder === undefined && encoding !== '' && encoding !== 'identity') {
    body.destroy()
    throw new SourceError('source_invalid', `${name}: unknown content encoding`)
  }

  let arrived = 0
  async function* measured(parts: AsyncIterable<Buffer>) {
    for await (const part of parts) {
      arrived += part.length
      meter.received(part.length)
      yield part
    }
  }
  // No callback is needed: an error of any stage ends the last one, and so the loop below.
  const decoded = decoder ? pipeline(body, measured, decoder(), () => {}) : measured(body)

  const parts: Buffer[] = []
  let size = 0
  try {
    for await (const part of decoded) {
      parts.push(part)
      size += part.length
      meter.decoded(part.length)
      if (size > limits.maxBytes) throw new SourceError('source_invalid', `${name}: more than ${limits.maxBytes} bytes`)
      if (size > HARMLESS_BYTES && size > arrived * limits.maxRatio)
        throw new SourceError('source_invalid', `${name}: packed more than ${limits.maxRatio} to 1`)
    }
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    throw UNDECODABLE.test(code) ? new SourceError('source_invalid', `${name}: undecodable body`, { cause }) : cause
  }
  return Buffer.concat(parts).toString()
}
