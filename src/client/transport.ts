import { lru } from '../core/contract/lru.ts'
import { PREFIX } from '../core/contract/prefix.ts'
import { pickedRows, selectionOf } from '../core/contract/selection.ts'
import type { Envelope, RatesAnswer } from './answers.ts'
import type { CallOptions, ClientOptions, Result } from './call.ts'
import { ApiError, MirrorError, NoMirrorError, NotFoundError } from './errors.ts'
import { freeze, httpClient } from './http.ts'
import type { Methods } from './method-types.ts'
import { ROUTES } from './methods.ts'
import { type Mirror, type Signal, isAnswer, mirrorsAt } from './mirror.ts'
import { type Route, type Values, folded, invalid, notFound, routeRequest } from './route.ts'

const KEPT_ANSWERS = 100

/**
 * Creates the methods of a client: each takes the values of its path, or the body that it sends, and options.
 *
 * @throws TypeError if there is no mirror, or a mirror's address is not valid
 */
export function methodsOf({
  mirrors: addresses,
  prefix = PREFIX,
  fetch = (...request) => globalThis.fetch(...request),
  timeoutMs = 10_000,
  maxStaleMs = Infinity,
  now = Date.now,
}: ClientOptions): Methods {
  const http = httpClient(fetch, timeoutMs)
  const mirrors = mirrorsAt(addresses, prefix, { http, maxStaleMs, now })
  const lastGood = lru<Result<object>>(KEPT_ANSWERS)
  const isLate = ({ staleAfter }: Result<unknown>, byMs = 0): boolean => now() - Date.parse(staleAfter) > byMs

  async function read<Answer extends Envelope>(route: Route<Answer>, values: Values, signal: Signal) {
    const name = JSON.stringify([route.path, route.picks?.name, values])
    const own = { ...route, endpoint: route.picks?.endpoint ?? route.endpoint }
    const { rows, slugs } = routeRequest(route, values)
    try {
      const result = await firstAnswer(mirrors, (mirror) => mirror.read(route, values, signal), { isLate, signal })
      const data = route.picks
        ? picked(result.data, route.picks, values)
        : selectionOf(result.data, { slugs, most: rows })
      if (!isAnswer(data, own)) throw notFound(route.picks?.name ?? null, result.mirror)
      freeze(data)
      if (!route.live) lastGood.put(name, { ...result, data })
      return { ...result, data }
    } catch (error) {
      if (!(error instanceof NoMirrorError)) throw error
      const last = lastGood.get(name)
      if (!last || isLate(last, maxStaleMs) || !isAnswer(last.data, own)) throw error
      return { ...last, data: last.data, stale: last.stale || isLate(last), failure: error }
    }
  }

  function methodOf(route: Route<Envelope>) {
    // Most mirrors are static hosts that accept no body, and still serve every document.
    if (route.sends)
      return (body: object, { signal }: CallOptions = {}) =>
        firstAnswer(mirrors, (mirror) => mirror.submit(route, body, signal), { isLate: () => false, signal })
    const inPath = [...route.path.matchAll(/:([a-z_]+)/g)].map(([, name = '']) => name)
    const names = route.picks ? [...inPath, route.picks.name] : inPath
    return async (...given: readonly (string | CallOptions<Values>)[]): Promise<Result<Envelope>> => {
      const last = given[names.length]
      const { signal, vs, ...query }: CallOptions<Values> = typeof last === 'object' ? last : {}
      const values = { ...query, ...Object.fromEntries(names.map((name, place) => [name, given[place]])) }
      if (vs !== undefined && !route.converts) throw invalid('vs', 'nothing, as these amounts are in dollars alone')
      if (!route.converts || typeof vs !== 'string') return read(route, values, signal)
      // The files of a mirror are in dollars, so the client converts with the published rates.
      const [result, rates] = await Promise.all([read(route, values, signal), read(ROUTES.rates, {}, signal)])
      return { ...result, data: inCurrency(result.data, rates.data, vs.toLowerCase()) }
    }
  }

  const made = Object.fromEntries(
    Object.entries<Route<Envelope>>(ROUTES).map(([name, route]) => [name, methodOf(route)]),
  )
  if (!areMethods(made)) throw new TypeError('A route has no method')
  return made
}

/**
 * Asks mirrors in turn: the next one when one fails, is stale, or does not have the document. Returns the first fresh answer,
 * or else the first stale one.
 */
async function firstAnswer<T>(
  mirrors: readonly Mirror[],
  ask: (mirror: Mirror) => Promise<T>,
  { isLate, signal }: { readonly isLate: (answer: T) => boolean; readonly signal: Signal },
): Promise<T> {
  const failures: MirrorError[] = []
  let late: T | undefined
  let refusal: ApiError | undefined
  for (const mirror of mirrors.toSorted((a, b) => a.rank() - b.rank())) {
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
      // Other mirrors would refuse alike, but may have a document.
      if (refusal && !(refusal instanceof NotFoundError)) break
    }
  }
  if (late !== undefined) return late
  throw refusal ?? new NoMirrorError(failures)
}

const areMethods = (made: object): made is Methods => Object.keys(ROUTES).every((name) => name in made)

function picked(answer: Envelope, picks: NonNullable<Route['picks']>, values: Values): object | null {
  const { name, member, endpoint } = picks
  const { ok, product, timestamp, sourceStatus, sourceError, ...more } = answer
  const value = values[name]
  if (!('rows' in more && Array.isArray(more.rows)) || typeof value !== 'string') return null
  const members = pickedRows(more.rows, member, folded(name, value))
  return members && { ok, product, endpoint, timestamp, sourceStatus, sourceError, ...members }
}

/** Returns an answer in a currency. @throws ApiError if the currency has no rate */
function inCurrency(answer: Envelope, { rows, timestamp }: RatesAnswer, vs: string) {
  const rates = rows.filter(({ symbol, price_usd }) => typeof symbol === 'string' && Number.isFinite(price_usd))
  const rate = rates.find(({ symbol }) => symbol.toLowerCase() === vs)
  if (!rate) throw invalid('vs', rates.map(({ symbol }) => symbol.toLowerCase()).toSorted())
  const converted = selectionOf(answer, { conversion: { rate, timestamp } })
  freeze(converted)
  return converted
}
