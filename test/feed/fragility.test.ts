import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { roundMoney } from '../../src/contract/numbers.ts'
import { fragilityOf, lying } from '../../src/feed/fragility.ts'
import { type Evidence, centralPrice, decide, venueWitnesses } from '../../src/feed/price.ts'
import { marketOf } from './world.ts'

/** Venues of one asset, up to `spread` apart, some with two markets. */
const evidenceWithin = (spread: number): fc.Arbitrary<Evidence> =>
  fc
    .array(
      fc.record({
        venue: fc.integer({ min: 0, max: 8 }),
        off: fc.double({ min: -spread, max: spread, noNaN: true }),
        volume: fc.double({ min: 2, max: 9, noNaN: true }),
      }),
      { minLength: 4, maxLength: 12 },
    )
    .map((quotes) => ({
      markets: quotes.map(({ venue, off, volume }, index) =>
        marketOf(`venue-${venue}`, 100 * (1 + off), { pair: `ACME/Q${index}`, volume_24h_usd: 10 ** volume }),
      ),
      aggregators: [],
      distrusted: new Set(),
    }))

/** The figure with every lie of every venue decided anew. */
function decidedAnew(evidence: Evidence, percent: number): number {
  const venues = venueWitnesses(evidence)
  const honest = centralPrice(decide(venues, []))
  const moves = venues.flatMap((venue, liar) =>
    [1 + percent / 100, 1 - percent / 100].map((factor) =>
      Math.abs(centralPrice(decide(venues.with(liar, lying(venue, factor)), [])) / honest - 1),
    ),
  )
  return roundMoney(Math.max(...moves) * 10_000)
}

it.each([0.0005, 0.004, 0.012, 0.1])('is that of the worst lie, where venues are %d apart', (spread) => {
  fc.assert(
    fc.property(evidenceWithin(spread), fc.constantFrom(2, 5, 30), (evidence, percent) => {
      expect(fragilityOf(evidence, percent)).toBeCloseTo(decidedAnew(evidence, percent), 1)
    }),
  )
})
