import type { Market } from '../contract/market.ts'
import { roundMoney } from '../contract/numbers.ts'
import { LIMITS } from './methodology.ts'
import { sum } from './statistics.ts'

/** The part of a market's volume that its own book makes plausible, in dollars. */
export function backedVolume({ volume_24h_usd, spread_percent }: Market): number {
  const volume = volume_24h_usd ?? 0
  if (spread_percent === null) return volume * LIMITS.no_book_share
  return volume * Math.min(1, LIMITS.full_spread_percent / spread_percent)
}

/** Returns the credible volume of each venue, in the order of the venues. That of an asset's only venue is not reduced. */
function credibleVolumes(volumes: readonly number[]): number[] {
  if (volumes.length < 2) return [...volumes]
  return volumes.map((volume, index) => {
    // The sums of those before and of those after: a total less one of 10^15 would lose the small ones.
    const others = sum(volumes.slice(0, index)) + volumes.slice(index + 1).reduceRight((sum, one) => sum + one, 0)
    return Math.min(volume, LIMITS.credible_multiple * others)
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

/**
 * Weights of venues by their volumes in dollars, in the same order; they add up to 1. A venue weighs as the square root
 * of its credible volume, at most `venue_cap` or an equal share; what it has above goes to the others in proportion.
 * Loops by index: this runs once for each lie of each venue.
 */
export function venueWeights(volumes: readonly number[]): number[] {
  const cap = LIMITS.venue_cap
  // So few that the cap is the equal share: no venue is below it either.
  if (volumes.length * cap <= 1) return volumes.map(() => 1 / volumes.length)
  const raw = credibleVolumes(volumes).map((volume) => Math.sqrt(volume))
  let free = sum(raw)
  if (free === 0) return raw.map(() => 1 / raw.length)
  const shares = raw.map(() => 0)
  let left = 1
  for (let found = true; found;) {
    found = false
    // Those above the cap among those that share what is left; the others' shares only grow by that.
    const unit = free > 0 ? left / free : 0
    for (let index = 0; index < raw.length; index++) {
      const weight = raw[index] ?? 0
      if (shares[index] === cap || weight * unit <= cap + 1e-12) continue
      shares[index] = cap
      left -= cap
      free -= weight
      found = true
    }
  }
  const unit = free > 0 ? Math.max(0, left) / free : 0
  return raw.map((weight, index) => (shares[index] === cap ? cap : weight * unit))
}
