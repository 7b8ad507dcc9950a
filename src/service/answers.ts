import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { sum } from 'd3-array'
import pLimit from 'p-limit'
import { lru } from '../core/contract/lru.ts'
import { type Reply, isUnchanged, weightsIn } from './http.ts'

/** Maximum size of cached answers, and the estimated memory of one besides its body. */
const MAX_BYTES = 32 * 2 ** 20
const ENTRY_BYTES = 2048
/** Maximum number of targets of requests whose answers may be cached. A target has at most 16 KB. */
const MAX_TARGETS = 1024
/** Maximum number of concurrent encodings: each takes several times the document's size, and threads are few. */
const MADE_AT_ONCE = 2
/** Maximum size of bodies held for slow clients, besides cached ones. */
const MAX_UNSENT_BYTES = 32 * 2 ** 20
const UNNAMED_AT_ONCE = 8
/** Smaller bodies are sent uncompressed: there is little to save. */
const WORTH_ENCODING = 512
const ENCODABLE = /^(text\/|application\/(json|x-ndjson|xml|javascript|manifest\+json)|image\/svg\+xml)/

type Coding = 'br' | 'gzip'

// Brotli at quality 11 takes seconds for a long list. At 5 it is as fast as gzip at 6, and smaller. A window of 2^18 bytes
// instead of 2^22 saves several MB of memory, and hardly affects a long list of short rows.
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5, [constants.BROTLI_PARAM_LGWIN]: 18 } }

const brotli = promisify(brotliCompress)
const deflate = promisify(gzip)

export const encode = (body: Uint8Array, coding: Coding): Promise<Buffer> =>
  coding === 'br' ? brotli(body, BROTLI) : deflate(body)

/**
 * Returns the content coding for an Accept-Encoding header (RFC 9110 section 12.5.3): the one with the highest weight, br
 * before gzip before none if equal. If the client refuses all codings, the answer has none: it is more useful than a 406.
 */
export function codingFor(accepted: string): Coding | null {
  const weights = weightsIn(accepted)
  const weight = (coding: string) => weights.get(coding) ?? weights.get('*') ?? 0
  const [br, gz, plain] = [weight('br'), weight('gzip'), weights.get('identity') ?? 0]
  if (Math.max(br, gz) <= 0 || plain > Math.max(br, gz)) return null
  return br >= gz ? 'br' : 'gzip'
}

type Answer = Awaited<ReturnType<typeof toAnswer>>

/** Each coding has its own strong ETag (RFC 9110 section 8.8.3.3). */
export async function toAnswer(response: Response, accepted: Coding | null) {
  const { status } = response
  const { etag: contentEtag = '', ...given } = Object.fromEntries(response.headers)
  const plain = status === 204 || status === 304 ? null : Buffer.from(await response.arrayBuffer())
  const isWorthEncoding = (plain?.length ?? 0) >= WORTH_ENCODING && ENCODABLE.test(given['content-type'] ?? '')
  const coding = isWorthEncoding ? accepted : null
  const body = plain && coding ? await encode(plain, coding) : plain
  const etag = coding ? contentEtag.replace(/"$/, `-${coding}"`) : contentEtag
  /** Those that a 304 has too. */
  const shared: Record<string, string> = etag === '' ? given : { ...given, etag }
  const headers: Record<string, string> = {
    ...shared,
    ...(body && { 'content-length': String(body.length) }),
    ...(coding && { 'content-encoding': coding }),
  }
  return { status, headers, shared, body, contentEtag }
}

export function answersOf(edition: () => string) {
  const trackUnsent = limitUnsent(MAX_UNSENT_BYTES)
  const [making, others] = [pLimit(MADE_AT_ONCE), pLimit(UNNAMED_AT_ONCE)]
  const kept = lru<Answer>(MAX_BYTES)
  const targets = lru<string>(MAX_TARGETS)

  function send({ incoming, outgoing }: HttpBindings, { status, headers, shared, body, contentEtag }: Answer): void {
    const { 'if-none-match': tags, 'if-modified-since': since } = incoming.headers
    function isKnown(): boolean {
      if (status !== 200 || contentEtag === '') return false
      if (tags === headers['etag']) return true
      // ETags of all codings of the same content match.
      const conditions = { 'if-none-match': tags?.replaceAll(/-(br|gzip)"/g, '"'), 'if-modified-since': since }
      return isUnchanged(conditions, contentEtag, headers['last-modified'] ?? '')
    }
    if (isKnown()) {
      outgoing.writeHead(304, shared).end()
      return
    }
    outgoing.writeHead(status, headers)
    // For a HEAD request, node:http drops the body.
    outgoing.end(body ?? undefined)
    if (body) trackUnsent(outgoing, body)
  }

  const codingOf = ({ headers }: IncomingMessage) => codingFor(headers['accept-encoding']?.toString() ?? '')
  const targetOf = (current: string, { method, url, headers }: IncomingMessage) =>
    `${current} ${method} ${headers['accept-encoding']?.toString()} ${headers.accept} ${url}`

  return {
    /** Answers a target again that was answered in this edition, without finding its resource. Returns whether it was. */
    repeat(exchange: HttpBindings): boolean {
      const answer = kept.get(targets.get(targetOf(edition(), exchange.incoming)) ?? '')
      if (answer && !exchange.outgoing.destroyed) send(exchange, answer)
      return answer !== undefined
    },
    async deliver(exchange: HttpBindings, { name, repeats = false, respond }: Reply) {
      const { incoming, outgoing } = exchange
      const [coding, current] = [codingOf(incoming), edition()]
      const key = name === undefined ? '' : `${current} ${coding} ${name}`
      async function make(): Promise<Answer | undefined> {
        const found = kept.get(key)
        if (found || outgoing.destroyed) return found
        const made = await toAnswer(await respond(), coding)
        if (key !== '' && made.status === 200) kept.put(key, made, (made.body?.length ?? 0) + key.length + ENTRY_BYTES)
        return made
      }
      const answer = kept.get(key) ?? (await (key === '' ? others : making)(make))
      if (answer && !outgoing.destroyed) send(exchange, answer)
      if (repeats && answer?.status === 200) targets.put(targetOf(current, incoming), key)
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
      if (sum(new Set(unsent.values()), ({ length }) => length) <= most) return
      unsent.delete(oldest)
      oldest.destroy()
    }
  }
}
