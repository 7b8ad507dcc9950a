import { roundMoney, roundShare } from '../contract/numbers.ts'
import { LIMITS } from './methodology.ts'
import type { Evidence, PublishedPrice, Reason, VenueWitness } from './price.ts'
import { centralPrice, decidePrice, mostThrough, priceOf, quotedIn, supportOf, venueWitnesses } from './price.ts'
import { LIES } from './rate-dependence.ts'
import { typical } from './statistics.ts'

const DOUBTS: ReadonlySet<Reason> = new Set(['split', 'match_disputed', 'contested', 'dispersed', 'halted'])

/** Returns the confidence in a price, 0 to 1: (1 - 1/agreeing) times the share of the live witnesses that agrees. */
export function confidenceOf(priced: PublishedPrice, evidence: Evidence, venues = venueWitnesses(evidence)) {
  const { price_usd: price, basis } = priced
  if (price === null) return null
  if (basis.method === 'carried') return 0
  const { agreeing, live } = supportOf(price, venues, evidence)
  const most = agreeing < 3 || DOUBTS.has(basis.low_confidence_reason) ? LIMITS.doubted : 1
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

/** How far, in basis points, the one witness that moves the price most moves it by a lie; null without one. */
export function fragilityOf(evidence: Evidence, { venues, basis } = priceOf(evidence)): number | null {
  const { aggregators, last, rates } = evidence
  if (venues.length + aggregators.length === 0) return null
  const truth = decidePrice(venues, aggregators, last)
  const honest = centralPrice(truth)
  const moves = new Map<string, number>()
  const add = (id: string, move: number) => moves.set(id, Math.max(move, moves.get(id) ?? 0))
  for (const factor of LIES) {
    const moved = (...by: Parameters<typeof decidePrice>) => Math.abs(centralPrice(decidePrice(...by)) / honest - 1)
    for (const [liar, venue] of venues.entries())
      add(venue.id, moved(venues.with(liar, lying(venue, factor)), aggregators, last))
    // Where the venues are the jury, no aggregator counts.
    if (truth.jury.length === venues.length) continue
    for (const [liar, one] of aggregators.entries())
      add(one.source_id, moved(venues, aggregators.with(liar, { ...one, price_usd: one.price_usd * factor }), last))
  }
  const quoted = quotedIn(basis, evidence.markets)
  const symbols = [...new Set(quoted.map(({ symbol }) => symbol))]
  if (quoted.length > 0)
    for (const source of rates.sources) {
      const moveOf = new Map(symbols.map((symbol) => [symbol, rates.move(symbol, source)]))
      const through = quoted.map(({ symbol, weight }) => ({ value: moveOf.get(symbol) ?? 0, weight }))
      add(source, (moves.get(source) ?? 0) + typical(through))
    }
  return roundMoney(Math.max(...moves.values()) * 10_000)
}
