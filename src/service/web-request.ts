import type { IncomingMessage } from 'node:http'
import { MAX_BODY_BYTES } from '../contract/listing-request.ts'

/** Headers that an answer depends on. Conditions and codings are not among them: they are seen to where it is sent. */
const HEADERS = ['content-type', 'idempotency-key'] as const

/** A request of node:http as the web's `Request`, with a HEAD as the GET that it stands for. */
export async function toWebRequest(incoming: IncomingMessage): Promise<Request> {
  const url = urlOf(incoming.url ?? '/')
  const headers = new Headers()
  for (const name of HEADERS) {
    const value = incoming.headers[name]
    if (value !== undefined) headers.set(name, String(value))
  }
  const method = incoming.method ?? 'GET'
  // Nobody reads the body of any other method.
  if (method !== 'POST') incoming.resume()
  if (method === 'HEAD') return new Request(url)
  // The web's Request refuses these by throwing; nothing here allows them either.
  if (['CONNECT', 'TRACE', 'TRACK'].includes(method)) return new Request(url, { method: 'DELETE', headers })
  if (method !== 'POST') return new Request(url, { method, headers })
  return new Request(url, { method, headers, body: await firstBytes(incoming, MAX_BODY_BYTES + 1) })
}

/** The address in a request line, also in one that names the host: RFC 9112 section 3.2.2. */
export function urlOf(target: string): URL {
  // Built by hand: `new URL('//host', base)` would take the path of such a request for a host, and `\` for a slash.
  const url = new URL('http://localhost')
  const [pathname = '/', ...query] = target.replace(/^https?:\/\/[^/?]*/i, '').split('?')
  url.pathname = pathname.replaceAll('\\', '%5C')
  url.search = query.join('?')
  return url
}

/** The first bytes of a body, enough to see that it is too large. */
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
