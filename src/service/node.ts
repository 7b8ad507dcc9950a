import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import { isAside } from '../contract/paths.ts'
import { PREFIX } from '../contract/words.ts'
import { type Answer, answerOf, forClient, makeReady } from './answer.ts'
import { rememberedCodings } from './coding.ts'
import { endUnread, handleConnections } from './connections.ts'
import type { PublishedStore } from './disk-store.ts'
import { requestOf } from './incoming.ts'
import { refusalOf } from './resolve.ts'
import { senderOf } from './sender.ts'
import { type Context, refuse, serve } from './service.ts'
import { type Shelf, shelf } from './lru.ts'
import { staticFile } from './static.ts'

/** Most bytes of answers that are kept in memory, each reckoned with its codings. */
const KEPT_BYTES = 32 * 2 ** 20
/** A connection that is still busy this long after the end was asked for is cut. */
const LAST_CALL_MS = 10_000

/** A server that listens. */
export interface Listening {
  readonly url: string
  /** Stops taking requests, lets those under way end, and closes. */
  close(): Promise<void>
}

/** A service on a machine with a disk. */
export interface NodeContext extends Context {
  readonly store: PublishedStore
  /** Folder of pages beside the API; null where there are none. */
  readonly pages: string | null
  /** Proxies of ours between the client and this server, which tell the client's address in X-Forwarded-For. */
  readonly proxies: number
  /** Most connections at once; for a new one beyond them, the one whose last request is the oldest is closed. */
  readonly connections: number
  /** Told of each answer, as one line of JSON; null where nobody listens. */
  readonly log: ((line: string) => void) | null
}

/** How long a client may take. Node looks for those that take longer every `connectionsCheckingInterval`. */
const TIME_LIMITS_MS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 2_000,
} as const
/** A connection on which nothing moves for so long is closed: its client does not read what it asked for. */
const STALLED_MS = 60_000

/** Serves a context over HTTP/1.1. @throws Error that names the port when it cannot be had */
export function listen(context: NodeContext, host: string, port: number): Promise<Listening> {
  const answer = answering(context)
  const server = createServer({ maxHeaderSize: 16 * 1024, ...TIME_LIMITS_MS })
  server.timeout = STALLED_MS
  handleConnections(server, context.connections, {
    answer(incoming, outgoing) {
      if (context.log) logged(incoming, outgoing, context, context.log)
      answer(incoming, outgoing)?.catch((error: unknown) => {
        context.report(error)
        outgoing.destroy()
      })
    },
    unreadable: () => unreadable(context),
  })
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
      resolve({ url: `http://${host.includes(':') ? `[${host}]` : host}:${actual}`, close: () => closed(server) })
    })
  })
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), LAST_CALL_MS)
    server.close(() => {
      clearTimeout(cut)
      resolve()
    })
    server.closeIdleConnections()
  })
}

/**
 * Addresses whose answers are kept: those that are written in one way only and depend on the publication alone. The state
 * of the queue does not; any other way to write an address is answered the long way.
 */
const KEPT = new RegExp(`^${PREFIX}(?!/listing-requests)[a-z0-9/=-]*(\\.json)?(\\?[a-z]+=\\d{1,7})?$`)

