import { type Currency, convertPrices, convertRow } from '../core/contract/conversion.ts'
import { isObject } from '../core/contract/read-json.ts'
import type { Envelope, RatesAnswer } from './answers.ts'
import type { ClientOptions, Result } from './call.ts'
import { type Methods, ROUTES } from './methods.ts'
import { freeze } from './http.ts'
import { type Route, type Values, invalid } from './route.ts'
import { transportOf } from './transport.ts'

type Options = Values & { readonly signal?: AbortSignal | undefined }

/** Returns the methods of a client: each takes the values of its path, or the body that it sends, and options. */
export function methodsOf(options: ClientOptions): Methods {
  const { read, submit } = transportOf(options)
  /** The files of a mirror are in dollars, so the client converts with the published rates. */
  const convertible =
    (route: Route<Envelope>) =>
    async ({ vs, ...options }: Options & { readonly vs?: string | undefined } = {}): Promise<Result<Envelope>> => {
      const answer = read(route, {}, options)
      if (vs === undefined) return answer
      const rates = read(ROUTES.rates, {}, options.signal ? { signal: options.signal } : {})
      const [result, { data }] = await Promise.all([answer, rates])
      const converted = inCurrency(result.data, data, vs.toLowerCase())
      freeze(converted)
      return { ...result, data: converted }
    }
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

/** Returns an answer in a currency. @throws ApiError if the currency has no rate */
function inCurrency(answer: Envelope, rates: RatesAnswer, vs: string) {
  const currencies = rates.rows.filter(isCurrency)
  const rate = currencies.find(({ symbol }) => symbol.toLowerCase() === vs)
  if (!rate) throw invalid('vs', currencies.map(({ symbol }) => symbol.toLowerCase()).toSorted())
  const timestamp = answer.timestamp > rates.timestamp ? answer.timestamp : rates.timestamp
  return { ...answer, ...entriesOf(answer, rate), vs, rate, timestamp }
}

const isCurrency = ({ symbol, price_usd }: Readonly<Record<keyof Currency, unknown>>): boolean =>
  typeof symbol === 'string' && Number.isFinite(price_usd)

/** Returns the rows or prices of an answer in another currency. */
function entriesOf(answer: object, rate: Currency): object {
  if ('rows' in answer && Array.isArray(answer.rows)) return { rows: answer.rows.map((row) => convertRow(row, rate)) }
  if (!('prices' in answer && isObject(answer.prices))) return {}
  return { prices: convertPrices(answer.prices, rate) }
}
