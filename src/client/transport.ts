import { lru } from '../contract/lru.ts'
import { isObject } from '../contract/read-json.ts'
import { pickedRows } from '../contract/picked.ts'
import type { Envelope } from './answers.ts'
import type { CallOptions, Result, Transport } from './call.ts'
import { answerOf, isAnswer, missing, replyOf } from './document.ts'
import { ApiError, MirrorError, NoMirrorError, StaleError } from './errors.ts'
import { noQueue, readFrom } from './mirror-read.ts'
import { type Mirror, inOrder, markAnswered, markFailed } from './mirror.ts'
import { type HttpClient, LONGEST_TIMER_MS, frozen, unlessAborted } from './request.ts'
import { type Route, type Values, folded, notFound, requestOf } from './route.ts'

/** Options of {@link mirrorTransport}. */
export interface TransportOptions {
  readonly mirrors: readonly Mirror[]
  readonly http: HttpClient
  readonly maxStaleMs: number
  /** Time after which the next mirror is asked too, in ms. */
  readonly hedgeMs?: number | undefined
  /** How often all mirrors are asked again if none answers. */
  readonly retries?: number | undefined
  /** Maximum number of last good answers. */
  readonly keep?: number | undefined
  /** Time of day in ms since 1970. */
  readonly now: () => number
}

/** Time after which most answers have come. */
const HEDGE_MS = 700

/** First pause before mirrors are asked again. Each further one doubles it. */
const FIRST_RETRY_MS = 500

/** Creates a transport that asks the mirrors until one answers with a fresh snapshot. */
export const mirrorTransport = (options: TransportOptions): Transport => ({
  read: readerOf(options),
  submit: submitterOf(options),
})

function readerOf(options: TransportOptions): Transport['read'] {
  const { mirrors, http, maxStaleMs, hedgeMs = HEDGE_MS, retries = 0, keep = 0, now } = options
  const lastGood = lru<Result<object>>(keep)
  const isLate = ({ staleAfter }: Result<unknown>, byMs = 0): boolean => now() - Date.parse(staleAfter) > byMs

  async function readOnce<Answer extends Envelope>(
    route: Route<Answer>,
    given: Values,
    signal: AbortSignal | undefined,
  ): Promise<Result<Answer>> {
    const { rows, slugs } = requestOf(route, given)
    const result = await firstAnswer(inOrder(mirrors, now()), {
      ask: (mirror, signal) => readFrom({ mirror, http, signal, maxStaleMs, now }, route, given),
      note(mirror, error) {
        if (!error) markAnswered(mirror)
        // Without a queue, or with one silent source, a mirror still has every other document.
        else if (!route.live && !(error instanceof StaleError && !error.isWhole)) markFailed(mirror, now())
      },
      isLate,
      hedgeMs,
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
    for (let retry = 0; ; retry++)
      try {
        // eslint-disable-next-line no-await-in-loop -- the mirrors are only asked again after they failed
        const result = await readOnce(route, given, signal)
        frozen(result.data)
        if (!route.live) lastGood.put(name, result)
        return result
      } catch (error) {
        if (!(error instanceof NoMirrorError)) throw error
        if (retry < retries) {
          // eslint-disable-next-line no-await-in-loop
          await unlessAborted(new Promise((after) => setTimeout(after, FIRST_RETRY_MS * 2 ** retry)), signal)
          continue
        }
        const last = lastGood.get(name)
        if (!last || isLate(last, maxStaleMs) || !isAnswerOf(last, route)) throw error
        return { ...last, stale: last.stale || isLate(last), failure: error }
      }
  }
}

const submitterOf =
  ({ mirrors, http, now }: TransportOptions): Transport['submit'] =>
  (route, body, { signal, idempotencyKey } = {}) => {
    const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }
    return firstAnswer(inOrder(mirrors, now()), {
      async ask(mirror, signal) {
        const send = () => http.post(mirror.base + mirror.prefix + route.path, { body, headers }, signal)
        const data = answerOf(mirror.base, route, await replyOf(mirror.base, send, signal))
        if (data === missing) throw noQueue(mirror)
        if (data instanceof MirrorError) throw data
        return { data, mirror: mirror.base }
      },
      // Most mirrors are static hosts that accept no POST, and still serve every document.
      note() {},
      isLate: () => false,
      hedgeMs: LONGEST_TIMER_MS,
      signal,
    })
  }

const isAnswerOf = <Answer extends Envelope>(result: Result<object>, route: Route<Answer>): result is Result<Answer> =>
  isAnswer(result.data, { ...route, endpoint: route.picks?.endpoint ?? route.endpoint })

/** How mirrors are asked. */
interface Asking<T> {
  readonly ask: (mirror: Mirror, signal: AbortSignal) => Promise<T>
  /** Called with each mirror that answered or failed. */
  readonly note: (mirror: Mirror, error?: MirrorError) => void
  /** Whether the snapshot of an answer is stale, so that another mirror may have a newer one. */
  readonly isLate: (answer: T) => boolean
  readonly hedgeMs: number
  readonly signal: AbortSignal | undefined
}

/**
 * Asks the mirrors in turn: the next one when one fails, is stale, or is silent for `hedgeMs`. Returns the first fresh
 * answer, or else the first stale one. The other requests are aborted.
 *
 * @throws ApiError if the API answers with an error; the other mirrors would answer the same
 * @throws NoMirrorError if every mirror failed
 */
function firstAnswer<T>(mirrors: readonly Mirror[], { ask, note, isLate, hedgeMs, signal }: Asking<T>): Promise<T> {
  const asking = new AbortController()
  const abort = () => asking.abort(signal?.reason)
  const answered = new Promise<T>((resolve, reject) => {
    const failures: (MirrorError | undefined)[] = []
    const late: T[] = []
    let begun = 0
    let open = 0
    let timer: ReturnType<typeof setTimeout> | undefined
    const conclude = () => {
      const [first] = late
      if (first === undefined) reject(new NoMirrorError(failures.filter((one) => one !== undefined)))
      else resolve(first)
    }
    async function askOne(mirror: Mirror, place: number): Promise<void> {
      try {
        const answer = await ask(mirror, asking.signal)
        if (asking.signal.aborted) return
        note(mirror)
        if (!isLate(answer)) return resolve(answer)
        late.push(answer)
      } catch (error) {
        if (asking.signal.aborted) return reject(error)
        if (!(error instanceof MirrorError)) {
          if (error instanceof ApiError) note(mirror)
          return late.length > 0 ? conclude() : reject(error)
        }
        note(mirror, error)
        failures[place] = error
      }
      open--
      next()
    }
    function next(): void {
      clearTimeout(timer)
      const place = begun
      const mirror = mirrors[place]
      if (!mirror) return open === 0 ? conclude() : undefined
      begun++
      open++
      if (begun < mirrors.length) timer = setTimeout(next, Math.min(hedgeMs, LONGEST_TIMER_MS))
      void askOne(mirror, place)
    }
    asking.signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
    if (signal?.aborted) abort()
    signal?.addEventListener('abort', abort, { once: true })
    next()
  })
  return answered.finally(() => {
    signal?.removeEventListener('abort', abort)
    asking.abort()
  })
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
    ...(slugs && { missing: slugs.filter((slug) => !found.has(slug)).toSorted() }),
    ...('prices' in answer ? { prices: Object.fromEntries(kept) } : { rows: kept.map(([, row]) => row) }),
  }
}
