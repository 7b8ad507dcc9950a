import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import pLimit from 'p-limit'
import { isAside } from '../contract/paths.ts'
import { PREFIX } from '../contract/prefix.ts'
import { type AnswerCache, answerCache } from './answer-cache.ts'
import { type Answer, isNotModified, toAnswer } from './answer.ts'
import { codingFor } from './coding.ts'
import { endUnread } from './connections.ts'
import type { PublishedStore } from './disk-store.ts'
import { documentName } from './documents.ts'
import { prefersCsv, rememberedHeaders } from './negotiation.ts'
import { RANGED, rangePreflight } from './ranges.ts'
import { requestError, resolve } from './resolve.ts'
import { type Sender, senderOf } from './sender.ts'
import { type Context, errorResponse, serve } from './service.ts'
import { type Operation, healthAnswer, metricsAnswer } from './health.ts'
import { missingPage, staticFile } from './static.ts'
import { limitUnsent } from './unsent-bodies.ts'
import { type WaitingClient, waitingClient } from './waiting-client.ts'
import { toWebRequest, urlOf } from './web-request.ts'

/** Maximum size of bodies held for slow clients, besides cached ones. */
const MAX_UNSENT_BYTES = 32 * 2 ** 20
/** Minimum interval between reads of the queue state. It is also read again after each request that this server accepted. */
const QUEUE_STATE_MS = 500
/** Maximum number of concurrent requests without a cached answer. */
const ANSWERED_AT_ONCE = 8

/** A service on a machine with a disk. */
export interface NodeContext extends Context, Pick<Operation, 'overdueMinutes' | 'lastRun'> {
  readonly store: PublishedStore
  /** Folder of pages beside the API; null if there are none. */
  readonly pages: string | null
  /** Number of trusted reverse proxies, which add the client's address to X-Forwarded-For. */
  readonly proxies: number
  /** Maximum number of connections. Beyond it, the least recently used one is closed. */
  readonly connections: number
  /** Called with one line of JSON per answer; null for no log. */
  readonly log: ((line: string) => void) | null
}

/** Answers a request: synchronously from the cache, otherwise when the answer is ready. */
export type RequestHandler = (incoming: IncomingMessage, outgoing: ServerResponse) => void

/**
 * Cacheable URLs: those in canonical form whose answer depends only on the publication. The state of the queue does not.
 * Other URLs are resolved each time.
 */
const REMEMBERED = new RegExp(
  `^${PREFIX}(?!/listing-requests)[a-z0-9/=-]*(\\.json)?(\\?(?:[a-z]+=\\d{1,7}|vs=[a-z0-9]{2,12}))?$`,
)

/** A response and its cache name; null if it is not cacheable. */
interface Reply {
  readonly name: string | null
  /** Set on the lists of a publication: few documents, which clients request again and again. */
  readonly isPolled?: boolean
  readonly respond: () => Promise<Response>
}

/** Creates the request handler of a server. Errors go to `report`, and end the connection. */
export function requestHandler(context: NodeContext): RequestHandler {
  const { store } = context
  const codingOf = rememberedHeaders(codingFor)
  const asksForCsv = rememberedHeaders(prefersCsv)
  const replyTo = replies(context)
  const send = sender()
  let cache: AnswerCache = answerCache()
  let edition: string | null = null

  /** Sends a cached answer synchronously. Returns false if there is none. */
  function sendKept(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
    const { method, url = '/', headers } = incoming
    if (method !== 'GET' || headers.host === undefined || edition === null || store.knownEdition() !== edition)
      return false
    const answer = cache.at(url, codingOf(headers['accept-encoding']?.toString() ?? ''))
    if (answer === undefined || asksForCsv(headers.accept ?? '')) return false
    send.whole(outgoing, answer, isNotModified(answer, headers))
    return true
  }

  async function answerTo({ url, headers }: RequestHead, reply: () => Promise<Reply>, client: WaitingClient) {
    const current = await store.edition()
    if (current !== edition) {
      edition = current
      cache = answerCache()
    }
    const answers = cache
    const coding = codingOf(headers['accept-encoding']?.toString() ?? '')
    const { name, respond, isPolled = false } = await reply()
    const make = async () => toAnswer(await respond(), coding, isPolled)
    if (name === null) return make()
    const answer = await answers.named(name, coding, make, client.isThere)
    const isByUrl = REMEMBERED.test(url) && !asksForCsv(headers.accept ?? '')
    if (answer?.status === 200 && isByUrl) answers.remember(url, name, coding)
    return answer
  }
  async function sendMade(head: RequestHead, reply: () => Promise<Reply>, client: WaitingClient): Promise<void> {
    const answer = await answerTo(head, reply, client)
    const exchange = client.exchange()
    if (answer === null || exchange === null) return
    const { incoming, outgoing } = exchange
    const notModified = isRead(head.method) && isNotModified(answer, head.headers)
    if (incoming.complete) send.whole(outgoing, answer, notModified)
    else send.unread(incoming, outgoing, answer, notModified)
  }

  return (incoming, outgoing) => {
    if (sendKept(incoming, outgoing)) return
    const client = waitingClient(incoming, outgoing)
    const head = headOf(incoming)
    sendMade(head, replyTo(head, incoming), client).catch((error: unknown) => {
      const exchange = client.exchange()
      // A client that disconnected while sending its body is not a server error.
      if (exchange?.incoming.socket.destroyed === false) context.report(error)
      exchange?.outgoing.destroy()
    })
  }
}

