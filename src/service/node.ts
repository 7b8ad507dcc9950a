import { readFile, realpath, stat } from 'node:fs/promises'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { join, sep } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { MAX_BODY_BYTES } from '../contract/listing-request.ts'
import { PREFIX } from '../contract/words.ts'
import type { Store } from './documents.ts'
import { type Context, serve } from './service.ts'

/** Most bytes of documents that are kept in memory. */
const CACHE_BYTES = 64 * 2 ** 20
/** The tree is looked at for a new publication this often at the most. */
const LOOK_EVERY_MS = 200
/** Smaller bodies are sent as they are: a packet is a packet. */
const WORTH_COMPRESSING = 1024

/** A server that listens. */
export interface Listening {
  readonly url: string
  /** Stops taking requests, lets those under way end, and closes. */
  close(): Promise<void>
}

/**
 * The published tree on a disk. Files are kept in memory, and all forgotten together when a publication ends, which is
 * when the index is replaced; so what is answered from memory is never of two publications.
 *
 * @param now a clock in ms that only runs forward
 */
export function diskStore(root: string, now: () => number): Store {
  const index = join(root, `${PREFIX.slice(1)}.json`)
  let texts = new Map<string, string>()
  let bytes = 0
  let mark = ''
  let looked = Number.NEGATIVE_INFINITY

  async function look(): Promise<void> {
    if (now() - looked < LOOK_EVERY_MS) return
    looked = now()
    const found = await stat(index).catch(() => null)
    const seen = found ? `${found.mtimeMs} ${found.size} ${found.ino}` : ''
    if (seen === mark) return
    mark = seen
    texts = new Map()
    bytes = 0
  }
  return {
    async read(file) {
      await look()
      const kept = texts
      const known = kept.get(file)
      if (known !== undefined) return known
      const text = await readBelow(root, file)
      // What was read while the tree changed may be of either publication, so it is not kept.
      if (text !== null && kept === texts && bytes + text.length <= CACHE_BYTES) {
        bytes += text.length
        kept.set(file, text)
      }
      return text
    },
  }
}

/** A file below a folder; nothing that a link leads to elsewhere, and no hidden file. */
async function readBelow(root: string, file: string): Promise<string | null> {
  if (file.split('/').some((part) => part.startsWith('.') || part === '')) return null
  try {
    const [base, real] = await Promise.all([realpath(root), realpath(join(root, file))])
    return real.startsWith(base + sep) ? await readFile(real, 'utf8') : null
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR' || code === 'ENAMETOOLONG') return null
    throw error
  }
}

/** Serves a context over HTTP/1.1. @throws Error that names the port when it cannot be had */
export function listen(context: Context, host: string, port: number): Promise<Listening> {
  const encoded: Encoded = new Map()
  const server = createServer(
    { maxHeaderSize: 16 * 1024, headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 5_000 },
    (incoming, outgoing) => {
      handle(incoming, outgoing, context, encoded).catch((error: unknown) => {
        context.report(error)
        outgoing.destroy()
      })
    },
  )
  server.maxConnections = 10_000
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const taken = 'code' in cause && cause.code === 'EADDRINUSE'
      const why = taken
        ? 'is in use: stop what listens there, or choose another with PORT=<number>'
        : `cannot be had: ${cause.message}`
      reject(new Error(`Port ${port} on ${host} ${why}`, { cause }))
    })
    server.listen(port, host, () => {
      const address = server.address()
      const actual = typeof address === 'object' && address ? address.port : port
      resolve({
        url: `http://${host.includes(':') ? `[${host}]` : host}:${actual}`,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed())
            server.closeIdleConnections()
          }),
      })
    })
  })
}

