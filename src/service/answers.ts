import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import pLimit from 'p-limit'
import { lru } from '../core/contract/lru.ts'
import { type Coding, codingFor, encode } from './coding.ts'
import type { PublishedStore } from './disk-store.ts'
import { type Reply, isUnchanged } from './headers.ts'

/** Maximum size of cached answers, and the estimated memory of one besides its body. */
const MAX_BYTES = 32 * 2 ** 20
const ENTRY_BYTES = 2048
/** Maximum number of concurrent encodings: each takes several times the document's size, and threads are few. */
const MADE_AT_ONCE = 2
/** Maximum size of bodies held for slow clients, besides cached ones. */
const MAX_UNSENT_BYTES = 32 * 2 ** 20
const UNNAMED_AT_ONCE = 8
/** Smaller bodies are sent uncompressed: there is little to save. */
const WORTH_ENCODING = 512
const ENCODABLE = /^(text\/|application\/(json|xml|javascript|manifest\+json)|image\/svg\+xml)/

type Answer = Awaited<ReturnType<typeof toAnswer>>

/**
 * Converts a response to an {@link Answer} in the accepted coding, or without one if it saves nothing. Each coding has its
 * own strong ETag (RFC 9110 section 8.8.3.3).
 */
export async function toAnswer(response: Response, accepted: Coding | null) {
  const { status } = response
  const { etag: contentEtag = '', ...given } = Object.fromEntries(response.headers)
  // Null if the status does not allow a body.
  const plain = status === 204 || status === 304 ? null : Buffer.from(await response.arrayBuffer())
  const coding = plain && isWorthEncoding(plain, given['content-type']) ? accepted : null
  const body = plain && coding ? await encode(plain, coding) : plain
  const headers: Record<string, string> = {
    ...given,
    ...(body && { 'content-length': String(body.length) }),
    ...(contentEtag && { etag: coding ? contentEtag.replace(/"$/, `-${coding}"`) : contentEtag }),
    ...(coding && { 'content-encoding': coding }),
  }
  // The ETag of the content is independent of its coding.
  return { status, headers, body, contentEtag }
}

const isWorthEncoding = ({ length }: Buffer, type = ''): boolean => length >= WORTH_ENCODING && ENCODABLE.test(type)

/** Whether a conditional request results in a 304. ETags of all codings of the same content match. */
function isNotModified({ status, contentEtag, headers }: Answer, incoming: IncomingMessage): boolean {
  if (status !== 200 || contentEtag === '' || !['GET', 'HEAD'].includes(incoming.method ?? '')) return false
  const tags = incoming.headers['if-none-match']?.replaceAll(/-(br|gzip)"/g, '"')
  return isUnchanged({ ...incoming.headers, 'if-none-match': tags }, contentEtag, headers['last-modified'] ?? '')
}

export type Answers = ReturnType<typeof answersOf>

export function answersOf(store: PublishedStore) {
  const trackUnsent = limitUnsent(MAX_UNSENT_BYTES)
  const [making, others] = [pLimit(MADE_AT_ONCE), pLimit(UNNAMED_AT_ONCE)]
  let kept = lru<Answer>(MAX_BYTES)
  let edition: string | null = null

  function send({ incoming, outgoing }: HttpBindings, answer: Answer): void {
    if (answer.body !== null && isNotModified(answer, incoming)) {
      const { 'content-encoding': _, 'content-length': __, ...headers } = answer.headers
      outgoing.writeHead(304, headers).end()
      return
    }
    outgoing.writeHead(answer.status, answer.headers)
    // For a HEAD request, node:http drops the body.
    outgoing.end(answer.body ?? undefined)
    if (answer.body) trackUnsent(outgoing, answer.body)
  }

  return {
    /** Sends the answer of a reply, unless the client has disconnected. */
    async deliver(exchange: HttpBindings, { name, respond }: Reply) {
      const { incoming, outgoing } = exchange
      const current = await store.edition()
      if (current !== edition) {
        edition = current
        kept = lru(MAX_BYTES)
      }
      const answers = kept
      const coding = codingFor(incoming.headers['accept-encoding']?.toString() ?? '')
      const key = name === undefined ? null : `${coding} ${name}`
      const known = () => (key === null ? undefined : answers.get(key))
      async function make(): Promise<Answer | null> {
        if (outgoing.destroyed) return null
        const found = known()
        if (found) return found
        const made = await toAnswer(await respond(), coding)
        if (key !== null && made.status === 200)
          answers.put(key, made, (made.body?.length ?? 0) + key.length + ENTRY_BYTES)
        return made
      }
      const answer = known() ?? (await (key === null ? others : making)(make))
      if (answer && !outgoing.destroyed) send(exchange, answer)
      return RESPONSE_ALREADY_SENT
    },
  }
}

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
