import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import pLimit from 'p-limit'
import { lru } from '../contract/lru.ts'
import { type Answer, isNotModified, toAnswer } from './answer.ts'
import { type Coding, codingFor } from './coding.ts'
import type { PublishedStore } from './disk-store.ts'
import type { Reply } from './service.ts'

/** Maximum size of cached bodies. */
const MAX_BYTES = 32 * 2 ** 20
/** Maximum size of the requests whose answers are known. Clients can send any number. */
const MAX_REQUEST_BYTES = 2 * 2 ** 20
/** Estimated memory of an entry besides its body. */
const ENTRY_BYTES = 2048
/** Maximum number of concurrent encodings: each takes several times the document's size, and threads are few. */
const MADE_AT_ONCE = 2
/** Maximum size of bodies held for slow clients, besides cached ones. */
const MAX_UNSENT_BYTES = 32 * 2 ** 20
/** Maximum number of concurrent answers that are not cached. */
const UNNAMED_AT_ONCE = 8

/**
 * Creates an empty cache of the answers of one publication, one per document and encoding, shared by all requests for the
 * document. Answers are cached by name and encoding; requests map to names.
 */
export function answerCache() {
  const answers = lru<Answer>(MAX_BYTES)
  const requests = lru<string>(MAX_REQUEST_BYTES)
  const making = new Map<string, Promise<Answer>>()
  const atOnce = pLimit(MADE_AT_ONCE)
  const keyOf = (name: string, coding: Coding | null) => `${coding} ${name}`

  async function made(key: string, make: () => Promise<Answer>): Promise<Answer> {
    try {
      const answer = await make()
      if (answer.status === 200) answers.put(key, answer, (answer.body?.length ?? 0) + key.length + ENTRY_BYTES)
      return answer
    } finally {
      making.delete(key)
    }
  }
  function shared(key: string, make: () => Promise<Answer>): Promise<Answer> {
    const answer = making.get(key) ?? made(key, make)
    making.set(key, answer)
    return answer
  }
  return {
    at: (request: string): Answer | undefined => answers.get(requests.get(request) ?? ''),
    /**
     * Returns the cached answer of that name, or calls `make` once for all concurrent callers. Returns null to a caller
     * that is not there any more when its turn comes.
     */
    async named(name: string, coding: Coding | null, make: () => Promise<Answer>, isThere: () => boolean) {
      const key = keyOf(name, coding)
      return (
        answers.get(key) ?? atOnce(async () => (isThere() ? (answers.get(key) ?? (await shared(key, make))) : null))
      )
    },
    remember: (request: string, name: string, coding: Coding | null) =>
      requests.put(request, keyOf(name, coding), request.length + ENTRY_BYTES / 10),
  }
}

/** Sends answers in the coding that a client accepts, and keeps those of the current publication. */
export type Answers = ReturnType<typeof answersOf>

/** Creates the answers of a store, none of them kept yet. */
export function answersOf(store: PublishedStore) {
  const trackUnsent = limitUnsent(MAX_UNSENT_BYTES)
  const atOnce = pLimit(UNNAMED_AT_ONCE)
  let cache = answerCache()
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
    /** Sends a kept answer synchronously. Returns false if there is none. */
    sendKept(exchange: HttpBindings): boolean {
      const { incoming } = exchange
      if (incoming.method !== 'GET' || edition === null || store.knownEdition() !== edition) return false
      const answer = cache.at(lineOf(incoming))
      if (answer) send(exchange, answer)
      return answer !== undefined
    },
    /** Sends the answer of a reply, unless the client has disconnected. */
    async deliver(exchange: HttpBindings, { name: nameOf, isPublished = false, isPolled, respond }: Reply) {
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