async function handle(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  context: Context,
  encoded: Encoded,
): Promise<void> {
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers))
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  const coding = codingFor(headers.get('accept-encoding') ?? '')
  // Tags of encoded bodies end in their coding; inside there is one body and one tag.
  const tags = headers.get('if-none-match')
  if (tags !== null) headers.set('if-none-match', tags.replaceAll(/-(br|gzip)"/g, '"'))

  const response = await serve(await requestOf(incoming, headers), incoming.socket.remoteAddress ?? '', context)
  const body = response.body === null ? null : Buffer.from(await response.arrayBuffer())
  const etag = response.headers.get('etag')
  const coded = coding !== null && (body === null || body.length >= WORTH_COMPRESSING)
  for (const [name, value] of response.headers) outgoing.setHeader(name, value)
  if (coded && etag !== null && response.status !== 308) outgoing.setHeader('etag', etag.replace(/"$/, `-${coding}"`))
  outgoing.statusCode = response.status
  if (body === null) {
    outgoing.end()
  } else {
    const bytes = coded ? await encode(body, coding, etag, encoded) : body
    if (coded) outgoing.setHeader('content-encoding', coding)
    outgoing.setHeader('content-length', bytes.length)
    outgoing.end(bytes)
  }
  // What is left of a body that was too large is not read; the connection ends with the answer instead.
  if (!incoming.complete) outgoing.once('finish', () => incoming.destroy())
}

async function requestOf(incoming: IncomingMessage, headers: Headers): Promise<Request> {
  // Built by hand: `new URL('//host', base)` would take the path of such a request for a host.
  const url = new URL('http://localhost')
  const [pathname = '/', ...query] = (incoming.url ?? '/').split('?')
  url.pathname = pathname
  url.search = query.join('?')
  const method = incoming.method ?? 'GET'
  // The web's Request refuses these by throwing; nothing here allows them either.
  if (['CONNECT', 'TRACE', 'TRACK'].includes(method)) return new Request(url, { method: 'DELETE', headers })
  if (method !== 'POST') return new Request(url, { method, headers })
  return new Request(url, { method, headers, body: await beginningOf(incoming, MAX_BODY_BYTES + 1) })
}

/** The first bytes of a body, enough to see that it is too large. */
async function beginningOf(incoming: IncomingMessage, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const body = new Uint8Array(most)
  let length = 0
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    if (!(chunk instanceof Uint8Array)) continue
    body.set(chunk.subarray(0, most - length), length)
    length += Math.min(chunk.length, most - length)
    if (length === most) break
  }
  return body.slice(0, length)
}

type Coding = 'br' | 'gzip'
/** Encoded bodies by entity tag and coding, each made once. */
type Encoded = Map<string, Promise<Buffer>>

const MOST_ENCODED = 2000
const compressors = { br: promisify(brotliCompress), gzip: promisify(gzip) }
// Brotli at 5 is smaller than gzip at its best and as fast: https://www.rfc-editor.org/rfc/rfc7932 leaves the effort open.
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

function encode(body: Buffer, coding: Coding, etag: string | null, encoded: Encoded): Promise<Buffer> {
  const make = () => (coding === 'br' ? compressors.br(body, BROTLI) : compressors.gzip(body))
  if (etag === null) return make()
  const key = `${etag} ${coding}`
  const known = encoded.get(key)
  if (known) return known
  const made = make()
  encoded.set(key, made)
  const [oldest] = encoded.keys()
  if (encoded.size > MOST_ENCODED && oldest !== undefined) encoded.delete(oldest)
  return made
}

/** The coding to answer with, br before gzip where a client likes both as much: RFC 9110 section 12.5.3. */
export function codingFor(accepted: string): Coding | null {
  const weights = new Map(
    accepted.split(',').map((part) => {
      const [name = '', ...parameters] = part.trim().toLowerCase().split(';')
      const q = parameters.map((text) => /^\s*q=([\d.]+)\s*$/.exec(text)?.[1]).find((text) => text !== undefined)
      return [name.trim(), q === undefined ? 1 : Number(q)] as const
    }),
  )
  const weight = (coding: string) => weights.get(coding) ?? weights.get('*') ?? 0
  const [br, gz] = [weight('br'), weight('gzip')]
  if (br <= 0 && gz <= 0) return null
  return br >= gz ? 'br' : 'gzip'
}
