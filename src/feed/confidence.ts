import type { Asset, PriceBasis } from '../contract/asset.ts'
import { roundShare, roundMoney } from '../contract/numbers.ts'
import { CONSENSUS, consensusOf } from './consensus.ts'
import {
  type Evidence,
  PRICE,
  type PublishedPrice,
  type VenueWitness,
  isDoubted,
  mostThrough,
  venueWitnesses,
  centralPrice,
  decide,
  price,
  quotedIn,
} from './price.ts'
import { median, typical } from './statistics.ts'

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
const lying = (venue: VenueWitness, factor: number): VenueWitness => ({
  ...venue,
  price: venue.price * factor,
  volume: ENDLESS_USD * venue.entries.length,
  entries: venue.entries.map((entry) => ({ ...entry, price: entry.price * factor, volume: ENDLESS_USD })),
})

/**
 * How far, in basis points, the price can be moved by the one witness that moves it most when that one lies by
 * `percent`; null where the price is not one of venues or aggregators.
 *
 * @param priced the price of the evidence, where it is known already
 */
export function fragilityOf(
  evidence: Evidence,
  percent: number = FRAGILITY.lie_percent,
  { venues, basis } = price(evidence),
): number | null {
  const { aggregators, last = null, rates } = evidence
  if (venues.length + aggregators.length === 0) return null
  const honest = centralPrice(decide(venues, aggregators, last))
  // Where venues are sure and have a majority, no aggregator is heard.
  const isDirect = venues.length >= PRICE.sure_venues && consensusOf(venues.map(({ price }) => price)).majority
  const moves = new Map<string, number>()
  const add = (id: string, move: number) => moves.set(id, Math.max(move, moves.get(id) ?? 0))
  for (const factor of [1 + percent / 100, 1 - percent / 100]) {
    const moved = (...told: Parameters<typeof decide>) => Math.abs(centralPrice(decide(...told)) / honest - 1)
    for (const [liar, venue] of venues.entries())
      add(venue.id, moved(venues.with(liar, lying(venue, factor)), aggregators, last))
    if (isDirect) continue
    for (const [liar, { source_id, price_usd, pair }] of aggregators.entries())
      add(source_id, moved(venues, aggregators.with(liar, { source_id, pair, price_usd: price_usd * factor }), last))
  }
  const quoted = quotedIn(basis, evidence.markets)
  const symbols = [...new Set(quoted.map(({ symbol }) => symbol))]
  if (rates && quoted.length > 0)
    for (const source of rates.sources) {
      const moveOf = new Map(symbols.map((symbol) => [symbol, rates.move(symbol, source, percent)]))
      const through = quoted.map(({ symbol, weight }) => ({ value: moveOf.get(symbol) ?? 0, weight }))
      add(source, (moves.get(source) ?? 0) + typical(through))
    }
  return roundMoney(Math.max(...moves.values()) * 10_000)
}
