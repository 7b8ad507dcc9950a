import type { IncomingHttpHeaders } from 'node:http'
import { type Coding, encode } from './coding.ts'
import { isUnchanged } from './headers.ts'

/** Smaller bodies are sent uncompressed: they fit one packet anyway. */
const WORTH_ENCODING = 1024
const ENCODABLE = /^(text\/|application\/(json|xml|javascript|manifest\+json)|image\/svg\+xml)/

/** An answer in one content coding, ready to be sent repeatedly. */
export interface Answer {
  readonly status: number
  /** Header lines: alternating names and values. */
  readonly headers: string[]
  /** Null if the status does not allow a body. */
  readonly body: Buffer | null
  /** ETag of this body in this coding; null if there is none. */
  readonly etag: string | null
  /** Header lines of the corresponding 304. */
  readonly notModified: string[]
  /** ETag of the content, independent of its coding. */
  readonly contentEtag: string | null
  readonly lastModified: string
}

/**
 * Converts a response to an {@link Answer} in the accepted coding, or without one if it saves nothing. Each coding has its
 * own strong ETag (RFC 9110 section 8.8.3.3). A 304 has the headers of the 200.
 *
 * @param isPolled whether many clients request it again and again, so that a smaller body is worth more time
 */
export async function toAnswer(response: Response, accepted: Coding | null, isPolled = false): Promise<Answer> {
  const { status } = response
  const plain = status === 204 || status === 304 ? null : await bytesOf(response)
  const { etag: contentEtag = null, ...headers } = Object.fromEntries(response.headers)
  const coding = plain && isEncodable(plain, headers['content-type']) ? accepted : null
  const body = plain && coding ? await encode(plain, coding, isPolled) : plain
  const etag = contentEtag !== null && coding ? contentEtag.replace(/"$/, `-${coding}"`) : contentEtag
  const always = linesOf(etag === null ? headers : { ...headers, etag })
  return {
    status,
    headers: [
      ...always,
      ...linesOf(coding ? { 'content-encoding': coding } : {}),
      ...linesOf(body ? { 'content-length': String(body.length) } : {}),
    ],
    body,
    etag,
    notModified: always,
    contentEtag,
    lastModified: headers['last-modified'] ?? '',
  }
}

/** Returns the body of a response. `arrayBuffer()` would copy it once more, and a long list takes megabytes. */
async function bytesOf(response: Response): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const { buffer, byteOffset, length } of response.body ?? [])
    chunks.push(Buffer.from(buffer, byteOffset, length))
  const [only] = chunks
  return only && chunks.length === 1 ? only : Buffer.concat(chunks)
}

const isEncodable = (body: Buffer, contentType = ''): boolean =>
  body.length >= WORTH_ENCODING && ENCODABLE.test(contentType)

const linesOf = (headers: Readonly<Record<string, string>>): string[] => Object.entries(headers).flat()

/** Whether a conditional request results in a 304. ETags of all codings of the same content match. */
export function isNotModified(answer: Answer, headers: IncomingHttpHeaders): boolean {
  const { status, etag, contentEtag, lastModified } = answer
  const tags = headers['if-none-match']
  const since = headers['if-modified-since']
  if (tags !== undefined && tags === etag) return status === 200
  if (status !== 200 || contentEtag === null || (tags === undefined && since === undefined)) return false
  const conditions = new Headers()
  if (tags !== undefined) conditions.set('if-none-match', tags.replaceAll(/-(br|gzip)"/g, '"'))
  if (since !== undefined) conditions.set('if-modified-since', since)
  return isUnchanged(conditions, contentEtag, lastModified)
}
