import { LIMITS } from './methodology.ts'

export { sum } from 'd3-array'

export const ascending = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b)

/** The middle of some numbers, or the mean of the middle two. NaN of none. */
export const median = (values: readonly number[]): number => medianOfSorted(ascending(values))

/** {@link median} of numbers in ascending order. */
export function medianOfSorted(sorted: readonly number[]): number {
  const half = sorted.length >> 1
  const upper = sorted[half] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? Number.NaN) + upper) / 2
}

export interface Weighted {
  readonly value: number
  readonly weight: number
}

const byValue = (entries: readonly Weighted[]): Weighted[] =>
  entries.toSorted((a, b) => a.value - b.value || a.weight - b.weight)

/**
 * The mean of the middle of a weighted distribution: the quantile function averaged from 0.5 - `half` to 0.5 + `half` of
 * the weight. With a small `half` it is a weighted median that does not jump: it is continuous in every value and every
 * weight. Whoever holds less than 0.5 - `half` of the weight at one end is never averaged in. NaN without any weight.
 */
export function centralMean(entries: readonly Weighted[], half = LIMITS.central_share / 2): number {
  const sorted = byValue(entries)
  let total = 0
  for (const { weight } of sorted) total += weight
  if (!(total > 0)) return Number.NaN
  const from = (0.5 - half) * total
  const to = (0.5 + half) * total
  let [first, last, passed, mean] = [Number.NaN, Number.NaN, 0, 0]
  for (const { value, weight } of sorted) {
    if (weight <= 0) continue
    if (passed === 0) first = value
    last = value
    const inside = Math.min(passed + weight, to) - Math.max(passed, from)
    if (inside > 0) mean += (value * inside) / (to - from)
    passed += weight
  }
  // Rounding of the shares must not carry the mean past the values themselves.
  return Math.min(last, Math.max(first, mean))
}

/** The least value that more than half of the weight does not exceed. NaN of none. */
export function typical(entries: readonly Weighted[]): number {
  const sorted = byValue(entries)
  let left = 0
  for (const { weight } of sorted) left += weight / 2
  for (const { value, weight } of sorted) {
    left -= weight
    if (left < 0) return value
  }
  return sorted.at(-1)?.value ?? Number.NaN
}

/** How many times one price is the other, whichever is larger. */
export const factorBetween = (a: number, b: number): number => Math.max(a / b, b / a)

/** Whether a value is within so many percent of another. */
export const isWithin = (percent: number, value: number, of: number): boolean =>
  Math.abs(value / of - 1) <= percent / 100
