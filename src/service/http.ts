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
const EXPOSES_MORE = {
  'access-control-expose-headers': 'ETag, Retry-After, Location, Allow, Accept-Ranges, Content-Range',
}

/** Headers of answers that nothing keeps. */
export const NOT_STORED = { ...EVERY_ANSWER, ...EXPOSES_MORE, 'cache-control': 'no-store' }

/** Headers of answers whose form depends on the `Accept` header. */
export const BY_ACCEPT = { vary: `Accept, ${EVERY_ANSWER['vary']}` }

export const DOCUMENT_CACHE = 'public, max-age=60, s-maxage=300, stale-while-revalidate=600, stale-if-error=86400'

export async function textResponse(text: string, time: string | number, more: Readonly<Record<string, string>> = {}) {
  const [etag, at] = [`"${(await sha256(text)).slice(0, 32)}"`, new Date(time).toUTCString()]
  const headers = { ...EVERY_ANSWER, etag, 'last-modified': at, 'cache-control': DOCUMENT_CACHE, ...more }
  return new Response(text, { headers })
}

export interface Reply {
  /** Equal for equal answers of one publication: a host with memory keeps the answer under it. Without one, it does not. */
  readonly name?: string | undefined
  /** Whether the target of a request has the same answer until the next publication. */
  readonly repeats?: boolean
  readonly respond: () => Promise<Response>
}

/** Answers a preflight: the methods of a path, and the headers that requests may have besides conditional ones. */
export const preflight = (methods: readonly string[], headers: string): Response =>
  new Response(null, {
    status: 204,
    headers: {
      ...EVERY_ANSWER,
      allow: methods.join(', '),
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers': `${headers}, If-None-Match, If-Modified-Since`,
      // A day.
      'access-control-max-age': '86400',
    },
  })

/** Whether an If-None-Match header names this entity tag: weak comparison, RFC 9110 section 13.1.2. */
function namesTag(header: string, etag: string): boolean {
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

/** Answers a read of a host that keeps nothing. A client that has the answer gets a 304 with the headers of the 200. */
export async function deliver(request: Request, { respond }: Reply): Promise<Response> {
  const response = await respond()
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

/** Files that answer ranges: tables for analysts and those of rows. They are compressed inside, so no coding is applied to them. */
export const RANGED = /\.(jsonl\.gz|parquet)$/

/** RFC 9110 section 14.1.2. Null: it is not one range of bytes, and ignored. `unsatisfiable`: the file has no byte of it. */
export function rangeIn(header: string, bytes: number) {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header.trim()) ?? []
  if (first === '' && last === '') return null
  if (first === '') {
    const length = Math.min(Number(last), bytes)
    return length === 0 ? 'unsatisfiable' : { from: bytes - length, length }
  }
  const [from, to] = [Number(first), last === '' ? Infinity : Number(last)]
  if (to < from) return null
  return from >= bytes ? 'unsatisfiable' : { from, length: Math.min(to + 1, bytes) - from }
}

/** Whether a range may be sent: `If-Range` names this version of the file by its strong ETag or its date, or is absent. */
function isSameVersion(condition: string | null, { etag, 'last-modified': lastModified }: FileHeaders): boolean {
  if (condition === null) return true
  if (condition.includes('"')) return !etag.startsWith('W/') && condition.trim() === etag
  return condition.trim() === lastModified
}

type FileHeaders = Readonly<Record<'etag' | 'last-modified', string>> & Readonly<Record<string, string>>

export function rangedResponse(
  { method, headers: asked }: Request,
  bytes: number,
  file: FileHeaders,
  bodyOf: (from: number, length: number) => BodyInit,
): Response {
  const headers = { ...EVERY_ANSWER, ...EXPOSES_MORE, ...file, 'accept-ranges': 'bytes' }
  const response = (status: number, more: Readonly<Record<string, string>> = {}, body: BodyInit | null = null) =>
    new Response(body, { status, headers: { ...headers, ...more } })
  const condition = asked.get('if-match')
  if (condition !== null && !namesTag(condition, file.etag)) return response(412)
  if (isUnchanged(Object.fromEntries(asked), file.etag, file['last-modified'])) return response(304)
  const isPartial = method === 'GET' && isSameVersion(asked.get('if-range'), file)
  const range = isPartial ? rangeIn(asked.get('range') ?? '', bytes) : null
  if (range === 'unsatisfiable')
    return response(416, { 'content-range': `bytes */${bytes}`, 'cache-control': 'no-store' })
  const { from, length } = range ?? { from: 0, length: bytes }
  const own = {
    ...(range && { 'content-range': `bytes ${from}-${from + length - 1}/${bytes}` }),
    'content-length': String(length),
  }
  return response(range ? 206 : 200, own, method === 'HEAD' || length === 0 ? null : bodyOf(from, length))
}

export const rangePreflight = (): Response => preflight(['GET', 'HEAD', 'OPTIONS'], 'Range, If-Range')
