import { LIMITS } from './methodology.ts'
import { ascending, isWithin, medianOfSorted } from './statistics.ts'

/** `center`; whether more than half agree; and how far from it outliers begin: Infinity where there is no majority. */
export type Consensus = ReturnType<typeof consensusOf>

/**
 * Returns the majority of some opinions: more than half of them within the tolerance of the middle one. Of an even number
 * either of the middle two may have it, but not a center between two camps.
 */
export function consensusOf(prices: readonly number[]) {
  const sorted = ascending(prices)
  const about = (index: number) =>
    sorted.filter((price) => isWithin(LIMITS.tolerance_percent, price, sorted[index] ?? Number.NaN))
  const [lower, upper] = [about((sorted.length - 1) >> 1), about(sorted.length >> 1)]
  const near = upper.length > lower.length ? upper : lower
  if (near.length * 2 <= prices.length) return { center: medianOfSorted(sorted), majority: false, reach: Infinity }
  const center = medianOfSorted(near)
  return { center, majority: true, reach: (center * LIMITS.tolerance_percent) / 100 }
}

/** Whether a price is within the reach of a consensus. */
export const within = ({ center, reach }: Consensus, price: number): boolean =>
  reach === Infinity || Math.abs(price - center) <= reach
