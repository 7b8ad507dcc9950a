import { by } from '../contract/order.ts'
import { roundMoney } from '../contract/numbers.ts'
import { consensusOf, within } from './consensus.ts'
import {
  type Evidence,
  HALF_CENTRAL_SHARE,
  type Opinion,
  PRICE,
  type VenueWitness,
  centralPrice,
  decide,
  price,
  quotedIn,
  venueWitnesses,
} from './price.ts'
import { centralMeanOfSorted, typical } from './statistics.ts'
import { WEIGHTS, venueWeights } from './weights.ts'

/** The numbers of the figure. */
export const FRAGILITY = {
  rule:
    'How far the price moves, in basis points, if its most influential source misreports by `lie_percent` upwards or ' +
    'downwards and, if it is a venue, with unlimited volume; plus how far the rates that more than half of its weight goes ' +
    'through move by the same lie about them.',
  lie_percent: 5,
} as const

/** More volume than there is money. */
const ENDLESS_USD = 1e15

/** The venue telling `factor` times its price, on a volume that outweighs everyone. */
export const lying = (venue: VenueWitness, factor: number): VenueWitness => ({
  ...venue,
  price: venue.price * factor,
  volume: ENDLESS_USD * venue.entries.length,
  entries: venue.entries.map((entry) => ({ ...entry, price: entry.price * factor, volume: ENDLESS_USD })),
})

/**
 * How far, in basis points, the price can be moved by the one witness that moves it most when that one lies by
 * `percent`; null where the price is not one of venues or aggregators.
 */
export function fragilityOf(evidence: Evidence, percent: number = FRAGILITY.lie_percent): number | null {
  return fragilitiesOf(evidence, [percent])?.[0] ?? null
}

/**
 * {@link fragilityOf} for several lies, in their order.
 *
 * @param priced the price of the evidence, where it is known already
 */
export function fragilitiesOf(
  evidence: Evidence,
  percents: readonly number[],
  { venues, basis } = price(evidence),
): number[] | null {
  const { aggregators, last = null } = evidence
  if (venues.length + aggregators.length === 0) return null
  const prices = venues.map(({ price }) => price)
  const isSure = venues.length >= PRICE.sure_venues
  const lies: Lies = {
    venues,
    aggregators,
    last,
    lowest: Math.min(...prices),
    highest: Math.max(...prices),
    honest: centralPrice(decide(venues, aggregators, last)),
    without: isSure ? priceWithout(venues) : null,
  }
  // Where venues are sure and have a majority, no aggregator is heard.
  const isDirect = isSure && consensusOf(prices).majority
  const quoted = quotedIn(basis, evidence.markets)
  return percents.map((percent) => {
    const moves = new Map<string, number>()
    const add = (id: string, move: number) => moves.set(id, Math.max(move, moves.get(id) ?? 0))
    for (const factor of [1 + percent / 100, 1 - percent / 100]) {
      for (const [index, move] of movesOfVenues(lies, factor).entries()) add(venues[index]?.id ?? '', move)
      if (isDirect) continue
      for (const [index, move] of movesOfAggregators(lies, factor).entries())
        add(aggregators[index]?.source_id ?? '', move)
    }
    const { rates } = evidence
    if (rates && quoted.length > 0)
      for (const source of rates.sources) {
        const through = quoted.map(({ symbol, weight }) => ({ value: rates.move(symbol, source, percent), weight }))
        add(source, (moves.get(source) ?? 0) + typical(through))
      }
    return roundMoney(Math.max(...moves.values()) * 10_000)
  })
}

interface Lies {
  readonly venues: readonly VenueWitness[]
  readonly aggregators: readonly Opinion[]
  readonly last: Opinion | null
  readonly lowest: number
  readonly highest: number
  /** The price without a lie. */
  readonly honest: number
  /** The price without one venue, where enough venues have an opinion to decide alone. */
  readonly without: ((left: number) => number) | null
}

