import type { Market } from '../contract/market.ts'
import { roundMoney } from '../contract/numbers.ts'
import { sum } from './statistics.ts'

export const CREDIBLE_VOLUME = {
  rule:
    'The volume of a venue counts up to `multiple` times what the other venues of the asset trade together. In a weight, ' +
    'the volume of a market counts in full up to a spread of `full_spread_percent`, in proportion less above it, and ' +
    '`no_book_share` of it without a two-sided book.',
  multiple: 10,
  full_spread_percent: 1,
  no_book_share: 0.5,
} as const

/** The part of a market's volume that its own book makes plausible, in dollars. */
export function backedVolume({ volume_24h_usd, spread_percent }: Market): number {
  const volume = volume_24h_usd ?? 0
  if (spread_percent === null) return volume * CREDIBLE_VOLUME.no_book_share
  return volume * Math.min(1, CREDIBLE_VOLUME.full_spread_percent / spread_percent)
}

/** Returns the credible volume of each venue, in the order of the venues. That of an asset's only venue is not reduced. */
function credibleVolumes(volumes: readonly number[]): number[] {
  if (volumes.length < 2) return [...volumes]
  return volumes.map((volume, index) => {
    // The sums of those before and of those after: a total less one of 10^15 would lose the small ones.
    const others = sum(volumes.slice(0, index)) + volumes.slice(index + 1).reduceRight((sum, one) => sum + one, 0)
    return Math.min(volume, CREDIBLE_VOLUME.multiple * others)
  })
}

/** The volume that the markets of an asset make plausible together, in dollars; null where none is known. */
export function credibleVolume(markets: readonly Market[]): number | null {
  const venues = venueVolumes(markets)
  return venues.size === 0 ? null : roundMoney(sum(credibleVolumes([...venues.values()])))
}

/** Venues that report more volume than the other venues of the asset make plausible, by `exchange_id`. */
export function implausibleVolumes(markets: readonly Market[]): Set<string> {
  const venues = venueVolumes(markets)
  const credible = credibleVolumes([...venues.values()])
  return new Set([...venues].flatMap(([venue, volume], index) => (volume > (credible[index] ?? 0) ? [venue] : [])))
}

/** The volume that each venue reports, on markets that are neither stale nor outliers, by `exchange_id`. */
function venueVolumes(markets: readonly Market[]): Map<string, number> {
  const volumes = new Map<string, number>()
  for (const { exchange_id, is_stale, is_outlier, volume_24h_usd } of markets)
    if (!is_stale && !is_outlier && volume_24h_usd !== null)
      volumes.set(exchange_id, (volumes.get(exchange_id) ?? 0) + volume_24h_usd)
  return volumes
}

/** Most that a venue weighs of the whole. */
export const VENUE_CAP = 0.15

export const WEIGHTS = {
  rule:
    'A venue weighs as the square root of its credible volume, and at most `venue_cap` of the whole or an equal share, ' +
    'whichever is more; what one has above it goes to the others in proportion. Of a venue’s weight each of its markets ' +
    'has its share of the volume. A market below `least_share` of the whole is left out.',
  venue_cap: VENUE_CAP,
  least_share: 0.001,
} as const

/**
 * Weights of venues by their volumes in dollars, in the same order; they add up to 1. Loops by index: this runs once for
 * each lie of each venue.
 */
export function venueWeights(volumes: readonly number[]): number[] {
  // So few that the cap is the equal share: no venue is below it either.
  if (volumes.length * VENUE_CAP <= 1) return volumes.map(() => 1 / volumes.length)
  const raw = credibleVolumes(volumes).map((volume) => Math.sqrt(volume))
  let free = sum(raw)
  if (free === 0) return raw.map(() => 1 / raw.length)
  const shares = raw.map(() => 0)
  let left = 1
  for (let found = true; found;) {
    found = false
    // Whoever is above the cap among those that share what is left; the others' shares only grow by that.
    const unit = free > 0 ? left / free : 0
    for (let index = 0; index < raw.length; index++) {
      const weight = raw[index] ?? 0
      if (shares[index] === VENUE_CAP || weight * unit <= VENUE_CAP + 1e-12) continue
      shares[index] = VENUE_CAP
      left -= VENUE_CAP
      free -= weight
      found = true
    }
  }
  const unit = free > 0 ? Math.max(0, left) / free : 0
  return raw.map((weight, index) => (shares[index] === VENUE_CAP ? VENUE_CAP : weight * unit))
}
