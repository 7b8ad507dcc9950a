import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http'
import { MAX_IDS } from '../contract/max-ids.ts'
import { toAnswer } from './answer.ts'
import { handleConnections } from './connections.ts'
import { type NodeContext, requestHandler } from './request-handler.ts'
import { requestError } from './resolve.ts'
import { type Context, errorResponse } from './service.ts'

/** Connections still busy this long after `close()` are terminated. */
const LAST_CALL_MS = 10_000

/** A listening server. */
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

/** Maximum size of the head of a request: its address and headers. */
const MAX_HEAD_BYTES = 16 * 1024

/** Serves a context over HTTP/1.1. @throws Error that names the port if it is not available */
export function listen(context: NodeContext, host: string, port: number): Promise<Listening> {
  const handle = requestHandler(context)
  // Node answers a request without Host without a body. Ours follows the contract.
  const server = createServer({ maxHeaderSize: MAX_HEAD_BYTES, requireHostHeader: false, ...TIME_LIMITS_MS })
  server.timeout = STALLED_MS
  handleConnections(server, context.connections, {
    answer(incoming, outgoing) {
      if (context.log) logged(incoming, outgoing, context, context.log)
      if (hasTwoHosts(incoming)) void refuseTwoHosts(context, outgoing)
      else handle(incoming, outgoing)
    },
    unreadable: (error) => unreadable(context, error),
  })
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const taken = 'code' in cause && cause.code === 'EADDRINUSE'
      const why = taken
        ? 'is already in use. Stop the other process or set PORT.'
        : `is not available: ${cause.message}`
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
    const lastCall = setTimeout(() => server.closeAllConnections(), LAST_CALL_MS)
    server.close(() => {
      clearTimeout(lastCall)
      resolve()
    })
    server.closeIdleConnections()
  })
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

/** RFC 9112 section 3.2: servers between may have read the other one. */
function hasTwoHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') hosts++
  return hosts > 1
}

async function refuseTwoHosts(context: Context, outgoing: ServerResponse): Promise<void> {
  const { body, headers } = await badRequest(context, 'The request has more than one Host header.')
  outgoing.writeHead(400, [...headers, 'connection', 'close']).end(body)
}

const badRequest = (context: Context, message: string) =>
  toAnswer(errorResponse(requestError('index', 'invalid_request', message, { status: 400 }), context), null)

/** Returns the bytes that answer an unparsable request, in the format of the contract. */
async function unreadable(context: Context, error: Error): Promise<string> {
  const isTooLong = 'code' in error && error.code === 'HPE_HEADER_OVERFLOW'
  const message = isTooLong
    ? `The address and the headers have more than ${MAX_HEAD_BYTES} bytes. \`ids\` takes at most ${MAX_IDS} slugs.`
    : 'The request is not valid HTTP.'
  const { body, headers } = await badRequest(context, message)
  const lines = [...headers, 'connection', 'close'].map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`))
  return `HTTP/1.1 400 Bad Request\r\n${lines.join('')}\r\n${body?.toString()}`
}
