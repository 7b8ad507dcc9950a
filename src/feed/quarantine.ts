import { by } from '../contract/order.ts'
import { hoursSince } from '../contract/time.ts'
import type { Market } from '../contract/market.ts'
import type { QuarantineRow } from '../contract/quarantine.ts'
import type { Identity } from './identify.ts'
import { type Hold, heldRow } from './hold.ts'
import { STALENESS } from './freshness.ts'
import { factorBetween, isWithin } from './statistics.ts'
import type { Listing } from './listing.ts'
import { type Evidence, type PublishedPrice, publishedEvidence, venueWitnesses } from './price.ts'

export const QUARANTINE = {
  rule:
    'A price that differs from the last one, or from the oldest of the last day, by `jump_factor` or more in either ' +
    'direction is held back, and the last price carried forward, unless more than half of the live witnesses, venues and ' +
    'aggregators alike, confirm it, and `opinions` of them at least; `opinions` and no more only where all do. A witness ' +
    'confirms a price within `agreement_percent` of its own, or a move that it has itself made since the last ' +
    'publication, by half or more. If the witnesses are split, a price is held back from `split_jump_factor` on, and only ' +
    'their own moves confirm it. A venue that a weak rate converts is a witness at the last rate. A price held back is ' +
    'published when it is confirmed, when prices as far in that direction were reported for `release_hours`, or when the ' +
    'last price is too old.',
  jump_factor: 2,
  split_jump_factor: 1.05,
  agreement_percent: 20,
  opinions: 2,
  release_hours: 6,
} as const

const near = (price: number, other: number): boolean => isWithin(QUARANTINE.agreement_percent, price, other)

/** How often a price doubled or halved on the way to another. */
const doublings = (from: number, to: number): number =>
  Math.floor(Math.log(factorBetween(from, to)) / Math.log(QUARANTINE.jump_factor))

/** Returns the quarantine of an offered price; null when it may be published. */
export function quarantineOf(
  identity: Identity,
  { price_usd: offered, basis }: PublishedPrice,
  { evidence, priceDayAgo }: { readonly evidence: Evidence; readonly priceDayAgo: () => number | null },
  now: number,
): QuarantineRow | null {
  const { before: listing } = identity
  const { price_usd: held = null, last_updated = null } = listing?.asset ?? {}
  if (offered === null || held === null || last_updated === null) return null
  if (hoursSince(last_updated, now) > STALENESS.carry_hours) return null
  // The level of witnesses that are split confirms nothing, but their own moves do.
  const split = basis.low_confidence_reason === 'split'
  const isJump = factorBetween(offered, held) >= (split ? QUARANTINE.split_jump_factor : QUARANTINE.jump_factor)
  if (!isJump && !leavesDay(held, offered, priceDayAgo)) return null
  const witnesses = witnessesOf(evidence, listing)
  // Whether a witness has itself moved in the direction of the jump, by half of it or more.
  const hasMoved = ({ price, before }: Witness) =>
    before !== null && Math.log(price / before) / Math.log(offered / held) >= 0.5
  const confirming = witnesses.filter((witness) => (!split && near(witness.price, offered)) || hasMoved(witness))
  if (isConfirmed(confirming.length, witnesses.length)) return null
  const factor = Number(factorBetween(offered, held).toPrecision(2))
  const { opinions, agreement_percent, release_hours } = QUARANTINE
  const hold: Hold = {
    field: 'price_usd',
    held_value: held,
    offered_value: offered,
    rule: 'price_jump',
    source_ids: witnesses.flatMap(({ id, price }) => (near(price, offered) ? [id] : [])),
    reason:
      `It differs from the last price by a factor of ${factor}, and ${confirming.length} of ${witnesses.length} venues ` +
      'and aggregators confirm it.',
    release:
      `More than half of the venues and aggregators within ${agreement_percent} % of it: at least ${opinions + 1}, or ` +
      `${opinions} of ${opinions}. Or reports as far from the last price in that direction for ${release_hours} hours.`,
  }
  return heldRow(identity, hold, now, {
    hours: release_hours,
    isSame: (before) => typeof before === 'number' && before > held === offered > held,
  })
}

/** Whether this many of the live witnesses are enough: a majority, and not two alone against the rest. */
const isConfirmed = (confirming: number, of: number): boolean =>
  confirming >= QUARANTINE.opinions && confirming * 2 > of && (confirming > QUARANTINE.opinions || confirming === of)

/** A live witness of this run, and what it said at the last publication. */
type Witness = ReturnType<typeof witnessesOf>[number]

/** Every venue and every aggregator, each with one opinion: a venue in its own figures where a rate is weak. */
function witnessesOf(evidence: Evidence, last: Listing | null) {
  const before = new Map<string, number>()
  const lastRates = new Map(last?.markets.map(({ quote_symbol, quote_usd }) => [quote_symbol, quote_usd]))
  if (last) {
    const known = publishedEvidence(last.asset.price_basis, last.markets, evidence)
    for (const { id, price } of venueWitnesses(known)) before.set(id, price)
    for (const { source_id, price_usd } of known.aggregators) before.set(source_id, price_usd)
  }
  const atLastRate = (market: Market): Market => {
    const isWeak = (evidence.rates?.most(market.quote_symbol) ?? 1) < 1
    const rate = isWeak ? lastRates.get(market.quote_symbol) : null
    const { price_usd, quote_usd } = market
    return rate && price_usd !== null && quote_usd ? { ...market, price_usd: (price_usd * rate) / quote_usd } : market
  }
  const venues = venueWitnesses({ ...evidence, markets: evidence.markets.map(atLastRate) })
  return [
    ...venues.map(({ id, price }) => ({ id, price })),
    ...evidence.aggregators.map(({ source_id, price_usd }) => ({ id: source_id, price: price_usd })),
  ]
    .map((one) => ({ ...one, before: before.get(one.id) ?? null }))
    .toSorted(by((row) => row.id))
}

/**
 * Whether a price gets further from that of a day ago than the last one was, by a whole jump: one that each run moves a
 * little is held by the sum.
 */
function leavesDay(held: number, offered: number, priceDayAgo: () => number | null): boolean {
  // Most prices stand about still, and a history is read for those alone that do not.
  if (factorBetween(offered, held) < 1.02) return false
  const dayAgo = priceDayAgo()
  return dayAgo !== null && doublings(dayAgo, offered) > doublings(dayAgo, held)
}
