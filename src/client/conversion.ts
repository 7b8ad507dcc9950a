import { type Currency, convertPrices, convertRow } from '../contract/conversion.ts'
import { isObject } from '../contract/read-json.ts'
import type { Envelope, RatesAnswer } from './answers.ts'
import type { Result, Transport } from './call.ts'
import { type Methods, ROUTES } from './methods.ts'
import { frozen } from './request.ts'
import { type Route, type Values, invalid } from './route.ts'

type Options = Values & { readonly signal?: AbortSignal | undefined }

/** Returns the methods on a transport: each takes the values of its path, or the body that it sends, and options. */
export function methodsOf({ read, submit }: Transport): Methods {
  const convertible = convertibleBy(read, ROUTES.rates)
  const methodOf = (route: Route<Envelope>) => {
    if (route.sends) return (body: object, options?: Options) => submit(route, body, options)
    if (route.converts) return convertible(route)
    const inPath = [...route.path.matchAll(/:([a-z_]+)/g)].map(([, name = '']) => name)
    const names = route.picks ? [...inPath, route.picks.name] : inPath
    return (...given: readonly (string | Options)[]) => {
      const options = given[names.length]
      const values = Object.fromEntries(names.map((name, place) => [name, given[place]]))
      return read(route, values, typeof options === 'string' ? undefined : options)
    }
  }
  const made = Object.fromEntries(
    Object.entries<Route<Envelope>>(ROUTES).map(([name, route]) => [name, methodOf(route)]),
  )
  if (!areMethods(made)) throw new TypeError('A route has no method')
  return made
}

const areMethods = (made: object): made is Methods => Object.keys(ROUTES).every((name) => name in made)

/** A method whose answer is in dollars, or in another currency with `vs`. */
interface Convertible<Answer, Converted> {
  (options: Options & { readonly vs: string }): Promise<Result<Converted>>
  (options?: Options & { readonly vs?: undefined }): Promise<Result<Answer>>
}

/**
 * Returns a function that creates the methods whose answers can be in another currency. The files of a mirror are in
 * dollars, so the client converts with the published rates.
 */
const convertibleBy =
  (read: Transport['read'], rates: Route<RatesAnswer>) =>
  <Answer extends Envelope, Converted extends Envelope>(route: Route<Answer>): Convertible<Answer, Converted> => {
    const isConverted = (data: Envelope): data is Converted => 'vs' in data

    async function inCurrency({
      vs: given,
      ...options
    }: Options & { readonly vs: string }): Promise<Result<Converted>> {
      const vs = given.toLowerCase()
      const [answer, { data }] = await Promise.all([
        read(route, {}, options),
        read(rates, {}, options.signal ? { signal: options.signal } : {}),
      ])
      const currencies = data.rows.filter(isCurrency)
      const rate = currencies.find(({ symbol }) => symbol.toLowerCase() === vs)
      const allowed = currencies.map(({ symbol }) => symbol.toLowerCase()).toSorted()
      if (!rate) throw invalid('vs', allowed)
      const converted = {
        ...answer.data,
        ...entriesOf(answer.data, rate),
        vs,
        rate,
        timestamp: latest(answer.data, data),
      }
      if (!isConverted(converted)) throw invalid('vs', allowed)
      return { ...answer, data: frozen(converted) }
    }
    function method(options: Options & { readonly vs: string }): Promise<Result<Converted>>
    function method(options?: Options & { readonly vs?: undefined }): Promise<Result<Answer>>
    function method({ vs, ...options }: Options & { readonly vs?: string | undefined } = {}) {
      return vs === undefined ? read(route, {}, options) : inCurrency({ ...options, vs })
    }
    return method
  }

const isCurrency = ({ symbol, price_usd }: Readonly<Record<keyof Currency, unknown>>): boolean =>
  typeof symbol === 'string' && Number.isFinite(price_usd)

const latest = (one: Envelope, other: Envelope): string =>
  one.timestamp > other.timestamp ? one.timestamp : other.timestamp

/** Returns the rows or prices of an answer in another currency. */
function entriesOf(answer: object, rate: Currency): object {
  if ('rows' in answer && Array.isArray(answer.rows)) return { rows: answer.rows.map((row) => convertRow(row, rate)) }
  if (!('prices' in answer && isObject(answer.prices))) return {}
  return { prices: convertPrices(answer.prices, rate) }
}
