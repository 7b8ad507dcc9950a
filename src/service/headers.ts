import { parseAccept } from 'hono/utils/accept'
import { sha256 } from '../core/contract/web-digest.ts'

export const EVERY_ANSWER: Readonly<Record<string, string>> = {
  'content-type': 'application/json; charset=utf-8',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag',
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
  vary: 'Accept-Encoding',
}

/** Of answers with more headers to read than those of a document: it would be the longest of each poll. */
export const EXPOSES_MORE = {
  'access-control-expose-headers': 'ETag, Retry-After, Location, Allow, Accept-Ranges, Content-Range',
}

/** Headers of answers whose form depends on the `Accept` header. */
export const BY_ACCEPT = { vary: `Accept, ${EVERY_ANSWER['vary']}` }

export const DOCUMENT_CACHE = 'public, max-age=60, s-maxage=300, stale-while-revalidate=600, stale-if-error=86400'

/** Returns the response of a text of a time, JSON by default. */
export async function textResponse(
  text: string,
  time: string | number,
  more: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const [etag, at] = [`"${(await sha256(text)).slice(0, 32)}"`, new Date(time).toUTCString()]
  const headers = { ...EVERY_ANSWER, etag, 'last-modified': at, 'cache-control': DOCUMENT_CACHE, ...more }
  return new Response(text, { headers })
}

export interface Reply {
  /** Equal for equal answers of one publication: a host with memory keeps the answer under it. Without one, it does not. */
  readonly name?: string | undefined
  readonly respond: () => Promise<Response>
}

/** Browsers may cache preflights for a day. */
const PREFLIGHT_MAX_AGE = '86400'

/** Answers a preflight: the methods of a path, and the headers that requests may have besides conditional ones. */
export const preflight = (methods: readonly string[], headers: string): Response =>
  new Response(null, {
    status: 204,
    headers: {
      ...EVERY_ANSWER,
      allow: methods.join(', '),
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers': `${headers}, If-None-Match, If-Modified-Since`,
      'access-control-max-age': PREFLIGHT_MAX_AGE,
    },
  })

/** Whether an If-None-Match header names this entity tag: weak comparison, RFC 9110 section 13.1.2. */
export function namesTag(header: string, etag: string): boolean {
  if (header.trim() === '*') return true
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  return header.split(',').some((tag) => opaque(tag) === opaque(etag))
}

/** Evaluates the conditional headers of a request: RFC 9110 section 13.2.2, If-None-Match before If-Modified-Since. */
export function isUnchanged(
  conditions: { readonly 'if-none-match'?: string | undefined; readonly 'if-modified-since'?: string | undefined },
  etag: string,
  lastModified: string,
): boolean {
  const tags = conditions['if-none-match']
  if (tags !== undefined) return namesTag(tags, etag)
  const time = Date.parse(conditions['if-modified-since'] ?? '')
  return !Number.isNaN(time) && Date.parse(lastModified) <= time
}

export interface Delivering {
  /** Answers a read with what the host keeps. By default, nothing is kept. */
  readonly deliver?: (reply: Reply) => Promise<Response>
}

/** Answers a read. A client that has the answer already gets a 304 in its place, with the headers of the 200. */
export async function delivered({ deliver }: Delivering, request: Request, reply: Reply): Promise<Response> {
  if (deliver) return deliver(reply)
  const response = await reply.respond()
  const { status, headers } = response
  const etag = headers.get('etag')
  const conditions = Object.fromEntries(request.headers)
  return status === 200 && etag !== null && isUnchanged(conditions, etag, headers.get('last-modified') ?? '')
    ? new Response(null, { status: 304, headers })
    : response
}

/** Returns the weights of a header such as `br;q=0.5, *` by name in lower case (RFC 9110 section 12.4.2). */
export const weightsIn = (header: string): ReadonlyMap<string, number> =>
  new Map(parseAccept(header).map(({ type, q }) => [type.toLowerCase(), q]))

/** Whether an `Accept` header prefers CSV to JSON (RFC 9110 section 12.5.1). Of two equal weights, JSON is preferred. */
export function prefersCsv(accept: string): boolean {
  const weights = weightsIn(accept)
  const weight = (type: string, group: string) => weights.get(type) ?? weights.get(group) ?? weights.get('*/*') ?? 0
  return weight('text/csv', 'text/*') > weight('application/json', 'application/*')
}
