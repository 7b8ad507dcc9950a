import { roundMoney } from '../contract/numbers.ts'
import { type Decision, type Evidence, type VenueWitness, decide, venueWitnesses, weighted } from './price.ts'
import { PRICE } from './price.ts'
import { centralMean } from './statistics.ts'

/** The numbers of the figure. */
export const FRAGILITY = {
  rule:
    'How far the price moves, in hundredths of a percent, when its most influential witness lies by `lie_percent` upwards ' +
    'or downwards and, if it is a venue, with endless volume.',
  lie_percent: 5,
} as const

/** More volume than there is money. */
const ENDLESS_USD = 1e15

const unrounded = (decision: Decision): number =>
  centralMean(
    weighted(decision).map(({ price_usd, weight }) => ({ value: price_usd, weight })),
    PRICE.central_share / 2,
  )

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
  const venues = venueWitnesses(evidence)
  const { aggregators } = evidence
  if (venues.length + aggregators.length === 0) return null
  const honest = unrounded(decide(venues, aggregators))
  let most = 0
  for (const factor of [1 + percent / 100, 1 - percent / 100]) {
    const moved = [
      ...venues.map((venue, liar) => decide(venues.with(liar, lying(venue, factor)), aggregators)),
      ...aggregators.map((opinion, liar) =>
        decide(venues, aggregators.with(liar, { ...opinion, price_usd: opinion.price_usd * factor })),
      ),
    ]
    for (const decision of moved) most = Math.max(most, Math.abs(unrounded(decision) / honest - 1))
  }
  return roundMoney(most * 10_000)
}
