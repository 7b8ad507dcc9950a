import { credibleVolumes } from './credible-volume.ts'
import { sum } from './statistics.ts'

/** The numbers of the rule. */
export const WEIGHTS = {
  rule:
    'A venue weighs as the square root of its credible volume, and at most `venue_cap` of the whole or an equal share, ' +
    'whichever is more; what one has above it goes to the others in proportion. Of a venue’s weight each of its markets ' +
    'has its share of the volume. A market below `least_share` of the whole is left out.',
  venue_cap: 0.2,
  least_share: 0.001,
} as const

/**
 * Weights of venues by their volumes in dollars, in the same order; they add up to 1. Loops by index: this runs once for
 * each lie of each venue.
 */
export function venueWeights(volumes: readonly number[]): number[] {
  // So few that the cap is the equal share: no venue is below it either.
  if (volumes.length * WEIGHTS.venue_cap <= 1) return volumes.map(() => 1 / volumes.length)
  const raw = credibleVolumes(volumes)
  for (let index = 0; index < raw.length; index++) raw[index] = Math.sqrt(raw[index] ?? 0)
  let free = sum(raw)
  if (free === 0) return raw.map(() => 1 / raw.length)
  const cap = WEIGHTS.venue_cap
  const shares = raw.map(() => 0)
  let left = 1
  for (let found = true; found;) {
    found = false
    // Whoever is above the cap among those that share what is left; the others' shares only grow by that.
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