function answering(
  context: NodeContext,
): (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void> | void {
  const codingOf = rememberedCodings()
  let kept: Shelf<Answer> = shelf(KEPT_BYTES)
  let edition: string | null = null

  /** What is answered from memory alone, without waiting for anything. */
  function atOnce(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
    const { method, url = '/', headers } = incoming
    if (method !== 'GET' || edition === null || context.store.standing() !== edition) return false
    const ready = kept.get(url)?.ready.get(codingOf(headers['accept-encoding'] ?? ''))
    if (ready === undefined) return false
    const tags = headers['if-none-match']
    const isSame = tags !== undefined && tags === ready.etag
    // Conditions of any other form are thought about the long way.
    if (!isSame && (tags !== undefined || headers['if-modified-since'] !== undefined)) return false
    outgoing.writeHead(isSame ? 304 : ready.status, isSame ? ready.unchanged : ready.headers)
    outgoing.end(isSame ? undefined : ready.body)
    return true
  }

  async function atLength(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = incoming
    const reads = method === 'GET' || method === 'HEAD'
    const current = await context.store.edition()
    if (current !== edition) {
      edition = current
      kept = shelf(KEPT_BYTES)
    }
    const keeps = reads && KEPT.test(url)
    let answer = keeps ? kept.get(url) : undefined
    const coding = codingOf(incoming.headers['accept-encoding']?.toString() ?? '')
    if (!answer) {
      const shelved = kept
      answer = await make(incoming, context)
      if (keeps && answer.status === 200) {
        await makeReady(answer, coding)
        // Its codings are less than it, and a little is for the rest. A shelf that was replaced meanwhile is of no use.
        shelved.put(url, answer, 2 * answer.body.length + 2048)
      }
    } else if (!answer.ready.has(coding)) await makeReady(answer, coding)
    const { status, headers, body } = await forClient(answer, coding, reads ? conditionsOf(incoming) : null)
    const isRead = incoming.complete
    if (!isRead) outgoing.shouldKeepAlive = false
    outgoing.writeHead(status, headers)
    // To a HEAD, node:http sends the headers alone.
    if (isRead) outgoing.end(body ?? undefined)
    else endUnread(incoming, outgoing, body)
  }

  return (incoming, outgoing) => (atOnce(incoming, outgoing) ? undefined : atLength(incoming, outgoing))
}

/** An answer to keep is made for every client, so without conditions and with a body. */
async function make(incoming: IncomingMessage, context: NodeContext): Promise<Answer> {
  const { pages, proxies } = context
  const request = await requestOf(incoming)
  const url = new URL(request.url)
  const reads = request.method === 'GET' || request.method === 'HEAD'
  if (reads && (!url.pathname.startsWith(PREFIX) || isAside(url.pathname))) {
    if (url.pathname === '/healthz') return answerOf(await health(context))
    const page = pages === null ? null : await staticFile(pages, url)
    if (page) return answerOf(page)
  }
  return answerOf(await serve(request, senderOf(incoming, proxies), context))
}

/** For who watches the server: 200 while there is a publication to serve. */
async function health({ store }: NodeContext): Promise<Response> {
  const ok = (await store.edition()) !== ''
  return Response.json({ ok }, { status: ok ? 200 : 503, headers: { 'cache-control': 'no-store' } })
}

function conditionsOf({ headers }: IncomingMessage): Headers | null {
  const tags = headers['if-none-match']
  const since = headers['if-modified-since']
  if (tags === undefined && since === undefined) return null
  const conditions = new Headers()
  if (tags !== undefined) conditions.set('if-none-match', tags)
  if (since !== undefined) conditions.set('if-modified-since', since)
  return conditions
}

function logged(
  { method, url }: IncomingMessage,
  outgoing: ServerResponse,
  { now }: NodeContext,
  log: (line: string) => void,
): void {
  const begun = now()
  outgoing.once('close', () => {
    const at = new Date(begun).toISOString()
    log(JSON.stringify({ at, method, url, status: outgoing.statusCode, ms: now() - begun }))
  })
}

/** The bytes that answer what could not be read as HTTP, in the contract's shape. */
async function unreadable(context: Context): Promise<string> {
  const message = 'This could not be read as an HTTP request.'
  const { body, headers } = await answerOf(refuse(refusalOf('index', 400, 'invalid_request', message), context))
  const sent = { ...headers, 'content-length': body.length, connection: 'close' }
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}`)
  return `HTTP/1.1 400 Bad Request\r\n${lines.join('\r\n')}\r\n\r\n${body.toString()}`
}
