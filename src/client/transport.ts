import { isObject } from '../contract/read-json.ts'
import { pickedRows } from '../contract/picked.ts'
import type { Envelope } from './answers.ts'
import type { Transport } from './call.ts'
import { answerOf, isAnswer, missing, replyOf } from './document.ts'
import { ApiError, MirrorError, NoMirrorError, StaleError } from './errors.ts'
import { noQueue, readFrom } from './mirror-read.ts'
import { type Mirror, inOrder, markAnswered, markFailed } from './mirror.ts'
import type { HttpClient } from './request.ts'
import { type Route, folded, notFound, requestOf } from './route.ts'

/** Options of {@link mirrorTransport}. */
export interface TransportOptions {
  readonly mirrors: readonly Mirror[]
  readonly http: HttpClient
  readonly maxStaleMs: number
  /** Time of day in ms since 1970. */
  readonly now: () => number
}

/** Creates a transport that asks the mirrors one after another until one answers. */
export function mirrorTransport({ mirrors, http, maxStaleMs, now }: TransportOptions): Transport {
  return {
    async read(route, values, options = {}) {
      const { signal } = options
      const given = { ...options, ...values }
      const { rows, slugs } = requestOf(route, given)
      const result = await firstAnswer(
        inOrder(mirrors, now()),
        (mirror) => readFrom({ mirror, http, signal, maxStaleMs, now }, route, given),
        (mirror, error) => {
          if (!error) markAnswered(mirror)
          // Without a queue, or with one silent source, a mirror still has every other document.
          else if (!route.live && !(error instanceof StaleError && !error.isWhole)) markFailed(mirror, now())
        },
      )
      const { picks } = route
      if (!picks) return { ...result, data: limited(selected(result.data, slugs), rows) }
      const data = picked(result.data, picks, values[picks.name])
      if (!isAnswer(data, { ...route, endpoint: picks.endpoint })) throw notFound(picks.name, result.mirror)
      return { ...result, data }
    },

    submit(route, body, { signal, idempotencyKey } = {}) {
      const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }
      return firstAnswer(
        inOrder(mirrors, now()),
        async (mirror) => {
          const send = () => http.post(mirror.base + mirror.prefix + route.path, { body, headers }, signal)
          const data = answerOf(mirror.base, route, await replyOf(mirror.base, send, signal))
          if (data === missing) throw noQueue(mirror)
          if (data instanceof MirrorError) throw data
          return { data, mirror: mirror.base }
        },
        // Most mirrors are static hosts that accept no POST, and still serve every document.
        () => {},
      )
    },
  }
}

/**
 * Asks each mirror in turn until one answers.
 *
 * @param note called with each mirror that answered or failed
 * @throws ApiError if the API answers with an error; the other mirrors would answer the same
 * @throws NoMirrorError if every mirror failed
 */
async function firstAnswer<T>(
  mirrors: readonly Mirror[],
  ask: (mirror: Mirror) => Promise<T>,
  note: (mirror: Mirror, error?: MirrorError) => void,
): Promise<T> {
  const failures: MirrorError[] = []
  for (const mirror of mirrors) {
    try {
      // eslint-disable-next-line no-await-in-loop -- a mirror is only asked if the one before it failed
      const answer = await ask(mirror)
      note(mirror)
      return answer
    } catch (error) {
      if (!(error instanceof MirrorError)) {
        if (error instanceof ApiError) note(mirror)
        throw error
      }
      note(mirror, error)
      failures.push(error)
    }
  }
  throw new NoMirrorError(failures)
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

/** Returns an answer with the rows or prices of some slugs, and the slugs without one as `missing`. */
function selected<Answer extends object>(answer: Answer, slugs: readonly string[] | null): Answer {
  if (slugs === null) return answer
  const wanted = new Set(slugs)
  const kept = (found: ReadonlySet<unknown>) => ({
    count: found.size,
    missing: slugs.filter((slug) => !found.has(slug)).toSorted(),
  })
  if ('prices' in answer && isObject(answer.prices)) {
    const entries = Object.entries(answer.prices).filter(([slug]) => wanted.has(slug))
    return { ...answer, ...kept(new Set(entries.map(([slug]) => slug))), prices: Object.fromEntries(entries) }
  }
  if (!('rows' in answer && Array.isArray(answer.rows))) return answer
  const rows = answer.rows.filter(({ slug }) => wanted.has(slug))
  return { ...answer, ...kept(new Set(rows.map(({ slug }) => slug))), rows }
}

/** Returns an answer with at most `most` rows or prices. */
function limited<Answer extends object>(answer: Answer, most: number): Answer {
  if ('prices' in answer && isObject(answer.prices)) {
    const entries = Object.entries(answer.prices)
    return entries.length <= most
      ? answer
      : { ...answer, count: most, prices: Object.fromEntries(entries.slice(0, most)) }
  }
  if (!('rows' in answer && Array.isArray(answer.rows)) || answer.rows.length <= most) return answer
  return { ...answer, count: most, rows: answer.rows.slice(0, most) }
}
