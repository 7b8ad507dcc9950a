import type { Market } from '../contract/market.ts'
import type { QuarantineRow } from '../contract/quarantine.ts'
import type { Identity } from './identify.ts'
import { STALENESS } from './market-rows.ts'
import type { Opinion, Priced } from './price.ts'
import { hoursSince, isoOf } from './time.ts'

/** The numbers of the rule. */
export const QUARANTINE = {
  rule:
    'A price that is `jump_factor` times the last one or more, or as many times less, is held back unless `opinions` venues ' +
    'or aggregators lie within `agreement_percent` of it: the last price stands, as a carried one. It is published when it ' +
    'is confirmed so, or when it was offered, within that distance, for `release_hours`, or when the last price is too old.',
  jump_factor: 2,
  agreement_percent: 20,
  opinions: 2,
  release_hours: 6,
} as const

const HOUR_MS = 3_600_000

const near = (price: number, other: number): boolean =>
  Math.abs(price / other - 1) <= QUARANTINE.agreement_percent / 100

/**
 * The quarantine of an offered price; null when it may be published.
 *
 * @param before the quarantine that was published for the listing
 */
export function quarantineOf(
  { slug, before: listing }: Identity,
  { price_usd: offered }: Priced,
  said: { readonly markets: readonly Market[]; readonly opinions: readonly Opinion[] },
  before: QuarantineRow | undefined,
  now: number,
): QuarantineRow | null {
  const { price_usd: held = null, last_updated = null } = listing?.asset ?? {}
  if (offered === null || held === null || last_updated === null) return null
  if (hoursSince(last_updated, now) > STALENESS.carry_hours) return null
  if (Math.max(offered / held, held / offered) < QUARANTINE.jump_factor) return null
  if (agreeing(offered, said) >= QUARANTINE.opinions) return null
  const same = before !== undefined && near(offered, before.offered_value)
  const since = same ? before.since : isoOf(now)
  const releases = Date.parse(since) + QUARANTINE.release_hours * HOUR_MS
  if (now >= releases) return null
  return {
    slug,
    field: 'price_usd',
    held_value: held,
    offered_value: same ? before.offered_value : offered,
    rule: 'price_jump',
    since,
    releases_at: isoOf(releases),
  }
}

/** How many venues and aggregators say about the same. */
function agreeing(
  offered: number,
  { markets, opinions }: { readonly markets: readonly Market[]; readonly opinions: readonly Opinion[] },
): number {
  const venues = markets.flatMap(({ exchange_id, price_usd, is_stale, is_outlier }) =>
    price_usd !== null && !is_stale && !is_outlier && near(price_usd, offered) ? [exchange_id] : [],
  )
  const aggregators = opinions.flatMap(({ source_id, price_usd }) => (near(price_usd, offered) ? [source_id] : []))
  return new Set([...venues, ...aggregators]).size
}
