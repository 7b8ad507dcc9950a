import type { IncomingMessage, ServerResponse } from 'node:http'
import pLimit from 'p-limit'
import { isAside } from '../contract/paths.ts'
import { PREFIX } from '../contract/words.ts'
import { type AnswerCache, answerCache } from './answer-cache.ts'
import { type Answer, isNotModified, toAnswer } from './answer.ts'
import { rememberedCodings } from './coding.ts'
import { endUnread } from './connections.ts'
import type { PublishedStore } from './disk-store.ts'
import { documentName } from './documents.ts'
import { requestError, resolve } from './resolve.ts'
import { senderOf } from './sender.ts'
import { type Context, errorResponse, serve } from './service.ts'
import { staticFile } from './static.ts'
import { limitUnsent } from './unsent-bodies.ts'
import { toWebRequest, urlOf } from './web-request.ts'

/** Most bytes of bodies that slow clients hold, beside those that are kept. */
const MAX_UNSENT_BYTES = 32 * 2 ** 20
/** The state of the queue is read this often at the most, and anew after each request that this server took. */
const QUEUE_STATE_MS = 500
/** Requests that no kept answer fits are answered so many at once. */
const ANSWERED_AT_ONCE = 8

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

/** Answers a request: at once where the answer is kept, else when the result resolves. */
export type RequestHandler = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void> | void

/**
 * Addresses that are remembered: those that are written in one way only and depend on the publication alone. The state of
 * the queue does not; an address written in any other way is resolved each time.
 */
const REMEMBERED = new RegExp(`^${PREFIX}(?!/listing-requests)[a-z0-9/=-]*(\\.json)?(\\?[a-z]+=\\d{1,7})?$`)

/** A way to answer: the name of what is answered, null where it is each time another, and the response. */
interface Reply {
  readonly name: string | null
  readonly respond: () => Promise<Response>
}

/** The handler of a server's requests. It rejects where the client is gone, and for nothing else that is known. */
export function requestHandler(context: NodeContext): RequestHandler {
  const { store } = context
  const codingOf = rememberedCodings()
  const replyTo = replies(context)
  const send = sender()
  let cache: AnswerCache = answerCache()
  let edition: string | null = null

  /** Sends what is kept without waiting for anything; false where that is not possible. */
  function sendKept(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
    const { method, url = '/', headers } = incoming
    if (method !== 'GET' || headers.host === undefined || edition === null || store.knownEdition() !== edition)
      return false
    const answer = cache.at(url, codingOf(headers['accept-encoding']?.toString() ?? ''))
    if (answer === undefined) return false
    send.whole(outgoing, answer, isNotModified(answer, headers))
    return true
  }

  async function sendMade(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', headers } = incoming
    const current = await store.edition()
    if (current !== edition) {
      edition = current
      cache = answerCache()
    }
    const answers = cache
    const coding = codingOf(headers['accept-encoding']?.toString() ?? '')
    const { name, respond } = await replyTo(incoming)
    const make = async () => toAnswer(await respond(), coding)
    const answer = name === null ? await make() : await answers.named(name, coding, make)
    if (name !== null && answer.status === 200 && REMEMBERED.test(url)) answers.remember(url, name, coding)
    const notModified = isRead(method) && isNotModified(answer, headers)
    if (incoming.complete) send.whole(outgoing, answer, notModified)
    else send.unread(incoming, outgoing, answer, notModified)
  }

  return (incoming, outgoing) => (sendKept(incoming, outgoing) ? undefined : sendMade(incoming, outgoing))
}

const isRead = (method: string): boolean => method === 'GET' || method === 'HEAD'

/** RFC 9112 section 3.2: a request of HTTP/1.1 names its host. */
const WITHOUT_HOST = requestError('index', 400, 'invalid_request', 'The header Host is missing.')

/** What a context answers to a request. */
function replies(context: NodeContext): (incoming: IncomingMessage) => Promise<Reply> {
  const { specs, store, pages, proxies } = context
  const atOnce = pLimit(ANSWERED_AT_ONCE)
  let submissions = 0

  async function submitted(incoming: IncomingMessage): Promise<Response> {
    // Read before its turn comes: a client may take long to send it.
    const request = await toWebRequest(incoming)
    const response = await atOnce(() => serve(request, senderOf(incoming, proxies), context))
    if (response.status === 202) submissions++
    return response
  }
  async function nameOf(url: URL): Promise<string | null> {
    const resolution = resolve(specs, 'GET', url)
    if (resolution.kind !== 'document') return null
    const name = await documentName(resolution, store)
    if (resolution.spec.name !== 'listing-requests') return name
    return `${name} ${submissions} ${Math.floor(context.now() / QUEUE_STATE_MS)}`
  }
  return async (incoming) => {
    if (incoming.httpVersion === '1.1' && incoming.headers.host === undefined)
      return { name: null, respond: async () => errorResponse(WITHOUT_HOST, context) }
    if (!isRead(incoming.method ?? 'GET')) return { name: null, respond: () => submitted(incoming) }
    const url = urlOf(incoming.url ?? '/')
    if (!url.pathname.startsWith(PREFIX) || isAside(url.pathname)) {
      if (url.pathname === '/healthz') return { name: null, respond: () => health(context) }
      const file = pages === null ? null : await staticFile(pages, url)
      if (file) return file
    }
    const respond = async () => serve(await toWebRequest(incoming), senderOf(incoming, proxies), context)
    const name = await nameOf(url)
    return { name, respond: name === null ? () => atOnce(respond) : respond }
  }
}

/** Sends answers, and keeps those that clients are slow to take within limits. */
function sender() {
  const trackUnsent = limitUnsent(MAX_UNSENT_BYTES)
  const writeHead = (outgoing: ServerResponse, { status, headers, notModified }: Answer, isNotModified: boolean) =>
    outgoing.writeHead(isNotModified ? 304 : status, isNotModified ? notModified : headers)
  return {
    whole(outgoing: ServerResponse, answer: Answer, isNotModified: boolean): void {
      writeHead(outgoing, answer, isNotModified)
      const body = isNotModified ? null : answer.body
      // To a HEAD, node:http sends the headers alone.
      outgoing.end(body ?? undefined)
      if (body) trackUnsent(outgoing, body)
    },
    /** The same to a request whose body was not read to its end: the connection closes. */
    unread(incoming: IncomingMessage, outgoing: ServerResponse, answer: Answer, isNotModified: boolean): void {
      outgoing.shouldKeepAlive = false
      writeHead(outgoing, answer, isNotModified)
      endUnread(incoming, outgoing, isNotModified ? null : answer.body)
      if (answer.body) trackUnsent(outgoing, answer.body)
    },
  }
}

/** For who watches the server: 200 while there is a publication to serve. */
async function health({ store }: NodeContext): Promise<Response> {
  const ok = (await store.edition()) !== ''
  return Response.json({ ok }, { status: ok ? 200 : 503, headers: { 'cache-control': 'no-store' } })
}
