import { isObject } from '../contract/read-json.ts'
import type { Envelope, ErrorAnswer } from './answers.ts'
import { ApiError, MirrorError, NotFoundError } from './errors.ts'
import type { Mirror } from './mirror.ts'
import { type HttpClient, type Reply, TimeoutError } from './request.ts'
import type { Route } from './route.ts'

/** The result of reading a file that a static host does not have. */
export const missing = Symbol('missing')

/** Statuses that buckets and static hosts answer for a missing file. */
export const MISSING_STATUS = new Set([403, 404, 410])

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

/** One mirror and what is needed to read from it. */
export interface MirrorCall {
  readonly mirror: Mirror
  readonly http: HttpClient
  readonly signal: AbortSignal | undefined
}

/**
 * Reads a document from the first of some paths at which the mirror has it.
 *
 * @param member name of the document in a block, if the paths are of one
 * @throws ApiError if the API answers with an error
 * @throws MirrorError if the mirror does not answer as the API does
 */
export async function readDocument<Answer extends Envelope>(
  { mirror: { base }, http, signal }: MirrorCall,
  route: Route<Answer>,
  paths: readonly string[],
  member?: string,
): Promise<Answer | typeof missing> {
  let outcome: Answer | typeof missing | MirrorError = missing
  for (const path of paths) {
    // eslint-disable-next-line no-await-in-loop -- a path is only requested if the one before it is missing
    const reply = await replyOf(base, () => http.get(base + path, signal), signal)
    outcome = answerOf(base, route, member === undefined ? reply : memberOf(reply, member))
    if (outcome !== missing && !(outcome instanceof MirrorError)) return outcome
  }
  if (outcome instanceof MirrorError) throw outcome
  return outcome
}

/** Returns the reply for a document in a block: 404 if the block does not have it. */
function memberOf(reply: Reply, member: string): Reply {
  const body = isObject(reply.body) ? reply.body[member] : undefined
  return { ...reply, body, status: body || reply.status >= 500 ? reply.status : 404 }
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
    const message = cause instanceof Error ? cause.message : String(cause)
    throw new MirrorError(mirror, cause instanceof TimeoutError ? 'timeout' : 'unreachable', message, cause)
  }
}

/**
 * Returns the answer in a reply, `missing`, or why the reply is not an answer of the API.
 *
 * @throws ApiError if the reply is an error answer of the API
 */
export function answerOf<Answer extends Envelope>(
  mirror: string,
  route: Route<Answer>,
  { status, body, retryAfterSeconds }: Reply,
): Answer | typeof missing | MirrorError {
  if (status >= 500) return new MirrorError(mirror, 'status', `status ${status}`)
  if (status >= 400) {
    if (isErrorAnswer(body)) {
      const AnswerError = status === 404 ? NotFoundError : ApiError
      throw new AnswerError({ ...body.error, status }, mirror, retryAfterSeconds)
    }
    return MISSING_STATUS.has(status) ? missing : new MirrorError(mirror, 'status', `status ${status}`)
  }
  if (body === undefined) return new MirrorError(mirror, 'not_json', 'the answer is not JSON')
  return isAnswer(body, route)
    ? body
    : new MirrorError(mirror, 'not_an_answer', `the answer is not one of ${route.endpoint}`)
}
