import { roundMoney } from '../contract/numbers.ts'
import { CONSENSUS } from './consensus.ts'
import {
  type Decision,
  type Evidence,
  PRICE,
  type VenueWitness,
  centralPrice,
  decide,
  venueWitnesses,
} from './price.ts'

/** The numbers of the figure. */
export const FRAGILITY = {
  rule:
    'How far the price moves, in basis points, if its most influential source misreports by `lie_percent` upwards or ' +
    'downwards and, if it is a venue, with unlimited volume.',
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
 * @param venues those of the evidence, where they are known already
 */
export function fragilitiesOf(
  evidence: Evidence,
  percents: readonly number[],
  venues: readonly VenueWitness[] = venueWitnesses(evidence),
): number[] | null {
  const { aggregators } = evidence
  if (venues.length + aggregators.length === 0) return null
  const decision = decide(venues, aggregators)
  const honest = centralPrice(decision)
  return percents.map((percent) => {
    const tight = percent >= FRAGILITY.lie_percent && isTight(decision, venues)
    let most = 0
    const moved = (told: Decision) => {
      most = Math.max(most, Math.abs(centralPrice(told) / honest - 1))
    }
    for (const factor of tight ? [1 + percent / 100] : [1 + percent / 100, 1 - percent / 100]) {
      for (const [liar, venue] of venues.entries()) moved(decide(venues.with(liar, lying(venue, factor)), aggregators))
      if (tight) continue
      for (const [liar, opinion] of aggregators.entries())
        moved(decide(venues, aggregators.with(liar, { ...opinion, price_usd: opinion.price_usd * factor })))
    }
    return roundMoney(most * 10_000)
  })
}

/** The witness without which a price moves furthest, and how far in basis points. */
export interface Removal {
  readonly source_id: string
  readonly move_bp: number
}

/** The witness that a price depends on most; null where nobody would be left without it. */
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

/**
 * Whether the venues are so close that a lie of 5 % makes an outlier in either direction and leaves the others with the
 * same consensus, so that one direction tells of both, and no aggregator is heard.
 */
function isTight({ method, consensus: { center, reach } }: Decision, venues: readonly VenueWitness[]): boolean {
  const near = ({ price }: VenueWitness) => Math.abs(price / center - 1) <= CONSENSUS.agreement_percent / 200
  return method === 'exchanges' && venues.length > PRICE.quorum && reach <= center * 0.03 && venues.every(near)
}
