import { renameFile } from '../core/contract/paths.ts'
import { isObject } from '../core/contract/read-json.ts'
import { isoOf } from '../core/contract/time.ts'
import type { AssetAnswer, Envelope, ErrorAnswer } from './answers.ts'
import type { Result, Sent } from './call.ts'
import { ApiError, MirrorError, NotFoundError, StaleError } from './errors.ts'
import type { HttpClient, HttpReply } from './http.ts'
import { ROUTES } from './methods.ts'
import { type Route, type Values, isOfAsset, isSlug, notFound, routeRequest } from './route.ts'

/** Pause of a mirror after a failure: other mirrors are preferred. */
const PAUSE_MS = 60_000
/** A stale `/head` is read again after this time, for which hosts and proxies cache it. */
const HEAD_AGE_MS = 60_000
/** Statuses that buckets and static hosts answer for a missing file. */
const MISSING_STATUS = new Set([403, 404, 410])
/** Some 3,000 years. Sums of later times might be none. */
const LATEST_MS = 1e14
/** Maximum number of successive replacements of a slug that are followed. */
const MOST_HOPS = 3

interface Edge {
  readonly http: HttpClient
  readonly maxStaleMs: number
  readonly now: () => number
}

export type Signal = AbortSignal | undefined
export type Mirror = ReturnType<typeof mirrorAt>

/** Creates what reads from a host of the tree, and knows its last failure and how fresh its snapshot is. */
function mirrorAt(base: string, prefix: string, { http, maxStaleMs, now }: Edge) {
  let failedAt = -Infinity
  /** `staleAfter` of its `/head`, and when that was read. */
  let head: { readonly staleAfter: string; readonly readAt: number } | null = null

  async function documentAt<Answer extends Envelope>(route: Route<Answer>, values: Values, signal: Signal) {
    const [path = '', whole] = routeRequest(route, values).paths
    const ask = (at: string) => answerTo(http.get(base + prefix + at, signal), base, route, signal)
    const answer = await ask(path)
    const found = answer instanceof Error && whole !== undefined ? await ask(whole) : answer
    if (found instanceof MirrorError) throw found
    return found
  }

  /** Returns when the snapshot becomes stale: what `/head` said, which is read again once that is over. */
  async function staleAfterOf(signal: Signal): Promise<string> {
    if (head && (now() <= Date.parse(head.staleAfter) || now() - head.readAt < HEAD_AGE_MS)) return head.staleAfter
    const found = await documentAt(ROUTES.head, {}, signal)
    const time = found instanceof NotFoundError ? Number.NaN : timeIn(found.staleAfter)
    if (Number.isNaN(time)) throw new MirrorError(base, 'not_an_answer', 'it has no /head that says how fresh it is')
    head = { staleAfter: isoOf(time), readAt: now() }
    return head.staleAfter
  }

  async function current<Answer extends Envelope>(
    route: Route<Answer>,
    values: Values,
    signal: Signal,
    hops: number,
  ): Promise<Result<Answer>> {
    // In parallel, so the first call to a mirror takes no longer than the next.
    const [data, staleAfter] = await Promise.all([documentAt(route, values, signal), staleAfterOf(signal)])
    const staleForMs = now() - Date.parse(staleAfter)
    if (staleForMs > maxStaleMs) throw new StaleError(base, staleForMs, true)
    // What is not there may be of a slug that was replaced, which its profile says.
    const isOther = data instanceof NotFoundError && isOfAsset(route) && route.endpoint !== ROUTES.asset.endpoint
    const profile = isOther ? await documentAt(ROUTES.asset, values, signal) : data
    const alias = () => (profile instanceof NotFoundError ? listingOf(http, base, values['slug'], signal) : null)
    const slug = isOfAsset(route) ? (successorIn(profile) ?? (await alias())) : null
    if (slug !== null && hops > 0) return current(route, { ...values, slug }, signal, hops - 1)
    if (data instanceof NotFoundError) throw data
    const isCarried = data.sourceStatus === 'stale' || data.sourceStatus === 'down'
    const carriedForMs = isCarried && data.sourceError ? now() - timeIn(data.sourceError.since) : 0
    if (carriedForMs > maxStaleMs) throw new StaleError(base, carriedForMs, false)
    return { data, stale: isCarried || staleForMs > 0, staleAfter, mirror: base, failure: null }
  }

  return {
    rank: (): number =>
      now() - failedAt < PAUSE_MS ? 2 : Number(head !== null && now() > Date.parse(head.staleAfter)),

    /** Sends a body. @throws NotFoundError, ApiError or MirrorError */
    async submit<Answer extends Envelope>(route: Route<Answer>, body: object, signal: Signal): Promise<Sent<Answer>> {
      const data = await answerTo(http.post(base + prefix + route.path, body, signal), base, route, signal)
      if (data instanceof MirrorError || data instanceof NotFoundError) throw data
      return { data, mirror: base }
    },

    /**
     * Reads the answer to a call, with its freshness. Follows a replaced slug, because a static host cannot redirect.
     *
     * @throws NotFoundError if the mirror does not have the document
     * @throws ApiError if the API answers with another error
     * @throws MirrorError if the mirror does not answer as the API does, does not know the endpoint, or its data is too old
     */
    async read<Answer extends Envelope>(route: Route<Answer>, values: Values, signal: Signal): Promise<Result<Answer>> {
      try {
        const result = await current(route, values, signal, MOST_HOPS)
        failedAt = -Infinity
        return result
      } catch (error) {
        // Without a queue, or with one silent source, a mirror still has every other document.
        const isPartial = route.live !== undefined || (error instanceof StaleError && !error.isWhole)
        if (!signal?.aborted) failedAt = error instanceof MirrorError && !isPartial ? now() : -Infinity
        throw error
      }
    },
  }
}

