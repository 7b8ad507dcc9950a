import type { Market } from '../contract/market.ts'
import type { QuarantineRow } from '../contract/quarantine.ts'
import type { Identity } from './identify.ts'
import { STALENESS } from './market-rows.ts'
import type { Opinion, PublishedPrice } from './price.ts'
import { hoursSince, isoOf } from './time.ts'

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

const HOUR_MS = 3_600_000

const near = (price: number, other: number): boolean =>
  Math.abs(price / other - 1) <= QUARANTINE.agreement_percent / 100

/** Inputs for judging a jump of the price: the witnesses of this run, and the last publication. */
interface JumpEvidence {
  readonly markets: readonly Market[]
  readonly outliers: ReadonlySet<Market>
  readonly opinions: readonly Opinion[]
  readonly priceDayAgo: () => number | null
  /** The quarantine that was published for the listing. */
  readonly quarantined: QuarantineRow | undefined
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
  if (!split && agreeing(offered, evidence) >= QUARANTINE.opinions) return null
  return rowOf(slug, { held, offered }, evidence.quarantined, now)
}

/** Returns the row of a price that is held back; null when it was offered for long enough. */
function rowOf(
  slug: string,
  { held, offered }: { readonly held: number; readonly offered: number },
  before: QuarantineRow | undefined,
  now: number,
): QuarantineRow | null {
  const same = before !== undefined && near(offered, before.offered_value) ? before : null
  const since = same?.since ?? isoOf(now)
  const releases = Date.parse(since) + QUARANTINE.release_hours * HOUR_MS
  if (now >= releases) return null
  return {
    slug,
    field: 'price_usd',
    held_value: held,
    offered_value: same?.offered_value ?? offered,
    rule: 'price_jump',
    since,
    releases_at: isoOf(releases),
  }
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

/** Returns the number of venues and aggregators that report about the same price. */
function agreeing(offered: number, { markets, outliers, opinions }: JumpEvidence): number {
  const venues = markets.flatMap((market) => {
    const { exchange_id, price_usd, is_stale } = market
    return price_usd !== null && !is_stale && !outliers.has(market) && near(price_usd, offered) ? [exchange_id] : []
  })
  const aggregators = opinions.flatMap(({ source_id, price_usd }) => (near(price_usd, offered) ? [source_id] : []))
  return new Set([...venues, ...aggregators]).size
}
