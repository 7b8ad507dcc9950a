import { lru } from '../core/contract/lru.ts'
import { isObject } from '../core/contract/read-json.ts'
import { pickedRows } from '../core/contract/picked.ts'
import type { Envelope } from './answers.ts'
import type { CallOptions, Result, Transport } from './call.ts'
import { ApiError, MirrorError, NoMirrorError, NotFoundError, StaleError } from './errors.ts'
import { type Mirror, inOrder } from './mirror.ts'
import { answerOf, isAnswer, readFrom, replyOf } from './read.ts'
import { type HttpClient, freeze } from './request.ts'
import { type Route, type Values, folded, notFound, requestOf } from './route.ts'

/** Options of {@link mirrorTransport}. */
export interface TransportOptions {
  readonly mirrors: readonly Mirror[]
  readonly http: HttpClient
  readonly maxStaleMs: number
  /** Maximum number of last good answers; none by default. */
  readonly keep?: number
  /** Time of day in ms since 1970. */
  readonly now: () => number
}

/** Creates a transport that asks the mirrors until one answers with a fresh snapshot. */
export const mirrorTransport = (options: TransportOptions): Transport => ({
  read: readerOf(options),
  submit: submitterOf(options),
})

function readerOf({ mirrors, http, maxStaleMs, keep = 0, now }: TransportOptions): Transport['read'] {
  const lastGood = lru<Result<object>>(keep)
  const isLate = ({ staleAfter }: Result<unknown>, byMs = 0): boolean => now() - Date.parse(staleAfter) > byMs

  async function readOnce<Answer extends Envelope>(
    route: Route<Answer>,
    given: Values,
    signal: AbortSignal | undefined,
  ): Promise<Result<Answer>> {
    const { rows, slugs } = requestOf(route, given)
    const result = await firstAnswer(inOrder(mirrors, now()), {
      ask: (mirror) => readFrom({ mirror, http, signal, maxStaleMs, now }, route, given),
      note(mirror, error) {
        // Without a queue, or with one silent source, a mirror still has every other document.
        const isPartial = route.live !== undefined || (error instanceof StaleError && !error.isWhole)
        mirror.failedAt = error && !isPartial ? now() : -Infinity
      },
      isLate,
      signal,
    })
    const { picks } = route
    if (!picks) return { ...result, data: cut(result.data, slugs, rows) }
    const data = picked(result.data, picks, given[picks.name])
    if (!isAnswer(data, { ...route, endpoint: picks.endpoint })) throw notFound(picks.name, result.mirror)
    return { ...result, data }
  }

  return async <Answer extends Envelope>(route: Route<Answer>, values: Values, options: CallOptions<Values> = {}) => {
    const { signal, ...query } = options
    const given = { ...query, ...values }
    const name = JSON.stringify([route.path, route.picks?.name, given])
    try {
      const result = await readOnce(route, given, signal)
      freeze(result.data)
      if (!route.live) lastGood.put(name, result)
      return result
    } catch (error) {
      const last = error instanceof NoMirrorError ? lastGood.get(name) : undefined
      if (!(error instanceof NoMirrorError) || !last || isLate(last, maxStaleMs) || !isAnswerOf(last, route))
        throw error
      return { ...last, stale: last.stale || isLate(last), failure: error }
    }
  }
}

const submitterOf =
  ({ mirrors, http, now }: TransportOptions): Transport['submit'] =>
  (route, body, { signal } = {}) =>
    firstAnswer(inOrder(mirrors, now()), {
      async ask({ base, prefix }) {
        const send = () => http.post(base + prefix + route.path, body, signal)
        const data = answerOf(base, route, await replyOf(base, send, signal))
        if (data instanceof MirrorError || data instanceof NotFoundError) throw data
        return { data, mirror: base }
      },
      // Most mirrors are static hosts that accept no POST, and still serve every document.
      note() {},
      isLate: () => false,
      signal,
    })

const isAnswerOf = <Answer extends Envelope>(result: Result<object>, route: Route<Answer>): result is Result<Answer> =>
  isAnswer(result.data, { ...route, endpoint: route.picks?.endpoint ?? route.endpoint })

/** How mirrors are asked. */
interface Asking<T> {
  readonly ask: (mirror: Mirror) => Promise<T>
  /** Called with each mirror that answered or failed. */
  readonly note: (mirror: Mirror, error?: MirrorError) => void
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
async function firstAnswer<T>(mirrors: readonly Mirror[], { ask, note, isLate, signal }: Asking<T>): Promise<T> {
  const failures: MirrorError[] = []
  let late: T | undefined
  let refusal: ApiError | undefined
  for (const mirror of mirrors) {
    signal?.throwIfAborted()
    try {
      // eslint-disable-next-line no-await-in-loop -- a mirror is only asked after the one before it
      const answer = await ask(mirror)
      note(mirror)
      if (!isLate(answer)) return answer
      late ??= answer
    } catch (error) {
      signal?.throwIfAborted()
      if (error instanceof MirrorError) failures.push(error)
      else if (error instanceof ApiError) refusal ??= error
      else throw error
      note(mirror, error instanceof MirrorError ? error : undefined)
      if (refusal && !(refusal instanceof NotFoundError)) break
    }
  }
  if (late !== undefined) return late
  throw refusal ?? new NoMirrorError(failures)
}

/** Returns the rows with a value as an answer of the endpoint that selects them; null if there are none. */
function picked(
  { ok, product, timestamp, sourceStatus, sourceError, ...more }: Envelope,
  { name, endpoint }: NonNullable<Route['picks']>,
  value: unknown,
): object | null {
  if (!('rows' in more && Array.isArray(more.rows)) || typeof value !== 'string') return null
  const members = pickedRows(more.rows, name, folded(name, value))
  return members && { ok, product, endpoint, timestamp, sourceStatus, sourceError, ...members }
}

/** Returns the rows or prices of an answer by slug; null if it has none. */
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
