import { once } from 'node:events'
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import { type HttpBindings, RequestError, getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { MAX_IDS } from '../core/contract/limit-variants.ts'
import { isAside } from '../core/contract/paths.ts'
import { PREFIX } from '../core/contract/prefix.ts'
import { isCode } from '../core/tree/tree-error.ts'
import { isShaped } from './shapes.ts'
import { answersOf, toAnswer } from './answers.ts'
import { handleConnections } from './connections.ts'
import { missingPage, staticFile } from './disk.ts'
import { type Operation, healthAnswer, metricsAnswer } from './health.ts'
import { rangePreflight } from './http.ts'
import { RequestError as Refused } from './resolve.ts'
import type { Context } from './context.ts'
import { errorResponse, serviceApp } from './service.ts'

/** Connections still busy this long after `close()` are terminated. */
const LAST_CALL_MS = 10_000

export interface NodeContext extends Context, Operation {
  /** Folder of the published tree. */
  readonly root: string
  /** Returns an id of the current publication. */
  readonly edition: () => string
  /** Number of trusted reverse proxies, which add the client's address to X-Forwarded-For. */
  readonly proxies: number
  /** Maximum number of connections. Beyond it, the least recently used one is closed. */
  readonly connections: number
}

export interface Listening {
  readonly url: string
  /** Stops accepting requests, finishes those in progress, and closes. */
  close(): Promise<void>
}

/** Time limits for clients. Node checks them every `connectionsCheckingInterval`. */
const TIME_LIMITS_MS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 2_000,
} as const
/** An idle connection is closed after this long: its client does not read its answer. */
const STALLED_MS = 60_000

const MAX_HEAD_BYTES = 16 * 1024

/** The service with what is beside the API: pages, files, and answers about the server itself. */
function nodeApp(context: NodeContext, answers: ReturnType<typeof answersOf>) {
  const isBeside = (url: URL) => !isShaped(url.pathname) && (!url.pathname.startsWith(PREFIX) || isAside(url))
  const app = new Hono<{ Bindings: HttpBindings }>()
  app.use(async ({ env }, next) => {
    const problem = hostProblem(env.incoming)
    return problem === null ? next() : badRequest(context, problem, { connection: 'close' })
  })
  app.get('/healthz', ({ env }) => answers.deliver(env, { respond: () => healthAnswer(context) }))
  app.get('/metrics', ({ env }) => answers.deliver(env, { respond: () => metricsAnswer(context) }))
  app.get('*', async ({ req, env }, next) => {
    if (!isBeside(new URL(req.url))) return next()
    const isForPerson = req.header('accept')?.includes('text/html') === true
    const file = (await staticFile(context.root, req.raw)) ?? (isForPerson ? await missingPage(context.root) : null)
    if (file === null) return next()
    return file instanceof Response ? file : answers.deliver(env, file)
  })
  app.options('*', async ({ req }, next) => (isBeside(new URL(req.url)) ? rangePreflight() : next()))
  return app.route(
    '/',
    serviceApp<{ Bindings: HttpBindings }>(({ env }) => ({
      ...context,
      sender: () => senderOf(env.incoming, context.proxies),
      deliver: (reply) => answers.deliver(env, reply),
    })),
  )
}

/** Behind proxies, the sender is the address that the outermost one saw. */
function senderOf(incoming: IncomingMessage, proxies: number): string {
  const forwarded = String(incoming.headers['x-forwarded-for'] ?? '').split(',')
  const seen = proxies > 0 ? forwarded.at(-proxies)?.trim() : ''
  return seen || (incoming.socket.remoteAddress ?? '')
}

/** Serves a context over HTTP/1.1. @throws PortError */
export async function listen(context: NodeContext, host: string, port: number): Promise<Listening> {
  const answers = answersOf(context.edition)
  const app = nodeApp(context, answers)
  const handle = getRequestListener(app.fetch, {
    overrideGlobalObjects: false,
    // A request of HTTP/1.0 may have no Host.
    hostname: 'localhost',
    errorHandler(error) {
      if (error instanceof RequestError) return badRequest(context, 'The address or the Host header is not valid.')
      context.report(error)
      return undefined
    },
  })
  // Node answers a request without Host without a body. Ours follows the contract.
  const server = createServer({ maxHeaderSize: MAX_HEAD_BYTES, requireHostHeader: false, ...TIME_LIMITS_MS })
  server.timeout = STALLED_MS
  function answer(incoming: IncomingMessage, outgoing: ServerResponse): void {
    if (hostProblem(incoming) !== null || !answers.repeat({ incoming, outgoing })) void handle(incoming, outgoing)
  }
  handleConnections(server, context.connections, answer, (error) => unreadable(context, error))
  await takePort(server, host, port)
  const name = host.includes(':') ? `[${host}]` : host
  return { url: `http://${name}:${portOf(server)}`, close: () => closed(server) }
}

export function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

class PortError extends Error {
  override readonly name = 'PortError'
}

/** Begins to listen. @throws PortError that names the port if it is not available */
export async function takePort(server: Server, host: string, port: number): Promise<void> {
  await once(server.listen(port, host), 'listening').catch((cause: unknown) => {
    const why = isCode(cause, 'EADDRINUSE')
      ? 'is already in use. Stop the other process or set PORT.'
      : `is not available: ${cause instanceof Error ? cause.message : String(cause)}`
    throw new PortError(`Port ${port} on ${host} ${why}`, { cause })
  })
}

const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(() => server.closeAllConnections(), LAST_CALL_MS).unref()
    server.close(() => resolve())
  })

/** RFC 9112 section 3.2: a request has one Host header. Servers between may have read the other of two. */
function hostProblem({ rawHeaders, httpVersion }: IncomingMessage): string | null {
  const hosts = rawHeaders.filter(
    (name, place) => place % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host',
  )
  if (hosts.length === 0) return httpVersion === '1.1' ? 'The Host header is missing.' : null
  return hosts.length > 1 ? 'The request has more than one Host header.' : null
}

const badRequest = (context: Context, message: string, headers: Readonly<Record<string, string>> = {}): Response =>
  errorResponse(new Refused('index', 'invalid_request', message, { status: 400, headers }), context)

async function unreadable(context: Context, error: Error): Promise<string> {
  const isTooLong = 'code' in error && error.code === 'HPE_HEADER_OVERFLOW'
  const message = isTooLong
    ? `The address and the headers have more than ${MAX_HEAD_BYTES} bytes. \`ids\` takes at most ${MAX_IDS} slugs.`
    : 'The request is not valid HTTP.'
  const { body, headers } = await toAnswer(badRequest(context, message), null)
  const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 400 Bad Request\r\n${lines.join('')}\r\n${body?.toString()}`
}
