import { lru } from '../core/contract/lru.ts'
import { roundCoins } from '../core/contract/numbers.ts'
import { orNull } from './errors.ts'
import { type PastMethods, type PastPriceIn, type PriceAtOptions, priceAtOf, timeOf } from './price-at.ts'

export interface Holding {
  readonly slug: string
  readonly amount: number
  readonly time: Date | string | number
}

export interface Valuation extends Holding {
  /** Of one unit in the currency; null: unknown. */
  readonly price: number | null
  /** The amount times the price, with 8 decimals; null: unknown. */
  readonly value: number | null
  readonly basis: PastPriceIn | null
  /** Why there is no value, in a sentence; null: there is one. */
  readonly gap: string | null
}

export interface ValuationOptions extends PriceAtOptions {
  /** Currency of the values; `usd` by default. */
  readonly vs?: string
  readonly now?: (() => number) | undefined
}

/** The days of a month. */
const KEPT_ANSWERS = 64

/** Returns the methods of a client, of which the last answers are kept: many amounts are of the same days and assets. */
function kept({ history, closesOfDay, daily, ratesOfYear }: PastMethods): PastMethods {
  const memo = <Args extends readonly unknown[], Answer>(ask: (...args: Args) => Promise<Answer>) => {
    const answers = lru<Promise<Answer>>(KEPT_ANSWERS)
    return (...args: Args): Promise<Answer> => {
      const name = JSON.stringify(args)
      const answer = answers.get(name) ?? ask(...args)
      answers.put(name, answer)
      return answer
    }
  }
  return { history: memo(history), closesOfDay: memo(closesOfDay), daily: memo(daily), ratesOfYear: memo(ratesOfYear) }
}

/** Values amounts of assets, each by the price and the rate of its own time, with the methods of a client, in their order. */
export async function valuesOf(
  client: PastMethods,
  holdings: readonly Holding[],
  { vs = 'usd', now = Date.now, ...options }: ValuationOptions = {},
): Promise<readonly Valuation[]> {
  const priceAt = priceAtOf(kept(client), now)
  const { method = 'at' } = options
  function gapOf({ slug, amount, time }: Holding, ms: number, basis: PastPriceIn | null): string {
    if (typeof slug !== 'string' || slug === '') return 'The row has no slug.'
    if (Number.isNaN(ms)) return `${String(time)} is not a time.`
    if (!Number.isFinite(amount)) return `${String(amount)} is not an amount.`
    if (ms > now()) return 'The time is in the future.'
    if (basis !== null) return `${vs.toUpperCase()} had no rate then.`
    return `${slug} has no ${method === 'at' ? 'price' : method} of that day, or is not the slug of a listing.`
  }
  const inOrder = holdings.map((holding, at) => ({ holding, at, ms: timeOf(holding.time) }))
  const valued: Valuation[] = []
  // By time, so that the answers that are kept serve several.
  for (const { holding, at, ms } of inOrder.toSorted((a, b) => a.ms - b.ms)) {
    const { slug, amount } = holding
    const isWhole = typeof slug === 'string' && slug !== '' && !Number.isNaN(ms)
    // eslint-disable-next-line no-await-in-loop -- one after the other, as the answers of one serve the next
    const basis = isWhole ? await orNull(priceAt(slug, ms, { ...options, vs })) : null
    const price = basis?.price ?? null
    const value = price === null || !Number.isFinite(amount) ? null : roundCoins(amount * price)
    const gap = value === null ? gapOf(holding, ms, basis) : null
    valued[at] = { ...holding, price, value, basis, gap }
  }
  return valued
}
