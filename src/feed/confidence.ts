import type { Asset } from '../contract/asset.ts'
import { roundMoney, roundShare } from '../contract/numbers.ts'
import { consensusOf } from './consensus.ts'
import { LIMITS } from './methodology.ts'
import {
  type Evidence,
  type PublishedPrice,
  type VenueWitness,
  centralPrice,
  decide,
  isDoubted,
  mostThrough,
  price,
  quotedIn,
  supportOf,
  venueWitnesses,
} from './price.ts'
import { typical } from './statistics.ts'

/**
 * Returns the confidence in a price, 0 to 1: (1 - 1/agreeing) times the share of the live witnesses that agrees.
 *
 * @param venues those of the evidence, where they are known already
 */
export function confidenceOf(
  { price_usd: price, basis }: PublishedPrice,
  evidence: Evidence,
  venues: readonly VenueWitness[] = venueWitnesses(evidence),
): Asset['price_confidence'] {
  if (price === null) return null
  if (basis.method === 'carried') return 0
  const { agreeing, live } = supportOf(price, venues, evidence)
  const most = agreeing < 3 || isDoubted(basis.low_confidence_reason) ? LIMITS.doubted : 1
  return roundShare(agreeing === 0 ? 0 : Math.min((agreeing - 1) / live, most, mostThrough(basis, evidence)))
}

/** More volume than there is money. */
const ENDLESS_USD = 1e15

/** The venue telling `factor` times its price, on a volume that outweighs everyone. */
const lying = (venue: VenueWitness, factor: number): VenueWitness => ({
  ...venue,
  price_usd: venue.price_usd * factor,
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
  percent: number = LIMITS.lie_percent,
  { venues, basis } = price(evidence),
): number | null {
  const { aggregators, last = null, rates } = evidence
  if (venues.length + aggregators.length === 0) return null
  const honest = centralPrice(decide(venues, aggregators, last))
  // Where venues have a majority of their own, no aggregator is heard.
  const isDirect = venues.length >= LIMITS.jury && consensusOf(venues.map(({ price_usd }) => price_usd)).majority
  const moves = new Map<string, number>()
  const add = (id: string, move: number) => moves.set(id, Math.max(move, moves.get(id) ?? 0))
  for (const factor of [1 + percent / 100, 1 - percent / 100]) {
    const moved = (...told: Parameters<typeof decide>) => Math.abs(centralPrice(decide(...told)) / honest - 1)
    for (const [liar, venue] of venues.entries())
      add(venue.id, moved(venues.with(liar, lying(venue, factor)), aggregators, last))
    if (isDirect) continue
    for (const [liar, opinion] of aggregators.entries())
      add(
        opinion.source_id,
        moved(venues, aggregators.with(liar, { ...opinion, price_usd: opinion.price_usd * factor }), last),
      )
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
