import type { Market } from '../contract/market.ts'
import type { QuarantineRow } from '../contract/quarantine.ts'
import type { Identity } from './identify.ts'
import { type Hold, heldRow } from './hold.ts'
import { STALENESS } from './market-rows.ts'
import type { Opinion, PublishedPrice } from './price.ts'
import { hoursSince } from './time.ts'

/** The numbers of the rule. */
export const QUARANTINE = {
  rule:
    'A price that differs from the last one, or from the oldest of the last day, by `jump_factor` or more in either ' +
    'direction is held back unless `opinions` venues or aggregators lie within `agreement_percent` of it. The last price ' +
    'is carried forward. If the sources are split, a price is held back from `split_jump_factor` on, regardless of ' +
    'agreement. A price held back is published when it is confirmed, when it was reported, within that distance, for ' +
    '`release_hours`, or when the last price is too old.',
  jump_factor: 2,
  split_jump_factor: 1.05,
  agreement_percent: 20,
  opinions: 2,
  release_hours: 6,
} as const

const near = (price: number, other: number): boolean =>
  Math.abs(price / other - 1) <= QUARANTINE.agreement_percent / 100

/** Inputs for judging a jump of the price: the witnesses of this run, and the last publication. */
interface JumpEvidence {
  readonly markets: readonly Market[]
  readonly outliers: ReadonlySet<Market>
  readonly opinions: readonly Opinion[]
  readonly priceDayAgo: () => number | null
}

/** How many times one price is the other, whichever is larger. */
const factorOf = (a: number, b: number): number => Math.max(a / b, b / a)

/** How often a price doubled or halved on the way to another. */
const doublings = (from: number, to: number): number =>
  Math.floor(Math.log(factorOf(from, to)) / Math.log(QUARANTINE.jump_factor))

/** Returns the quarantine of an offered price; null when it may be published. */
export function quarantineOf(
  { slug, before: listing }: Identity,
  { price_usd: offered, basis }: PublishedPrice,
  evidence: JumpEvidence,
  now: number,
): QuarantineRow | null {
  const { price_usd: held = null, last_updated = null } = listing?.asset ?? {}
  if (offered === null || held === null || last_updated === null) return null
  if (hoursSince(last_updated, now) > STALENESS.carry_hours) return null
  // Witnesses that are split confirm nothing, and a smaller jump is enough to hold their price back.
  const split = basis.low_confidence_reason === 'split'
  const isJump = factorOf(offered, held) >= (split ? QUARANTINE.split_jump_factor : QUARANTINE.jump_factor)
  if (!isJump && !leavesDay(held, offered, evidence.priceDayAgo)) return null
  const source_ids = agreeing(offered, evidence)
  if (!split && source_ids.length >= QUARANTINE.opinions) return null
  return heldRow(priceHold(slug, { held, offered, split, source_ids }), listing, {
    now,
    hours: QUARANTINE.release_hours,
    isSame: (before) => typeof before === 'number' && near(offered, before),
  })
}

/** Says why a price is held back, and what would release it. */
function priceHold(slug: string, { held, offered, split, source_ids }: PriceOffer): Hold {
  const factor = Number(factorOf(offered, held).toPrecision(2))
  const { opinions, agreement_percent, release_hours } = QUARANTINE
  return {
    slug,
    field: 'price_usd',
    held_value: held,
    offered_value: offered,
    rule: 'price_jump',
    source_ids,
    reason:
      `It differs from the last price by a factor of ${factor}, and ` +
      (split ? 'the sources disagree about it.' : `fewer than ${opinions} sources confirm it.`),
    release: `${opinions} venues or aggregators within ${agreement_percent} % of it, or the same price for ${release_hours} hours.`,
  }
}

interface PriceOffer {
  readonly held: number
  readonly offered: number
  /** Whether the witnesses have no majority. */
  readonly split: boolean
  readonly source_ids: string[]
}

/**
 * Whether a price gets further from that of a day ago than the last one was, by a whole jump: one that each run moves a
 * little is held by the sum.
 */
function leavesDay(held: number, offered: number, priceDayAgo: () => number | null): boolean {
  // Most prices stand about still, and a history is read for those alone that do not.
  if (factorOf(offered, held) < 1.02) return false
  const dayAgo = priceDayAgo()
  return dayAgo !== null && doublings(dayAgo, offered) > doublings(dayAgo, held)
}

/** Returns the venues and aggregators that report about the same price. */
function agreeing(offered: number, { markets, outliers, opinions }: JumpEvidence): string[] {
  const venues = markets.flatMap((market) => {
    const { exchange_id, price_usd, is_stale } = market
    return price_usd !== null && !is_stale && !outliers.has(market) && near(price_usd, offered) ? [exchange_id] : []
  })
  const aggregators = opinions.flatMap(({ source_id, price_usd }) => (near(price_usd, offered) ? [source_id] : []))
  return [...new Set([...venues, ...aggregators])].toSorted()
}
