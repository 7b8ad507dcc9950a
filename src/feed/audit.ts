import { groupBy } from '../contract/order.ts'
import { median } from './statistics.ts'

export const AUDIT = {
  rule:
    'A venue is compared with every other venue over all pairs that both quote, and with every aggregator over the ratios ' +
    'of its dollar prices; with `pairs` figures in common or more. A witness contradicts the venue if the median deviation ' +
    'exceeds the tolerance, which is `many_tolerance_percent` from `many_pairs` figures on. A venue is excluded from ' +
    'the run if those that contradict it, and agree by how much it is off, are more than half of all witnesses compared, ' +
    'itself included: all its markets are outliers and none is used. Aggregators alone exclude it only beyond ' +
    '`aggregators_tolerance_percent`, because they may lag behind.',
  pairs: 5,
  many_pairs: 20,
  many_tolerance_percent: 1,
  few_tolerance_percent: 5,
  aggregators_tolerance_percent: 50,
} as const

export interface AuditedQuote {
  /** A venue, or an aggregator that lists the base in dollars. */
  readonly venue: string
  readonly base: string
  readonly quote: string
  /** Held within the book. */
  readonly price: number
}

/** How far a venue is from another witness: the logarithm of its typical price over that of the other. */
interface Deviation {
  readonly log: number
  readonly tolerance: number
  readonly isVenue: boolean
}

/**
 * By how much each unbelievable venue is off: its typical price over the true one. A venue that is believed is not in
 * the map.
 *
 * @param listed the dollar prices of the aggregators
 */
export function audit(quotes: readonly AuditedQuote[], listed: readonly AuditedQuote[]): Map<string, number> {
  const byPair = [...groupBy(quotes, ({ base, quote }) => `${base}/${quote}`).values()]
  const logs = new Map<string, Map<string, number[]>>()
  const add = (venue: string, other: string, log: number) => {
    const ofVenue = logs.get(venue) ?? new Map<string, number[]>()
    const known = ofVenue.get(other)
    if (known) known.push(log)
    else ofVenue.set(other, [log])
    logs.set(venue, ofVenue)
  }
  for (const pair of byPair)
    for (const one of pair)
      for (const other of pair)
        if (one.venue !== other.venue) add(one.venue, other.venue, Math.log(one.price / other.price))
  const aggregators = groupBy(listed, ({ venue }) => venue)
  for (const [aggregator, own] of aggregators) {
    const worth = new Map([['USD', 1], ...own.map(({ base, price }) => [base, price] as const)])
    for (const { venue, base, quote, price } of quotes) {
      const [value, unit] = [worth.get(base), worth.get(quote)]
      if (value !== undefined && unit !== undefined) add(venue, aggregator, Math.log((price * unit) / value))
    }
  }
  const off = new Map<string, number>()
  for (const [venue, others] of logs) {
    const deviations = [...others].flatMap(([other, own]): Deviation[] => {
      if (own.length < AUDIT.pairs) return []
      const percent = own.length < AUDIT.many_pairs ? AUDIT.few_tolerance_percent : AUDIT.many_tolerance_percent
      return [{ log: median(own), tolerance: Math.log(1 + percent / 100), isVenue: !aggregators.has(other) }]
    })
    const log = verdictOf(deviations)
    if (log !== null) off.set(venue, Math.exp(log))
  }
  return off
}

/** How far a venue is off, by a majority of all witnesses that agree about it; null where there is none. */
function verdictOf(deviations: readonly Deviation[]): number | null {
  const contradicting = deviations.filter(({ log, tolerance }) => Math.abs(log) > tolerance)
  const typical = median(contradicting.map(({ log }) => log))
  const agreeing = contradicting.filter(({ log, tolerance }) => Math.abs(log - typical) <= tolerance)
  if (agreeing.length * 2 <= deviations.length + 1) return null
  const isByVenue = agreeing.some(({ isVenue }) => isVenue)
  return isByVenue || Math.abs(typical) > Math.log(1 + AUDIT.aggregators_tolerance_percent / 100) ? typical : null
}