/** The head of a request. Unlike the request, it does not hold the connection and all that was sent ahead on it. */
interface RequestHead {
  readonly httpVersion: string
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
}

const headOf = ({ httpVersion, method = 'GET', url = '/', headers }: IncomingMessage): RequestHead => ({
  httpVersion,
  method,
  url,
  headers,
})

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD'

/** Returns the headers that select a part of a file, or none of it. */
const rangeHeaders = (headers: IncomingHttpHeaders): [string, string][] =>
  ['range', 'if-range', 'if-match', 'if-none-match', 'if-modified-since'].flatMap((name): [string, string][] => {
    const value = headers[name]
    return value === undefined ? [] : [[name, String(value)]]
  })

/** RFC 9112 section 3.2: an HTTP/1.1 request must have a Host header. */
const WITHOUT_HOST = requestError('index', 'invalid_request', 'The Host header is missing.', { status: 400 })

/** Answers about the server itself. */
const ABOUT: Readonly<Record<string, (operation: Operation) => Promise<Response>>> = {
  '/healthz': healthAnswer,
  '/metrics': metricsAnswer,
}

/** Reads have no sender: only submissions are limited. */
const READER: Sender = { network: '', block: null }

/** Returns the function that answers requests of a context. Of a read, only its head is held. */
function replies(context: NodeContext): (head: RequestHead, incoming: IncomingMessage) => () => Promise<Reply> {
  const { specs, store, pages, proxies } = context
  const atOnce = pLimit(ANSWERED_AT_ONCE)
  let submissions = 0

  async function submitted(body: Promise<Request>, from: Sender): Promise<Response> {
    // Read before the request waits for its slot, because a client may be slow to send it.
    const request = await body
    const response = await atOnce(() => serve(request, from, context))
    if (response.status === 202) submissions++
    return response
  }
  async function nameOf(url: URL, accept: string): Promise<Pick<Reply, 'name' | 'isPolled'>> {
    const resolution = resolve(specs, 'GET', url, prefersCsv(accept))
    if (resolution.kind !== 'document') return { name: null }
    const { spec, limited, computed } = resolution
    const name = await documentName(resolution, store)
    if (spec.name === 'listing-requests')
      return { name: `${name} ${submissions} ${Math.floor(context.now() / QUEUE_STATE_MS)}` }
    return { name, isPolled: limited === null && computed === null && !spec.path.includes(':') }
  }
  async function read({ url: target, method, headers }: RequestHead): Promise<Reply> {
    const url = urlOf(target)
    const isForPerson = headers.accept?.includes('text/html') === true
    if (!url.pathname.startsWith(PREFIX) || isAside(url.pathname)) {
      const about = ABOUT[url.pathname]
      if (about) return { name: null, respond: () => about(context) }
      const file =
        pages === null ? null : ((await staticFile(pages, url)) ?? (isForPerson ? await missingPage(pages) : null))
      const { respondTo } = file ?? {}
      if (respondTo) {
        // For a HEAD request, node:http drops the body. It has no range: RFC 9110 section 14.2.
        const request = new Request(url, {
          headers: rangeHeaders(method === 'HEAD' ? { ...headers, range: undefined } : headers),
        })
        return { name: null, respond: () => atOnce(() => respondTo(request)) }
      }
      if (file) return file
    }
    const { accept = '' } = headers
    const respond = async () => serve(new Request(url, { headers: { accept } }), READER, context)
    const known = await nameOf(url, accept)
    return { ...known, respond: known.name === null ? () => atOnce(respond) : respond }
  }
  // Functions of their own: closures of one function share what any of them uses, and a read would hold its connection.
  const submission = (incoming: IncomingMessage) => async () => ({
    name: null,
    respond: () => submitted(toWebRequest(incoming), senderOf(incoming, proxies)),
  })
  const readOf = (head: RequestHead) => () => read(head)
  return (head, incoming) => {
    const { httpVersion, method, url, headers } = head
    if (httpVersion === '1.1' && headers.host === undefined)
      return async () => ({ name: null, respond: async () => errorResponse(WITHOUT_HOST, context) })
    if (method === 'OPTIONS' && pages !== null && RANGED.test(urlOf(url).pathname)) {
      incoming.resume()
      return async () => ({ name: null, respond: async () => rangePreflight() })
    }
    if (!isRead(method)) return submission(incoming)
    // The body of a read has no meaning.
    incoming.resume()
    return readOf(head)
  }
}

/** Sends answers, and bounds those held for slow clients. */
function sender() {
  const trackUnsent = limitUnsent(MAX_UNSENT_BYTES)
  const writeHead = (outgoing: ServerResponse, { status, headers, notModified }: Answer, isNotModified: boolean) =>
    outgoing.writeHead(isNotModified ? 304 : status, isNotModified ? notModified : headers)
  return {
    whole(outgoing: ServerResponse, answer: Answer, isNotModified: boolean): void {
      writeHead(outgoing, answer, isNotModified)
      const body = isNotModified ? null : answer.body
      // For a HEAD request, node:http drops the body.
      outgoing.end(body ?? undefined)
      if (body) trackUnsent(outgoing, body)
    },
    /** Sends an answer to a request whose body was not fully read, and closes the connection. */
    unread(incoming: IncomingMessage, outgoing: ServerResponse, answer: Answer, isNotModified: boolean): void {
      outgoing.shouldKeepAlive = false
      writeHead(outgoing, answer, isNotModified)
      endUnread(incoming, outgoing, isNotModified ? null : answer.body)
      if (answer.body) trackUnsent(outgoing, answer.body)
    },
  }
}