/** Returns the slug that another one is an alias of, which a host without a function has in a file; null: of none. */
async function listingOf(http: HttpClient, base: string, slug: unknown, signal: Signal): Promise<string | null> {
  if (!isSlug(slug)) return null
  const { body } = await http.get(base + renameFile(slug), signal).catch(() => ({ body: null }))
  return isObject(body) && typeof body['replaced_by'] === 'string' ? body['replaced_by'] : null
}

/** Returns the slug that replaced that of a document; null if it is current. */
function successorIn(data: Envelope | NotFoundError): string | null {
  const slug: unknown = 'replacedBy' in data ? data.replacedBy : isProfile(data) ? data.asset.replaced_by : null
  return typeof slug === 'string' ? slug : null
}

/**
 * Returns the answer to a request, that it is missing, or why it is not one of the API.
 *
 * @throws ApiError of the API, and MirrorError if the request fails, except by the caller's signal
 */
async function answerTo<Answer extends Envelope>(
  request: Promise<HttpReply>,
  base: string,
  route: Route<Answer>,
  signal: Signal,
) {
  const reply = await request.catch((cause: unknown) => {
    signal?.throwIfAborted()
    const { name, message } = cause instanceof Error ? cause : { name: '', message: String(cause) }
    if (name === 'TimeoutError') throw new MirrorError(base, 'timeout', 'no answer in time', cause)
    throw new MirrorError(base, 'unreachable', message, cause)
  })
  const { status, body } = reply
  if (status >= 400) return refusalIn(base, route, reply)
  if (body === undefined) return new MirrorError(base, 'not_json', 'the answer is not JSON')
  if (isAnswer(body, route)) return body
  return new MirrorError(base, 'not_an_answer', `the answer is not one of ${route.endpoint}`)
}

