import type { Agent, Dispatcher } from 'undici'
import { ACCEPT_ENCODING, textOf, type BodyLimits, type Meter } from './body.ts'
import type { Facts } from './source.ts'
import { SourceError } from './source-error.ts'

export interface ExchangeLimits extends BodyLimits {
  /** From the sending of a request to the last header of its answer. */
  readonly headersMs: number
  /** From the first to the last byte of a body: a host that drips is as silent as one that stalls. */
  readonly bodyMs: number
}

/** What every request to one host has in common. */
export interface Line {
  readonly source: Facts
  /** A gateway that stands in for every host: it is asked `<upstream>/<host><path>`. */
  readonly upstream: URL | null
  readonly userAgent: string
  readonly limits: ExchangeLimits
  readonly agent: Agent
  /** Fires when nothing more is to be asked. */
  readonly ended: AbortSignal
  readonly meter: Meter
}

/** What became of one request: the text asked for, the path to ask instead, or a failure and whether to ask again. */
export type Outcome =
  | { readonly kind: 'answered'; readonly text: string }
  | { readonly kind: 'moved'; readonly path: string }
  | { readonly kind: 'failed'; readonly error: SourceError; readonly again: boolean; readonly waitMs: number }

/** What errors call an answer: host and path, without the query, which is nobody's business. */
export const nameOf = (source: Facts, path: string): string => source.host + (path.split('?')[0] ?? '')

/** Where a request goes and what it carries. A gateway is another host, and a key is sent to no other host. */
export function requestOf(path: string, line: Pick<Line, 'source' | 'upstream' | 'userAgent'>) {
  const { source, upstream, userAgent } = line
  const key = upstream === null && source.key ? { [source.key.header]: source.key.value } : {}
  const base = upstream === null ? 'https:/' : upstream.href.replace(/\/$/, '')
  return {
    url: new URL(`${base}/${source.host}${path}`),
    headers: { accept: 'application/json', 'accept-encoding': ACCEPT_ENCODING, 'user-agent': userAgent, ...key },
  }
}

/** One request and its answer, within the time limits. Throws nothing but bugs. */
export async function exchange(path: string, line: Line): Promise<Outcome> {
  const { limits } = line
  const name = nameOf(line.source, path)
  // Time limits of our own are exact; undici's tick once a second.
  const late = new AbortController()
  const giveUp = (why: string) => late.abort(new SourceError('source_timeout', `${name}: ${why}`))
  const signal = AbortSignal.any([late.signal, line.ended])
  let timer = setTimeout(giveUp, limits.headersMs, `no answer within ${limits.headersMs} ms`)
  try {
    const { url, headers } = requestOf(path, line)
    const response = await line.agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'GET',
      headers,
      signal,
    })
    clearTimeout(timer)
    timer = setTimeout(giveUp, limits.bodyMs, `no whole answer within ${limits.bodyMs} ms`)
    return await outcomeOf(path, response, line)
  } catch (cause) {
    if (line.ended.aborted) return failed('source_timeout', `${name}: aborted at the end of the run`, { cause })
    if (cause instanceof SourceError)
      return { kind: 'failed', error: cause, again: cause.code === 'source_timeout', waitMs: 0 }
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    if (code === '') throw cause
    const slow = code === 'UND_ERR_CONNECT_TIMEOUT'
    const why = slow ? 'no connection in time' : `connection failed (${code})`
    return failed(slow ? 'source_timeout' : 'source_unreachable', `${name}: ${why}`, { cause, again: true })
  } finally {
    clearTimeout(timer)
  }
}

const failed = (
  code: SourceError['code'],
  message: string,
  { again = false, waitMs = 0, cause }: { again?: boolean; waitMs?: number; cause?: unknown } = {},
): Outcome => ({ kind: 'failed', error: new SourceError(code, message, { cause }), again, waitMs })

/** Most bytes of a refusal that are read. */
const REFUSAL_BYTES = 64 * 2 ** 10

async function outcomeOf(path: string, response: Dispatcher.ResponseData, line: Line): Promise<Outcome> {
  const { statusCode: status, headers, body } = response
  const { source, limits, meter } = line
  const name = nameOf(source, path)
  const said = `${name}: HTTP ${status}`
  const encoding = String(headers['content-encoding'] ?? '')
    .trim()
    .toLowerCase()
  if (status >= 200 && status < 300)
    return { kind: 'answered', text: await textOf(body, encoding, name, limits, meter) }
  if (status === 403) {
    // Bybit: 403 "access too frequent" for ten minutes. From everyone else 403 is what it says.
    const text = await textOf(body, encoding, name, { ...limits, maxBytes: REFUSAL_BYTES }, meter)
    return failed(/too (frequent|many)|rate limit/i.test(text) ? 'source_rate_limited' : 'source_invalid', said)
  }
  await body.dump({ limit: REFUSAL_BYTES })

  if ([301, 302, 303, 307, 308].includes(status)) {
    const moved = pathOnSameHost(source, path, String(headers.location ?? ''))
    return moved === null ? failed('source_invalid', `${said} to no path of this host`) : { kind: 'moved', path: moved }
  }
  const waitMs = restOf(String(headers['retry-after'] ?? ''), String(headers.date ?? ''))
  if (status === 429) return failed('source_rate_limited', said, { again: true, waitMs })
  // Binance: 418 is a ban that grows with every further request. CoinPaprika: 402 is a plan used up or too small.
  if (status === 418 || status === 402) return failed('source_rate_limited', said)
  if (status === 408 || status >= 500) return failed('source_unreachable', said, { again: true, waitMs })
  return failed('source_invalid', said)
}

/** The path a redirect leads to, or null when it leads nowhere, to another host or out of https. */
export function pathOnSameHost(source: Facts, path: string, location: string): string | null {
  const here = `https://${source.host}${path}`
  if (location === '' || !URL.canParse(location, here)) return null
  const { origin, pathname, search } = new URL(location, here)
  return origin === `https://${source.host}` ? pathname + search : null
}

/** Retry-After in ms: seconds or a date (RFC 9110, 10.2.3), a date read by the host's own clock. 0: it says nothing. */
export function restOf(retryAfter: string, date: string): number {
  if (/^\s*\d+\s*$/.test(retryAfter)) return Number(retryAfter) * 1000
  const ms = Date.parse(retryAfter) - Date.parse(date)
  return ms > 0 ? ms : 0
}