/**
 * How far, as a fraction, each venue moves the price when it reports `factor` times its own. A lie that makes an outlier
 * of the liar alone leaves the price of the others.
 */
const movesOfVenues = (lies: Lies, factor: number): number[] => {
  const { venues, aggregators, last, honest, without } = lies
  return venues.map((venue, liar) => {
    const reported = venue.price * factor
    const price =
      without !== null && (isClearOutlier(lies, reported) || isLoneOutlier(venues, liar, reported))
        ? without(liar)
        : centralPrice(decide(venues.with(liar, lying(venue, factor)), aggregators, last))
    return Math.abs(price / honest - 1)
  })
}

const movesOfAggregators = ({ venues, aggregators, last, honest }: Lies, factor: number): number[] =>
  aggregators.map((opinion, liar) => {
    const opinions = aggregators.with(liar, { ...opinion, price_usd: opinion.price_usd * factor })
    return Math.abs(centralPrice(decide(venues, opinions, last)) / honest - 1)
  })

/**
 * Whether venues within 0.4 % of each other leave no doubt that a price is an outlier. Their deviation is at most that
 * wide and their reach ten times it, or 2 %: less than 4.5 % in any case. Most lies of 5 % need no more than this look.
 */
const isClearOutlier = ({ lowest, highest }: Lies, reported: number): boolean =>
  highest - lowest <= 0.004 * lowest && Math.max(reported - highest, lowest - reported) >= 0.045 * lowest

/** Whether a venue that reports this price is an outlier among the others, and the only one. */
function isLoneOutlier(venues: readonly VenueWitness[], liar: number, reported: number): boolean {
  const prices = venues.map(({ price }) => price)
  prices[liar] = reported
  const consensus = consensusOf(prices)
  return consensus.majority && prices.every((price, index) => within(consensus, price) !== (index === liar))
}

/** {@link centralPrice} of all venues but the one at an index, made once each. The entries are sorted once for all. */
function priceWithout(venues: readonly VenueWitness[]): (left: number) => number {
  const entries = venues
    .flatMap((venue, index) => venue.entries.map(({ price, volume }) => ({ index, value: price, volume, weight: 0 })))
    .toSorted(by((row) => row.value))
  const known: number[] = []
  return (left) => {
    const before = known[left]
    if (before !== undefined) return before
    const heard = venues.toSpliced(left, 1)
    const shares = venueWeights(heard.map(({ volume }) => volume))
    const units = heard.map(({ volume }, index) => (shares[index] ?? 0) / volume).toSpliced(left, 0, 0)
    for (const entry of entries) {
      const weight = entry.volume * (units[entry.index] ?? 0)
      entry.weight = weight >= WEIGHTS.least_share ? weight : 0
    }
    return (known[left] = centralMeanOfSorted(entries, HALF_CENTRAL_SHARE))
  }
}

/** The witness without which a price moves furthest, and how far in basis points. */
interface Removal {
  readonly source_id: string
  readonly move_bp: number
}

/** Returns the witness that a price depends on most; null if it is the only one. */
export function withoutWitness(evidence: Evidence): Removal | null {
  const venues = venueWitnesses(evidence)
  const { aggregators } = evidence
  if (venues.length + aggregators.length < 2) return null
  const honest = centralPrice(decide(venues, aggregators))
  const removals = [
    ...venues.map(({ id }, index) => ({ source_id: id, decision: decide(venues.toSpliced(index, 1), aggregators) })),
    ...aggregators.map(({ source_id }, index) => ({
      source_id,
      decision: decide(venues, aggregators.toSpliced(index, 1)),
    })),
  ].map(({ source_id, decision }) => ({
    source_id,
    move_bp: roundMoney(Math.abs(centralPrice(decision) / honest - 1) * 10_000),
  }))
  return removals.reduce((most, removal) => (removal.move_bp > most.move_bp ? removal : most))
}