function refusalIn(base: string, route: Route, { status, body, retryAfterSeconds }: HttpReply) {
  // Another name is that of a path that the mirror does not know.
  const error = status < 500 && isErrorAnswer(body) && body.endpoint === route.endpoint ? body.error : null
  if (status === 404 && error) return new NotFoundError({ ...error, status }, base)
  if (error) throw new ApiError({ ...error, status }, base, retryAfterSeconds)
  const [, parameter] = /\/:(\w+)/.exec(route.path) ?? []
  // Without a name in its path, every tree has the document. A host of files has no queue.
  const isName = parameter !== undefined && !route.live && !isObject(body)
  if (MISSING_STATUS.has(status) && isName) return notFound(parameter, base, route.path)
  return new MirrorError(base, 'status', `status ${status} for ${route.path || 'the index'}`)
}

/** Returns a time in ms since 1970; NaN for what a host states in place of one. */
function timeIn(value: unknown): number {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Math.abs(time) < LATEST_MS ? time : Number.NaN
}

const isProfile = (data: Envelope | NotFoundError): data is AssetAnswer => 'asset' in data

/**
 * Whether a body is an answer of a route. The members of rows are not checked: that would need a validator larger than the
 * client.
 */
export const isAnswer = <Answer extends Envelope>(
  body: unknown,
  { endpoint, member = 'rows' }: Route<Answer>,
): body is Answer =>
  isObject(body) &&
  body['ok'] === true &&
  body['endpoint'] === endpoint &&
  typeof body['timestamp'] === 'string' &&
  typeof body['sourceStatus'] === 'string' &&
  (member === 'rows') === Array.isArray(body[member]) &&
  [body[member]].flat().every((value) => isObject(value) || (member !== 'rows' && typeof value === 'string'))

const isErrorAnswer = (body: unknown): body is ErrorAnswer =>
  isObject(body) &&
  body['ok'] === false &&
  isObject(body['error']) &&
  typeof body['error']['code'] === 'string' &&
  typeof body['error']['message'] === 'string'

const CDNS = ['https://cdn.jsdelivr.net/npm/', 'https://unpkg.com/']

function copiesOf(address: string): readonly string[] {
  const base = ['npm:', ...CDNS].find((one) => address.startsWith(one))
  const all = base ? CDNS.map((cdn) => cdn + address.slice(base.length)) : [address]
  return all.toSorted((a, b) => +(b === address) - +(a === address))
}

/** Creates the mirrors at some addresses, copies last. @throws TypeError that says in a sentence how to write the address */
export function mirrorsAt(addresses: string | readonly string[] | undefined, prefix: string, edge: Edge) {
  const path = `/${prefix.replaceAll(/^\/+|\/+$/g, '')}`
  const given = [addresses ?? []].flat().map((address) => copiesOf(address.trim()))
  if (given.length === 0) throw new TypeError('mirrors needs an address, such as https://you.github.io/quotetree.')
  const [own, others] = [given.map(([first = '']) => first), given.flatMap(([, ...copies]) => copies)]
  return [...own, ...others].map((address) => mirrorAt(baseOf(address, path), path, edge))
}

function baseOf(address: string, prefix: string): string {
  const isRelative = /^(\.{0,2}\/|\.{1,2}$)/.test(address)
  if (address === '')
    throw new TypeError('mirrors has an empty address: write one such as https://you.github.io/quotetree.')
  if (!isRelative && !/^[a-z][a-z\d+.-]*:\/\//i.test(address)) {
    const scheme = /^(localhost|127\.|\[)/.test(address) ? 'http' : 'https'
    const rest = address.replace(/^[a-z]*:?\/+/i, '')
    throw new TypeError(`mirrors has "${address}", which lacks its scheme: write ${scheme}://${rest}.`)
  }
  if (!URL.canParse(address, globalThis.location?.href))
    throw new TypeError(`mirrors has "${address}", which is not an address: write one such as https://you.github.io.`)
  const base = new URL(address, globalThis.location?.href).href.replace(/\/+$/, '')
  if (base.endsWith(prefix))
    throw new TypeError(`mirrors has "${address}": leave out ${prefix}, and write ${base.slice(0, -prefix.length)}.`)
  return base
}
