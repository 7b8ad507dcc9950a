import type { Envelope, ErrorAnswer } from './answers.ts'
import { ApiError, MirrorError, NotFoundError } from './errors.ts'
import { type Exchange, type Reply, TimeoutError } from './request.ts'
import type { Mirror } from './mirror.ts'
import type { Route } from './route.ts'

/** Said by a host of files of a file it does not have. */
export const missing = Symbol('missing')

/** How a bucket or a plain host says that there is no such file. */
const MISSING_STATUS = new Set([403, 404, 410])

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** Whether a body is what a route answers. Rows are taken on trust: to check each costs more than the whole client. */
export const isAnswer = <Answer extends Envelope>(body: unknown, { endpoint, has }: Route<Answer>): body is Answer =>
  isObject(body) &&
  body['ok'] === true &&
  body['endpoint'] === endpoint &&
  typeof body['timestamp'] === 'string' &&
  typeof body['sourceStatus'] === 'string' &&
  body[has] !== undefined

const isRefusal = (body: unknown): body is ErrorAnswer =>
  isObject(body) &&
  body['ok'] === false &&
  isObject(body['error']) &&
  typeof body['error']['code'] === 'string' &&
  typeof body['error']['message'] === 'string'

/**
 * What a mirror answers at the first of some paths where it has something.
 *
 * @throws ApiError when it answers that it will not
 * @throws MirrorError when it does not answer as the API does
 */
export async function documentAt<Answer extends Envelope>(
  { base }: Mirror,
  route: Route<Answer>,
  paths: readonly string[],
  ask: Exchange['get'],
  signal: AbortSignal | undefined,
): Promise<Answer | typeof missing> {
  let outcome: Answer | typeof missing | MirrorError = missing
  for (const path of paths) {
    // One after the other: the next is wanted only where this one is not.
    // eslint-disable-next-line no-await-in-loop
    outcome = read(base, route, await replyOf(base, () => ask(base + path, signal), signal))
    if (outcome !== missing && !(outcome instanceof MirrorError)) return outcome
  }
  if (outcome instanceof MirrorError) throw outcome
  return outcome
}

/** A mirror's reply. What goes wrong on the way is its failure, unless the caller's signal ended it. */
export async function replyOf(
  mirror: string,
  ask: () => Promise<Reply>,
  signal: AbortSignal | undefined,
): Promise<Reply> {
  try {
    return await ask()
  } catch (cause) {
    signal?.throwIfAborted()
    const message = cause instanceof Error ? cause.message : String(cause)
    throw new MirrorError(mirror, cause instanceof TimeoutError ? 'timeout' : 'unreachable', message, cause)
  }
}

/**
 * What a reply comes to: the answer, that there is none, or why it is not one of the API.
 *
 * @throws ApiError when it is a refusal of the API
 */
export function read<Answer extends Envelope>(
  mirror: string,
  route: Route<Answer>,
  { status, body, retryAfterSeconds }: Reply,
): Answer | typeof missing | MirrorError {
  if (status >= 500) return new MirrorError(mirror, 'status', `status ${status}`)
  if (status >= 400) {
    if (isRefusal(body)) {
      const Refusal = status === 404 ? NotFoundError : ApiError
      throw new Refusal({ ...body.error, status }, mirror, retryAfterSeconds)
    }
    return MISSING_STATUS.has(status) ? missing : new MirrorError(mirror, 'status', `status ${status}`)
  }
  if (body === undefined) return new MirrorError(mirror, 'not_json', 'the answer is not JSON')
  return isAnswer(body, route)
    ? body
    : new MirrorError(mirror, 'not_an_answer', `the answer is not one of the endpoint ${route.endpoint}`)
}
