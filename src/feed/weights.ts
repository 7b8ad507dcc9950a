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

/** Weights of venues by their volumes in dollars, in the same order; they add up to 1. */
export function venueWeights(volumes: readonly number[]): number[] {
  const raw = credibleVolumes(volumes).map(Math.sqrt)
  if (sum(raw) === 0) return raw.map(() => 1 / raw.length)
  const cap = Math.max(WEIGHTS.venue_cap, 1 / raw.length)
  const capped = new Set<number>()
  const shareOf = (index: number, free: number): number =>
    capped.has(index) ? cap : free === 0 ? 0 : ((1 - cap * capped.size) * (raw[index] ?? 0)) / free
  for (;;) {
    const free = sum(raw.filter((_, index) => !capped.has(index)))
    const above = raw.flatMap((_, index) => (!capped.has(index) && shareOf(index, free) > cap + 1e-12 ? [index] : []))
    if (above.length === 0) return raw.map((_, index) => shareOf(index, free))
    for (const index of above) capped.add(index)
  }
}
