import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import pLimit from 'p-limit'
import { type AnswerCache, answerCache } from './answer-cache.ts'
import { type Answer, isNotModified, toAnswer } from './answer.ts'
import { codingFor } from './coding.ts'
import type { PublishedStore } from './disk-store.ts'
import type { Reply } from './service.ts'

/** Maximum size of bodies held for slow clients, besides cached ones. */
const MAX_UNSENT_BYTES = 32 * 2 ** 20
/** Maximum number of concurrent answers that are not cached. */
const UNNAMED_AT_ONCE = 8

/** Sends answers in the coding that a client accepts, and keeps those of the current publication. */
export interface Answers {
  /** Sends a kept answer synchronously. Returns false if there is none. */
  sendKept(exchange: HttpBindings): boolean
  /** Sends the answer of a reply, unless the client has disconnected. */
  deliver(exchange: HttpBindings, reply: Reply): Promise<Response>
}

/** Creates the answers of a store, none of them kept yet. */
export function answersOf(store: PublishedStore): Answers {
  const trackUnsent = limitUnsent(MAX_UNSENT_BYTES)
  const atOnce = pLimit(UNNAMED_AT_ONCE)
  let cache: AnswerCache = answerCache()
  let edition: string | null = null

  function send({ incoming, outgoing }: HttpBindings, answer: Answer): void {
    const isRead = incoming.method === 'GET' || incoming.method === 'HEAD'
    const body = isRead && isNotModified(answer, incoming.headers) ? null : answer.body
    const { status, headers, notModified } = answer
    if (body === null && answer.body !== null) outgoing.writeHead(304, notModified)
    else outgoing.writeHead(status, headers)
    // For a HEAD request, node:http drops the body.
    outgoing.end(body ?? undefined)
    if (body) trackUnsent(outgoing, body)
  }

  return {
    sendKept(exchange) {
      const { incoming } = exchange
      if (incoming.method !== 'GET' || edition === null || store.knownEdition() !== edition) return false
      const answer = cache.at(lineOf(incoming))
      if (answer) send(exchange, answer)
      return answer !== undefined
    },
    async deliver(exchange, { name: nameOf, isPublished = false, isPolled, respond }) {
      const { incoming, outgoing } = exchange
      const current = await store.edition()
      if (current !== edition) {
        edition = current
        cache = answerCache()
      }
      const kept = cache
      const coding = codingFor(incoming.headers['accept-encoding']?.toString() ?? '')
      const isThere = () => !outgoing.destroyed
      const make = async () => toAnswer(await respond(), coding, isPolled)
      const name = await nameOf?.()
      const answer =
        name === undefined
          ? await atOnce(async () => (isThere() ? make() : null))
          : await kept.named(name, coding, make, isThere)
      if (answer?.status === 200 && name !== undefined && isPublished) kept.remember(lineOf(incoming), name, coding)
      if (answer && isThere()) send(exchange, answer)
      return RESPONSE_ALREADY_SENT
    },
  }
}

/** Everything in a request that selects an answer. */
const lineOf = ({ url, headers }: IncomingMessage): string =>
  `${url}\n${headers['accept-encoding'] ?? ''}\n${headers.accept ?? ''}`

/**
 * Bounds the bodies held for slow clients to `most` bytes. A shared body counts once. Above the limit, the oldest
 * connections are closed. Call the returned function with each answer that was just ended.
 */
export function limitUnsent(most: number): (outgoing: ServerResponse, body: Buffer) => void {
  // Ordered by start: a map keeps insertion order.
  const unsent = new Map<ServerResponse, Buffer>()
  return (outgoing, body) => {
    // Most answers fit into the socket buffer at once.
    if (outgoing.writableFinished || outgoing.destroyed) return
    unsent.set(outgoing, body)
    outgoing.once('close', () => unsent.delete(outgoing))
    for (const oldest of unsent.keys()) {
      if (bytesIn(unsent) <= most) return
      unsent.delete(oldest)
      oldest.destroy()
    }
  }
}

const bytesIn = (unsent: ReadonlyMap<ServerResponse, Buffer>): number =>
  [...new Set(unsent.values())].reduce((sum, { length }) => sum + length, 0)
