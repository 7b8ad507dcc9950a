import { type Currency, convertPrices, convertRow } from '../contract/conversion.ts'
import { isObject } from '../contract/read-json.ts'
import type { Envelope, RatesAnswer } from './answers.ts'
import type { Result, Transport } from './call.ts'
import { frozen } from './request.ts'
import { type Route, type Values, invalid } from './route.ts'

type Options = Values & { readonly signal?: AbortSignal | undefined }

/** A method whose answer is in dollars, or in another currency with `vs`. */
interface Convertible<Answer, Converted> {
  (options: Options & { readonly vs: string }): Promise<Result<Converted>>
  (options?: Options & { readonly vs?: undefined }): Promise<Result<Answer>>
}

/**
 * Returns a function that creates the methods whose answers can be in another currency. The files of a mirror are in
 * dollars, so the client converts with the published rates.
 */
export const convertibleBy =
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
