import { type Coding, encode } from './coding.ts'
import { type Conditions, isUnchanged } from './headers.ts'

/** Smaller bodies are sent uncompressed: there is little to save. Twenty prices have 600 bytes, of which 300 go. */
const WORTH_ENCODING = 512
const ENCODABLE = /^(text\/|application\/(json|xml|javascript|manifest\+json)|image\/svg\+xml)/

/** An answer in one content coding, ready to be sent repeatedly. */
export type Answer = Awaited<ReturnType<typeof toAnswer>>

/**
 * Converts a response to an {@link Answer} in the accepted coding, or without one if it saves nothing. Each coding has its
 * own strong ETag (RFC 9110 section 8.8.3.3). A 304 has the headers of the 200.
 *
 * @param isPolled whether many clients request it again and again, so that a smaller body is worth more time
 */
export async function toAnswer(response: Response, accepted: Coding | null, isPolled = false) {
  const { status } = response
  const plain = status === 204 || status === 304 ? null : Buffer.from(await response.arrayBuffer())
  const { etag: contentEtag = null, 'content-length': length, ...headers } = Object.fromEntries(response.headers)
  const coding = plain && isEncodable(plain, headers['content-type']) ? accepted : null
  const body = plain && coding ? await encode(plain, coding, isPolled) : plain
  const etag = contentEtag !== null && coding ? contentEtag.replace(/"$/, `-${coding}"`) : contentEtag
  const always = linesOf({ ...headers, etag })
  const size = body && (length ?? String(body.length))
  return {
    status,
    /** Header lines: alternating names and values. */
    headers: [...always, ...linesOf({ 'content-encoding': coding, 'content-length': size })],
    /** Null if the status does not allow a body. */
    body,
    /** Of this body in this coding; null if there is none. */
    etag,
    /** Header lines of the corresponding 304. */
    notModified: always,
    /** ETag of the content, independent of its coding. */
    contentEtag,
    lastModified: headers['last-modified'] ?? '',
  }
}

const isEncodable = (body: Buffer, contentType = ''): boolean =>
  body.length >= WORTH_ENCODING && ENCODABLE.test(contentType)

const linesOf = (headers: Readonly<Record<string, string | null>>): string[] =>
  Object.entries(headers).flatMap(([name, value]) => (value === null ? [] : [name, value]))

/** Whether a conditional request results in a 304. ETags of all codings of the same content match. */
export function isNotModified({ status, etag, contentEtag, lastModified }: Answer, conditions: Conditions): boolean {
  const tags = conditions['if-none-match']
  if (status !== 200 || contentEtag === null) return false
  if (tags === undefined || tags === etag) return tags === etag || isUnchanged(conditions, contentEtag, lastModified)
  return isUnchanged({ 'if-none-match': tags.replaceAll(/-(br|gzip)"/g, '"') }, contentEtag, lastModified)
}
