import { roundMoney } from '../contract/numbers.ts'
import { consensusOf } from './consensus.ts'
import { type Evidence, PRICE, type VenueWitness, centralPrice, decide, price, quotedIn } from './price.ts'
import { typical } from './statistics.ts'

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
  if (rates && quoted.length > 0)
    for (const source of rates.sources) {
      const through = quoted.map(({ symbol, weight }) => ({ value: rates.move(symbol, source, percent), weight }))
      add(source, (moves.get(source) ?? 0) + typical(through))
    }
  return roundMoney(Math.max(...moves.values()) * 10_000)
}
