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
  const lower = campOf(sorted, (sorted.length - 1) >> 1)
  const upper = sorted.length % 2 === 1 ? lower : campOf(sorted, sorted.length >> 1)
  const near = upper.to - upper.from > lower.to - lower.from ? upper : lower
  if ((near.to - near.from) * 2 <= prices.length)
    return { center: medianOfSorted(sorted), majority: false, reach: Infinity }
  const center = medianOfSorted(sorted, near.from, near.to)
  return { center, majority: true, reach: (center * LIMITS.tolerance_percent) / 100 }
}

function campOf(sorted: readonly number[], index: number): { readonly from: number; readonly to: number } {
  const middle = sorted[index] ?? Number.NaN
  const isNear = (at: number) => isWithin(LIMITS.tolerance_percent, sorted[at] ?? Number.NaN, middle)
  let from = index
  let to = index
  while (isNear(from - 1)) from--
  while (isNear(to)) to++
  return { from, to }
}

export const within = ({ center, reach }: Consensus, price: number): boolean =>
  reach === Infinity || Math.abs(price - center) <= reach
