import type { IncomingMessage } from 'node:http'
import { MAX_BODY_BYTES } from '../contract/listing-request.ts'

/** Headers that an answer depends on. Conditional headers and content codings are handled when it is sent. */
const HEADERS = ['content-type', 'idempotency-key'] as const

/** Converts a node:http request to a web-standard `Request`. */
export async function toWebRequest(incoming: IncomingMessage): Promise<Request> {
  const url = urlOf(incoming.url ?? '/')
  const headers = new Headers()
  for (const name of HEADERS) {
    const value = incoming.headers[name]
    if (value !== undefined) headers.set(name, String(value))
  }
  const method = incoming.method ?? 'GET'
  // Bodies of other methods are not read.
  if (method !== 'POST') incoming.resume()
  // The Request constructor throws for these methods. DELETE gets the same 405.
  if (['CONNECT', 'TRACE', 'TRACK'].includes(method)) return new Request(url, { method: 'DELETE', headers })
  if (method !== 'POST') return new Request(url, { method, headers })
  return new Request(url, { method, headers, body: await firstBytes(incoming, MAX_BODY_BYTES + 1) })
}

/** Returns the URL of a request target in origin form or absolute form: RFC 9112 section 3.2.2. */
export function urlOf(target: string): URL {
  // Built by hand: `new URL('//host', base)` would read such a path as a host, and `\` as a slash.
  const url = new URL('http://localhost')
  const [pathname = '/', ...query] = target.replace(/^https?:\/\/[^/?]*/i, '').split('?')
  url.pathname = pathname.replaceAll('\\', '%5C')
  url.search = query.join('?')
  return url
}

/** Reads a body up to `most` bytes, enough to detect that it is too large. */
async function firstBytes(incoming: IncomingMessage, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    if (!(chunk instanceof Uint8Array)) continue
    chunks.push(chunk)
    length += chunk.length
    if (length >= most) break
  }
  const bytes = new Uint8Array(Math.min(length, most))
  let at = 0
  for (const chunk of chunks) {
    const part = chunk.subarray(0, most - at)
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
