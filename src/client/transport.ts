import { lru } from '../core/contract/lru.ts'
import { PREFIX } from '../core/contract/prefix.ts'
import { isObject } from '../core/contract/read-json.ts'
import { pickedRows } from '../core/contract/picked.ts'
import type { Envelope } from './answers.ts'
import type { CallOptions, ClientOptions, Result, Sent } from './call.ts'
import { ApiError, MirrorError, NoMirrorError, NotFoundError, StaleError } from './errors.ts'
import { freeze, httpClient } from './http.ts'
import { type Mirror, isAnswer, mirrorsAt } from './mirror.ts'
import { type Route, type RouteRequest, type Values, folded, notFound, routeRequest } from './route.ts'

const KEPT_ANSWERS = 100

/** Creates what asks mirrors until one answers with a fresh snapshot. @throws TypeError if there is no mirror, or a mirror's address is not valid */
export function transportOf({
  mirrors: addresses,
  prefix = PREFIX,
  fetch = (...request) => globalThis.fetch(...request),
  timeoutMs = 10_000,
  maxStaleMs = Infinity,
  onRequest,
  now = Date.now,
}: ClientOptions) {
  const http = httpClient({ fetch, timeoutMs, onRequest })
  const mirrors = mirrorsAt(addresses, prefix, { http, maxStaleMs, now })
  const lastGood = lru<Result<object>>(KEPT_ANSWERS)
  const inOrder = () => mirrors.toSorted((a, b) => a.rank() - b.rank())
  const isLate = ({ staleAfter }: Result<unknown>, byMs = 0): boolean => now() - Date.parse(staleAfter) > byMs
  return {
    read: async <Answer extends Envelope>(
      route: Route<Answer>,
      values: Values,
      options: CallOptions<Values> = {},
    ): Promise<Result<Answer>> => {
      const { signal, ...query } = options
      const given = { ...query, ...values }
      const name = JSON.stringify([route.path, route.picks?.name, given])
      const request = routeRequest(route, given)
      try {
        const ask = (mirror: Mirror) => asked(mirror, route, given, signal)
        const result = partOf(await firstAnswer(inOrder(), { ask, isLate, signal }), route, given, request)
        freeze(result.data)
        if (!route.live) lastGood.put(name, result)
        return result
      } catch (error) {
        const last = error instanceof NoMirrorError ? lastGood.get(name) : undefined
        if (!(error instanceof NoMirrorError) || !last || isLate(last, maxStaleMs) || !isAnswerOf(last, route))
          throw error
        return { ...last, stale: last.stale || isLate(last), failure: error }
      }
    },
    /** Sends a body. Most mirrors are static hosts that accept none, and still serve every document. */
    submit: <Answer extends Envelope>(
      route: Route<Answer>,
      body: object,
      { signal }: CallOptions = {},
    ): Promise<Sent<Answer>> =>
      firstAnswer(inOrder(), { ask: (mirror) => mirror.submit(route, body, signal), isLate: () => false, signal }),
  }
}

async function asked<Answer extends Envelope>(
  mirror: Mirror,
  route: Route<Answer>,
  given: Values,
  signal: AbortSignal | undefined,
): Promise<Result<Answer>> {
  try {
    const result = await mirror.read(route, given, signal)
    mirror.note(false)
    return result
  } catch (error) {
    // Without a queue, or with one silent source, a mirror still has every other document.
    const isPartial = route.live !== undefined || (error instanceof StaleError && !error.isWhole)
    if (!signal?.aborted) mirror.note(error instanceof MirrorError && !isPartial)
    throw error
  }
}

const isAnswerOf = <Answer extends Envelope>(result: Result<object>, route: Route<Answer>): result is Result<Answer> =>
  isAnswer(result.data, { ...route, endpoint: route.picks?.endpoint ?? route.endpoint })

interface Asking<T> {
  readonly ask: (mirror: Mirror) => Promise<T>
  /** Whether the snapshot of an answer is stale, so that another mirror may have a newer one. */
  readonly isLate: (answer: T) => boolean
  readonly signal: AbortSignal | undefined
}

/**
 * Asks the mirrors in turn: the next one when one fails, is stale, or does not have the document. Returns the first fresh
 * answer, or else the first stale one.
 *
 * @throws ApiError if the API answers with an error; the other mirrors would answer the same
 * @throws NotFoundError if no mirror has the document
 * @throws NoMirrorError if every mirror failed
 */
async function firstAnswer<T>(mirrors: readonly Mirror[], { ask, isLate, signal }: Asking<T>): Promise<T> {
  const failures: MirrorError[] = []
  let late: T | undefined
  let refusal: ApiError | undefined
  for (const mirror of mirrors) {
    signal?.throwIfAborted()
    try {
      // eslint-disable-next-line no-await-in-loop -- a mirror is only asked after the one before it
      const answer = await ask(mirror)
      if (!isLate(answer)) return answer
      late ??= answer
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof MirrorError) failures.push(error)
      else if (error instanceof ApiError) refusal ??= error
      else throw error
      if (refusal && !(refusal instanceof NotFoundError)) break
    }
  }
  if (late !== undefined) return late
  throw refusal ?? new NoMirrorError(failures)
}

/** Returns the rows that a call asks for of an answer. @throws NotFoundError if it selects one that is not there */
function partOf<Answer extends Envelope>(
  result: Result<Answer>,
  route: Route<Answer>,
  given: Values,
  { rows, slugs }: RouteRequest,
): Result<Answer> {
  const { picks } = route
  if (!picks) return { ...result, data: cut(result.data, slugs, rows) }
  const data = picked(result.data, picks, given[picks.name])
  if (!isAnswer(data, { ...route, endpoint: picks.endpoint })) throw notFound(picks.name, result.mirror)
  return { ...result, data }
}

function picked(
  { ok, product, timestamp, sourceStatus, sourceError, ...more }: Envelope,
  { name, endpoint }: NonNullable<Route['picks']>,
  value: unknown,
): object | null {
  if (!('rows' in more && Array.isArray(more.rows)) || typeof value !== 'string') return null
  const members = pickedRows(more.rows, name, folded(name, value))
  return members && { ok, product, endpoint, timestamp, sourceStatus, sourceError, ...members }
}

const entriesOf = (answer: object): readonly (readonly [string, unknown])[] | null =>
  'prices' in answer && isObject(answer.prices)
    ? Object.entries(answer.prices)
    : 'rows' in answer && Array.isArray(answer.rows)
      ? answer.rows.map((row) => [row.slug, row])
      : null

/** Returns an answer with the first `most` rows or prices of some slugs, and the slugs without one as `missing`. */
function cut<Answer extends object>(answer: Answer, slugs: readonly string[] | null, most: number): Answer {
  const all = entriesOf(answer)
  if (all === null || (slugs === null && all.length <= most)) return answer
  const own = slugs === null ? all : all.filter(([slug]) => slugs.includes(slug))
  const kept = own.slice(0, most)
  const found = new Set(own.map(([slug]) => slug))
  return {
    ...answer,
    count: kept.length,
    ...('prices' in answer ? { prices: Object.fromEntries(kept) } : { rows: kept.map(([, row]) => row) }),
    ...(slugs && { missing: slugs.filter((slug) => !found.has(slug)).toSorted() }),
  }
}
