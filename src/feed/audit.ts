import { groupBy } from './group-by.ts'
import { median } from './statistics.ts'

/** The numbers of the rule. */
export const AUDIT = {
  rule:
    'A venue is compared with the majority of the other venues, over all pairs that at least two others quote. If too few ' +
    'pairs are shared, it is compared with the ratio of the aggregators’ prices. If the median deviation of a venue over ' +
    'these pairs exceeds the tolerance, the venue is excluded from this run: all its markets are outliers and none is used. ' +
    'The tolerance is `many_tolerance_percent` if the others agree that closely on `many_pairs` pairs or more.',
  pairs: 5,
  many_pairs: 20,
  many_tolerance_percent: 1,
  peers_tolerance_percent: 5,
  aggregators_tolerance_percent: 50,
} as const

/** A live quote, as far as the audit needs it. */
export interface AuditedQuote {
  readonly venue: string
  readonly base: string
  readonly quote: string
  /** Held within the book. */
  readonly price: number
}

/**
 * By how much each unbelievable venue is off: its typical price over the true one. A venue that is believed is not in
 * the map.
 *
 * @param opinions the aggregators' dollar price by symbol
 */
export function audit(quotes: readonly AuditedQuote[], opinions: ReadonlyMap<string, number>): Map<string, number> {
  const byPair = cheapestFirst(quotes)
  const worthOf = (symbol: string) => (symbol === 'USD' ? 1 : opinions.get(symbol))
  const off = new Map<string, number>()
  for (const [venue, own] of groupBy(quotes, ({ venue }) => venue)) {
    const deviations = (expected: (quote: AuditedQuote) => number | undefined) => {
      const logs: number[] = []
      for (const quote of own) {
        const expectedPrice = expected(quote)
        if (expectedPrice !== undefined) logs.push(Math.log(quote.price / expectedPrice))
      }
      return logs
    }
    const fromPeers = (tolerancePercent: number) =>
      deviations(({ base, quote }) => agreed(byPair.get(base)?.get(quote) ?? [], venue, tolerancePercent))
    const fromAggregators = () =>
      deviations(({ base, quote }) => {
        const worth = worthOf(base)
        const unit = worthOf(quote)
        return worth !== undefined && unit !== undefined ? worth / unit : undefined
      })
    const verdict =
      exceeds(fromPeers(AUDIT.many_tolerance_percent), AUDIT.many_tolerance_percent, AUDIT.many_pairs) ??
      exceeds(fromPeers(AUDIT.peers_tolerance_percent), AUDIT.peers_tolerance_percent, AUDIT.pairs) ??
      exceeds(fromAggregators(), AUDIT.aggregators_tolerance_percent, AUDIT.pairs)
    if (verdict !== undefined && verdict !== 1) off.set(venue, verdict)
  }
  return off
}

/** The quotes of each pair, by base and quote symbol, cheapest first. */
function cheapestFirst(quotes: readonly AuditedQuote[]): Map<string, Map<string, AuditedQuote[]>> {
  const byPair = new Map<string, Map<string, AuditedQuote[]>>()
  for (const quote of quotes) {
    const ofBase = byPair.get(quote.base) ?? new Map<string, AuditedQuote[]>()
    const pair = ofBase.get(quote.quote)
    if (pair) pair.push(quote)
    else byPair.set(quote.base, ofBase.set(quote.quote, [quote]))
  }
  for (const ofBase of byPair.values()) for (const pair of ofBase.values()) pair.sort((a, b) => a.price - b.price)
  return byPair
}

/**
 * What most of at least two prices of the others agree on; undefined where they do not: then nobody can tell who is off.
 *
 * @param pair all quotes of a pair, cheapest first
 */
function agreed(pair: readonly AuditedQuote[], venue: string, tolerancePercent: number): number | undefined {
  const prices: number[] = []
  for (const other of pair) if (other.venue !== venue) prices.push(other.price)
  if (prices.length < 2) return undefined
  // A price somebody gave, not the mean of two: between a true price and one that is off lies nothing.
  const middle = prices[(prices.length - 1) >> 1] ?? Number.NaN
  const factor = 1 + tolerancePercent / 100
  let near = 0
  for (const price of prices) if (price <= middle * factor && price * factor >= middle) near++
  return near * 2 > prices.length ? middle : undefined
}

/** Returns the typical factor if it is beyond the tolerance, 1 if it is within, and undefined if there is too little data. */
function exceeds(logs: readonly number[], tolerancePercent: number, pairs: number): number | undefined {
  if (logs.length < pairs) return undefined
  const typical = median(logs)
  return Math.abs(typical) > Math.log(1 + tolerancePercent / 100) ? Math.exp(typical) : 1
}
