import { pickedRows } from '../contract/picked.ts'
import type { AssetAnswer, Envelope } from './answers.ts'
import type { Result, Transport } from './call.ts'
import { documentAt, isAnswer, missing, read as readReply, replyOf } from './document.ts'
import { ApiError, MirrorError, NoMirrorError, StaleError } from './errors.ts'
import type { Exchange } from './request.ts'
import { ROUTES } from './methods.ts'
import { type Mirror, answered, failed, inOrder } from './mirror.ts'
import { type Asked, type Route, folded, isOfAsset, notFound, placesOf } from './route.ts'

/** An index that is out of date is asked again after so long: hosts and proxies keep one for a minute. */
const INDEX_AGE_MS = 60_000

/** A slug that was given up for one that was given up in turn is followed so far. */
const MOST_HOPS = 3

/** What is needed to ask mirrors. */
export interface Reach {
  readonly mirrors: readonly Mirror[]
  readonly exchange: Exchange
  readonly maxStaleMs: number
  /** Time of day in ms since 1970. */
  readonly now: () => number
}

/** Asks mirrors one after the other until one answers. */
export function transportOver({ mirrors, exchange, maxStaleMs, now }: Reach): Transport {
  async function askIndex(mirror: Mirror, signal: AbortSignal | undefined): Promise<string> {
    const { paths } = placesOf(ROUTES.index, {})
    const index = await documentAt(mirror, ROUTES.index, paths, exchange.get, signal)
    if (index === missing || Number.isNaN(Date.parse(index.staleAfter)))
      throw new MirrorError(mirror.base, 'not_an_answer', 'it has no index')
    mirror.indexAskedAt = now()
    mirror.staleAfter = index.staleAfter
    return index.staleAfter
  }

  /** An index holds until the time it names itself, so one that has not passed is not asked again. */
  function staleAfterOf(mirror: Mirror, signal: AbortSignal | undefined): Promise<string> | string {
    const { staleAfter, indexAskedAt } = mirror
    const holds = staleAfter !== null && (now() <= Date.parse(staleAfter) || now() - indexAskedAt < INDEX_AGE_MS)
    return holds ? staleAfter : askIndex(mirror, signal)
  }

  function refuseStale({ base }: Mirror, staleForMs: number, isWhole: boolean): void {
    if (staleForMs > maxStaleMs) throw new StaleError(base, staleForMs, isWhole)
  }

  async function readFrom<Answer extends Envelope>(
    mirror: Mirror,
    route: Route<Answer>,
    asked: Asked,
    signal: AbortSignal | undefined,
    hops = MOST_HOPS,
  ): Promise<Result<Answer>> {
    // Both at once: the first call to a mirror takes no longer than the next.
    const [data, staleAfter] = await Promise.all([
      documentAt(mirror, route, placesOf(route, asked).paths, exchange.get, signal),
      staleAfterOf(mirror, signal),
    ])
    const lateByMs = now() - Date.parse(staleAfter)
    refuseStale(mirror, lateByMs, true)
    const slug = await successorIn(mirror, route, asked, data, signal)
    if (slug !== null && hops > 0) return readFrom(mirror, route, { ...asked, slug }, signal, hops - 1)
    if (data === missing) {
      if (route.live) throw new MirrorError(mirror.base, 'status', 'does not accept listing requests')
      // A host of files says the same of one document that is not and of a tree that is not.
      await askIndex(mirror, signal)
      throw notFound(isOfAsset(route) ? 'slug' : null, mirror.base)
    }
    const { sourceStatus, sourceError } = data
    const isCarried = sourceStatus === 'stale' || sourceStatus === 'down'
    if (isCarried && sourceError) refuseStale(mirror, now() - Date.parse(sourceError.since), false)
    return { data, stale: isCarried || lateByMs > 0, staleAfter, mirror: mirror.base }
  }

  /** The slug to ask instead of one that was given up: a host that computes redirects there, a host of files cannot. */
  async function successorIn(
    mirror: Mirror,
    route: Route,
    asked: Asked,
    data: Envelope | typeof missing,
    signal: AbortSignal | undefined,
  ): Promise<string | null> {
    if (!isOfAsset(route)) return null
    if (data !== missing && 'replacedBy' in data && typeof data.replacedBy === 'string') return data.replacedBy
    const isElsewhere = data === missing && route.endpoint !== ROUTES.asset.endpoint
    const { paths } = placesOf(ROUTES.asset, asked)
    const profile = isElsewhere ? await documentAt(mirror, ROUTES.asset, paths, exchange.get, signal) : data
    return isProfile(profile) ? profile.asset.replaced_by : null
  }

  /** Asks each mirror in turn; an answer and a refusal of the API end it, a failure does not. */
  async function firstOf<T>(
    ask: (mirror: Mirror) => Promise<T>,
    note: (mirror: Mirror, error?: MirrorError) => void,
  ): Promise<T> {
    const failures: MirrorError[] = []
    for (const mirror of inOrder(mirrors, now())) {
      try {
        // eslint-disable-next-line no-await-in-loop -- a mirror is asked when the one before it failed
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

  return {
    async read(route, values, options = {}) {
      const asked = { ...options, ...values }
      const { rows } = placesOf(route, asked)
      const result = await firstOf(
        (mirror) => readFrom(mirror, route, asked, options.signal),
        (mirror, error) => {
          if (!error) answered(mirror)
          // A host without a queue and one silent source say nothing of the other documents.
          else if (!route.live && !(error instanceof StaleError && !error.isWhole)) failed(mirror, now())
        },
      )
      const { picks } = route
      if (!picks) return { ...result, data: shortened(result.data, rows) }
      const data = picked(result.data, picks, values[picks.name])
      if (!isAnswer(data, { ...route, endpoint: picks.endpoint })) throw notFound(picks.name, result.mirror)
      return { ...result, data }
    },

    submit(route, body, options = {}) {
      const { signal, idempotencyKey } = options
      const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }
      return firstOf(
        async (mirror) => {
          const send = () => exchange.post(mirror.base + route.path, body, headers, signal)
          const data = readReply(mirror.base, route, await replyOf(mirror.base, send, signal))
          if (data === missing) throw new MirrorError(mirror.base, 'status', 'does not accept listing requests')
          if (data instanceof MirrorError) throw data
          return { data, mirror: mirror.base }
        },
        // Most mirrors hold files and take nothing; that is no reason to read elsewhere.
        () => {},
      )
    },
  }
}

/** The rows with a value as an answer of their own; null where there is none. */
function picked(
  { ok, product, timestamp, sourceStatus, sourceError, ...more }: Envelope,
  { name, endpoint }: NonNullable<Route['picks']>,
  value: unknown,
): object | null {
  if (!('rows' in more && Array.isArray(more.rows)) || typeof value !== 'string') return null
  const members = pickedRows(more.rows, name, folded(name, value))
  return members && { ok, product, endpoint, timestamp, sourceStatus, sourceError, ...members }
}

const isProfile = (data: Envelope | typeof missing): data is AssetAnswer => data !== missing && 'asset' in data

/** The first rows, or the first prices, of an answer. */
function shortened<Answer extends object>(answer: Answer, most: number): Answer {
  if ('prices' in answer && typeof answer.prices === 'object' && answer.prices !== null) {
    const entries = Object.entries(answer.prices)
    return entries.length <= most
      ? answer
      : { ...answer, count: most, prices: Object.fromEntries(entries.slice(0, most)) }
  }
  if (!('rows' in answer && Array.isArray(answer.rows)) || answer.rows.length <= most) return answer
  return { ...answer, count: most, rows: answer.rows.slice(0, most) }
}
