import type { Market } from '../contract/market.ts'
import { groupBy } from '../contract/order.ts'
import { LIMITS } from './methodology.ts'
import type { Opinion } from './price.ts'
import type { AuditedQuote } from './rates.ts'
import { median } from './statistics.ts'

interface Comparison {
  readonly source: string
  readonly witness: string
  readonly log: number
}

/**
 * Returns by how much each source is off in this run, as a factor: those that more than half of its witnesses, itself
 * included, agree about.
 *
 * @param tolerance how far, in percent, a witness may be from a source that it does not contradict
 * @param isEnough whether these witnesses may exclude a source for being this far off; by default they may
 */
function sourcesOff(
  comparisons: readonly Comparison[],
  tolerance: (count: number) => number,
  isEnough: (witnesses: readonly string[], log: number) => boolean = () => true,
): Map<string, number> {
  const isFar = (distance: number, count: number) => Math.abs(distance) > logOf(tolerance(count))
  const bySource = groupBy(comparisons, ({ source }) => source)
  return new Map(
    [...bySource].flatMap(([source, all]) => {
      // How far it is from each of its witnesses: the median over the figures that both have.
      const compared = [...groupBy(all, ({ witness }) => witness)]
        .filter(([, own]) => own.length >= LIMITS.few_figures)
        .map(([witness, own]) => ({ witness, count: own.length, log: median(own.map(({ log }) => log)) }))
      const contradicting = compared.filter(({ log, count }) => isFar(log, count))
      const typical = median(contradicting.map(({ log }) => log))
      const agreeing = contradicting.flatMap(({ witness, log, count }) => (isFar(log - typical, count) ? [] : witness))
      const isOff = agreeing.length * 2 > compared.length + 1 && isEnough(agreeing, typical)
      return isOff ? [[source, Math.exp(typical)] as const] : []
    }),
  )
}

const logOf = (percent: number): number => Math.log(1 + percent / 100)

/**
 * Returns by how much each venue is off that is not believed in this run. Its witnesses are the other venues, over the
 * pairs that both quote, and the aggregators, over the ratios of their dollar prices, which may lag behind.
 */
export function auditVenues(quotes: readonly AuditedQuote[], listed: readonly AuditedQuote[]): Map<string, number> {
  const comparisons: Comparison[] = []
  for (const pair of groupBy(quotes, ({ base, quote }) => `${base}/${quote}`).values())
    for (const one of pair)
      for (const other of pair)
        if (one.venue !== other.venue)
          comparisons.push({ source: one.venue, witness: other.venue, log: Math.log(one.price / other.price) })
  const aggregators = groupBy(listed, ({ venue }) => venue)
  for (const [aggregator, own] of aggregators) {
    const worth = new Map([['USD', 1], ...own.map(({ base, price }) => [base, price] as const)])
    for (const { venue, base, quote, price } of quotes) {
      const [value, unit] = [worth.get(base), worth.get(quote)]
      if (value !== undefined && unit !== undefined)
        comparisons.push({ source: venue, witness: aggregator, log: Math.log((price * unit) / value) })
    }
  }
  return sourcesOff(
    comparisons,
    (count) => (count < LIMITS.many_figures ? LIMITS.few_percent : LIMITS.many_percent),
    (agreeing, log) =>
      agreeing.some((witness) => !aggregators.has(witness)) || Math.abs(log) > logOf(LIMITS.far_percent),
  )
}

/** Returns by how much each aggregator is off that is not believed. Its witnesses are the venues. */
export function auditAggregators(
  opinions: ReadonlyMap<string, readonly Opinion[]>,
  matched: readonly { readonly slug: string; readonly market: Market }[],
  distrusted: ReadonlyMap<string, number>,
): Map<string, number> {
  const comparisons: Comparison[] = []
  for (const { slug, market } of matched) {
    const { exchange_id, price_usd, is_stale } = market
    if (price_usd === null || is_stale || distrusted.has(exchange_id)) continue
    for (const { source_id: source, price_usd: own } of opinions.get(slug) ?? [])
      comparisons.push({ source, witness: exchange_id, log: Math.log(own / price_usd) })
  }
  return sourcesOff(comparisons, () => LIMITS.few_percent)
}
