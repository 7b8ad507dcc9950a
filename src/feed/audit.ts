import type { Market } from '../contract/market.ts'
import { groupBy } from '../contract/order.ts'
import { LIMITS } from './methodology.ts'
import type { Opinion } from './price.ts'
import type { AuditedQuote } from './rates.ts'
import { median } from './statistics.ts'

/** How far a source is from one of its witnesses, over the figures that both have. */
interface Deviation {
  /** The median logarithm of the source's figure over that of the witness. */
  readonly log: number
  readonly count: number
  readonly witness: string
}

/** The logarithms of what sources say over what their witnesses say. */
class Comparisons {
  readonly #logs = new Map<string, Map<string, number[]>>()

  add(source: string, witness: string, log: number): void {
    const own = this.#logs.get(source) ?? new Map<string, number[]>()
    const known = own.get(witness)
    if (known) known.push(log)
    else own.set(witness, [log])
    this.#logs.set(source, own)
  }

  /**
   * Returns by how much each source is off in this run, as a factor: those that more than half of its witnesses, itself
   * included, agree about.
   *
   * @param tolerance how far, in percent, a witness may be from a source that it does not contradict
   * @param isEnough whether these witnesses may exclude a source for being this far off
   */
  off(tolerance: (count: number) => number, isEnough: (agreeing: readonly Deviation[], log: number) => boolean) {
    return new Map(
      [...this.#logs].flatMap(([source, witnesses]) => {
        const compared = [...witnesses]
          .filter(([, own]) => own.length >= LIMITS.few_figures)
          .map(([witness, own]): Deviation => ({ witness, count: own.length, log: median(own) }))
        const isFar = ({ count }: Deviation, distance: number) => Math.abs(distance) > logOf(tolerance(count))
        const contradicting = compared.filter((one) => isFar(one, one.log))
        const typical = median(contradicting.map(({ log }) => log))
        const agreeing = contradicting.filter((one) => !isFar(one, one.log - typical))
        const isOff = agreeing.length * 2 > compared.length + 1 && isEnough(agreeing, typical)
        return isOff ? [[source, Math.exp(typical)] as const] : []
      }),
    )
  }
}

const logOf = (percent: number): number => Math.log(1 + percent / 100)

/**
 * Returns by how much each venue is off that is not believed in this run. Its witnesses are the other venues, over the
 * pairs that both quote, and the aggregators, over the ratios of their dollar prices, which may lag behind.
 */
export function auditVenues(quotes: readonly AuditedQuote[], listed: readonly AuditedQuote[]): Map<string, number> {
  const comparisons = new Comparisons()
  for (const pair of groupBy(quotes, ({ base, quote }) => `${base}/${quote}`).values())
    for (const one of pair)
      for (const other of pair)
        if (one.venue !== other.venue) comparisons.add(one.venue, other.venue, Math.log(one.price / other.price))
  const aggregators = groupBy(listed, ({ venue }) => venue)
  for (const [aggregator, own] of aggregators) {
    const worth = new Map([['USD', 1], ...own.map(({ base, price }) => [base, price] as const)])
    for (const { venue, base, quote, price } of quotes) {
      const [value, unit] = [worth.get(base), worth.get(quote)]
      if (value !== undefined && unit !== undefined)
        comparisons.add(venue, aggregator, Math.log((price * unit) / value))
    }
  }
  return comparisons.off(
    (count) => (count < LIMITS.many_figures ? LIMITS.few_percent : LIMITS.many_percent),
    (agreeing, log) =>
      agreeing.some(({ witness }) => !aggregators.has(witness)) || Math.abs(log) > logOf(LIMITS.far_percent),
  )
}

/**
 * Returns by how much each aggregator is off that is not believed in this run. Its witnesses are the venues, over the
 * listings that both price.
 */
export function auditAggregators(
  opinions: ReadonlyMap<string, readonly Opinion[]>,
  matched: readonly { readonly slug: string; readonly market: Market }[],
  distrusted: ReadonlyMap<string, number>,
): Map<string, number> {
  const comparisons = new Comparisons()
  for (const { slug, market } of matched) {
    const { exchange_id, price_usd, is_stale } = market
    if (price_usd === null || is_stale || distrusted.has(exchange_id)) continue
    for (const opinion of opinions.get(slug) ?? [])
      comparisons.add(opinion.source_id, exchange_id, Math.log(opinion.price_usd / price_usd))
  }
  return comparisons.off(
    () => LIMITS.few_percent,
    () => true,
  )
}
