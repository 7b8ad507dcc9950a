import type { Asset, PriceBasis } from '../contract/asset.ts'
import { roundShare } from '../contract/numbers.ts'
import { CONSENSUS } from './consensus.ts'
import {
  type Evidence,
  PRICE,
  type PublishedPrice,
  type VenueWitness,
  isDoubted,
  mostThrough,
  venueWitnesses,
} from './price.ts'
import { median } from './statistics.ts'

/** The numbers of the confidence. */
export const CONFIDENCE = {
  rule:
    'Direct price: 0.1, plus 0.4 x venues/`venues` (at most 1), plus 0.3 x (1 - deviation/`deviation_percent`), plus 0.2 x ' +
    'deep venues/`deep_venues` (at most 1). Venues count when they lie within the floor of the consensus rule around the ' +
    'median venue, as deep ones from `deep_volume_usd` of the price rule on; the deviation is the median absolute one of ' +
    'all eligible venues. Below the quorum half of that, and in either case no more than the rates allow that it goes through. Aggregators within their tolerance of the price are worth ' +
    '`one_aggregator`, two `two_aggregators`; the larger of both counts. Pool: 0.2. Carried: 0.1. A split, a contested or dispersed price, a disputed ' +
    'match, and venues below the quorum whom every aggregator contradicts have at most `doubted`. Times 0.8 from `aging_hours` on ' +
    'and 0.5 from `old_hours` on. Unpriced: null.',
  venues: 8,
  deviation_percent: 1,
  deep_venues: 4,
  one_aggregator: 0.3,
  two_aggregators: 0.5,
  doubted: 0.3,
  aging_hours: 1,
  old_hours: 6,
} as const

/**
 * Returns the confidence in a price, 0 to 1. `ageHours` is the age of the price.
 *
 * @param venues those of the evidence, where they are known already
 */
export function confidenceOf(
  { price_usd: price, basis }: PublishedPrice,
  evidence: Evidence,
  ageHours: number,
  venues: readonly VenueWitness[] = venueWitnesses(evidence),
): Asset['price_confidence'] {
  if (price === null) return null
  const direct = directConfidence(venues)
  const through = mostThrough(basis, evidence)
  const agreeing = evidence.aggregators.filter(
    ({ price_usd }) => Math.abs(price_usd / price - 1) <= PRICE.aggregator_tolerance_percent / 100,
  ).length
  const aggregated = agreeing === 0 ? 0 : agreeing === 1 ? CONFIDENCE.one_aggregator : CONFIDENCE.two_aggregators
  const base: Record<PriceBasis['method'], number> = {
    exchanges: Math.max(Math.min(direct, through), aggregated),
    exchanges_below_quorum: Math.max(Math.min(direct / 2, through), aggregated),
    aggregators: aggregated,
    dex: 0.2,
    carried: 0.1,
    none: 0,
  }
  const most = isDoubted(basis.method, basis.low_confidence_reason) ? CONFIDENCE.doubted : 1
  // In steps, so that an unchanged value rewrites its document twice instead of with every run.
  const age = ageHours < CONFIDENCE.aging_hours ? 1 : ageHours < CONFIDENCE.old_hours ? 0.8 : 0.5
  return roundShare(Math.min(most, base[basis.method]) * age)
}

/** Returns the confidence from venues. Each part grows or stays when one more venue reports the median. */
function directConfidence(venues: readonly VenueWitness[]): number {
  if (venues.length === 0) return 0
  const center = median(venues.map(({ price }) => price))
  const distances = venues.map((venue) => ({ venue, percent: Math.abs(venue.price / center - 1) * 100 }))
  const near = distances.filter(({ percent }) => percent <= CONSENSUS.floor_percent)
  const deep = near.filter(({ venue }) => venue.volume >= PRICE.deep_volume_usd)
  const deviation = median(distances.map(({ percent }) => percent))
  return (
    0.1 +
    0.4 * Math.min(1, near.length / CONFIDENCE.venues) +
    0.3 * Math.max(0, 1 - deviation / CONFIDENCE.deviation_percent) +
    0.2 * Math.min(1, deep.length / CONFIDENCE.deep_venues)
  )
}
