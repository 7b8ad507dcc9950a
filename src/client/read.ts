import { isObject } from '../core/contract/read-json.ts'
import { isoOf } from '../core/contract/time.ts'
import type { AssetAnswer, Envelope, ErrorAnswer } from './answers.ts'
import type { Result } from './call.ts'
import { ApiError, MirrorError, NotFoundError, StaleError } from './errors.ts'
import { ROUTES } from './methods.ts'
import type { Mirror } from './mirror.ts'
import type { HttpClient, Reply } from './request.ts'
import { type Route, type Values, HAVE_FEW, isOfAsset, notFound, requestOf } from './route.ts'

/** Statuses that buckets and static hosts answer for a missing file. */
const MISSING_STATUS = new Set([403, 404, 410])
/** A stale `/head` is read again after this time, for which hosts and proxies cache it. */
const HEAD_AGE_MS = 60_000
/** Some 3,000 years. Sums of later times might be none. */
const LATEST_MS = 1e14
/** Maximum number of successive replacements of a slug that are followed. */
const MOST_HOPS = 3

/** One mirror, and how to read from it. */
export interface MirrorCall {
  readonly mirror: Mirror
  readonly http: HttpClient
  readonly signal: AbortSignal | undefined
  readonly maxStaleMs: number
  /** Time of day in ms since 1970. */
  readonly now: () => number
}

/** Returns a time in ms since 1970; NaN for what a host states in place of one. */
function timeIn(value: unknown): number {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Math.abs(time) < LATEST_MS ? time : Number.NaN
}

/**
 * Reads the answer to a call from one mirror, with its freshness. Follows a replaced slug, because a static host cannot
 * redirect.
 *
 * @throws NotFoundError if the mirror does not have the document
 * @throws ApiError if the API answers with another error
 * @throws MirrorError if the mirror does not answer as the API does, does not know the endpoint, or its data is too old
 */
export async function readFrom<Answer extends Envelope>(
  call: MirrorCall,
  route: Route<Answer>,
  values: Values,
  hops = MOST_HOPS,
): Promise<Result<Answer>> {
  const { mirror, now, maxStaleMs } = call
  // In parallel, so the first call to a mirror takes no longer than the next.
  const [data, staleAfter] = await Promise.all([documentOf(call, route, values), staleAfterOf(call)])
  const staleForMs = now() - Date.parse(staleAfter)
  if (staleForMs > maxStaleMs) throw new StaleError(mirror.base, staleForMs, true)
  const slug = await successorOf(call, route, values, data)
  if (slug !== null && hops > 0) return readFrom(call, route, { ...values, slug }, hops - 1)
  if (data instanceof NotFoundError) throw data
  const { sourceStatus, sourceError } = data
  const isCarried = sourceStatus === 'stale' || sourceStatus === 'down'
  const carriedForMs = isCarried && sourceError ? now() - timeIn(sourceError.since) : 0
  if (carriedForMs > maxStaleMs) throw new StaleError(mirror.base, carriedForMs, false)
  return { data, stale: isCarried || staleForMs > 0, staleAfter, mirror: mirror.base, failure: null }
}

/** Returns when the mirror's snapshot becomes stale: what `/head` said, which is read again once that is over. */
async function staleAfterOf(call: MirrorCall): Promise<string> {
  const { mirror, now } = call
  const { staleAfter, readAt } = mirror
  if (staleAfter !== null && (now() <= Date.parse(staleAfter) || now() - readAt < HEAD_AGE_MS)) return staleAfter
  const head = await documentOf(call, ROUTES.head, {})
  const time = head instanceof NotFoundError ? Number.NaN : timeIn(head.staleAfter)
  if (Number.isNaN(time))
    throw new MirrorError(mirror.base, 'not_an_answer', 'it has no /head that says how fresh it is')
  mirror.readAt = now()
  mirror.staleAfter = isoOf(time)
  return mirror.staleAfter
}

/** Returns the slug that replaced the requested one; null if it is current or the document is not of an asset. */
async function successorOf(
  call: MirrorCall,
  route: Route,
  values: Values,
  data: Envelope | NotFoundError,
): Promise<string | null> {
  if (!isOfAsset(route)) return null
  if ('replacedBy' in data && typeof data.replacedBy === 'string') return data.replacedBy
  const isOther = data instanceof NotFoundError && route.endpoint !== ROUTES.asset.endpoint
  const profile = isOther ? await documentOf(call, ROUTES.asset, values) : data
  const slug: unknown = isProfile(profile) ? profile.asset.replaced_by : null
  return typeof slug === 'string' ? slug : null
}

const isProfile = (data: Envelope | NotFoundError): data is AssetAnswer => 'asset' in data

/** Reads a document from the first of its paths at which the mirror has it. */
async function documentOf<Answer extends Envelope>(
  { mirror: { base, prefix }, http, signal }: MirrorCall,
  route: Route<Answer>,
  values: Values,
): Promise<Answer | NotFoundError> {
  let absent: NotFoundError | MirrorError | null = null
  for (const path of requestOf(route, values).paths) {
    // eslint-disable-next-line no-await-in-loop -- a path is only requested if the one before it is missing
    const reply = await replyOf(base, () => http.get(base + prefix + path, signal), signal)
    const answer = answerOf(base, route, reply)
    if (!(answer instanceof NotFoundError || answer instanceof MirrorError)) return answer
    absent = answer
  }
  if (absent instanceof NotFoundError) return absent
  throw absent ?? new TypeError('A route has no path')
}

/** Returns the reply to a request. @throws MirrorError if the request fails, except by the caller's signal */
export async function replyOf(
  mirror: string,
  request: () => Promise<Reply>,
  signal: AbortSignal | undefined,
): Promise<Reply> {
  try {
    return await request()
  } catch (cause) {
    signal?.throwIfAborted()
    const { name, message } = cause instanceof Error ? cause : { name: '', message: String(cause) }
    const isLate = name === 'TimeoutError'
    throw new MirrorError(mirror, isLate ? 'timeout' : 'unreachable', isLate ? 'no answer in time' : message, cause)
  }
}

/**
 * Returns the answer in a reply, that it is missing, or why the reply is not an answer of the API.
 *
 * @throws ApiError if the reply is another error answer of the API
 */
export function answerOf<Answer extends Envelope>(
  mirror: string,
  route: Route<Answer>,
  reply: Reply,
): Answer | NotFoundError | MirrorError {
  const { status, body } = reply
  if (status >= 400) return errorOf(mirror, route, reply)
  if (body === undefined) return new MirrorError(mirror, 'not_json', 'the answer is not JSON')
  if (isAnswer(body, route)) return body
  return new MirrorError(mirror, 'not_an_answer', `the answer is not one of ${route.endpoint}`)
}

function errorOf(mirror: string, route: Route, { status, body, retryAfterSeconds }: Reply) {
  // Another name is that of a path that the mirror does not know.
  const error = status < 500 && isErrorAnswer(body) && body.endpoint === route.endpoint ? body.error : null
  if (status === 404 && error) return new NotFoundError({ ...error, status }, mirror)
  if (error) throw new ApiError({ ...error, status }, mirror, retryAfterSeconds)
  const [, parameter] = /\/:(\w+)/.exec(route.path) ?? []
  // Without a name in its path, every tree has the document. A host of files has no queue.
  const isName = parameter !== undefined && !route.live && !isObject(body)
  if (MISSING_STATUS.has(status) && isName) return notFound(parameter, mirror, !HAVE_FEW.test(route.path))
  return new MirrorError(mirror, 'status', `status ${status} for ${route.path || 'the index'}`)
}

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
