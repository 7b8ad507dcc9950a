import { LIMITS } from './methodology.ts'

export { sum } from 'd3-array'

/** Sorts few items. A general sort takes twice as long for the prices of a bar, and a first run has 200,000 bars. */
function sorted<Item>(items: readonly Item[], compare: (a: Item, b: Item) => number): Item[] {
  const done: Item[] = []
  for (const item of items) {
    let place = done.length
    while (place > 0) {
      const before = done[place - 1]
      if (before === undefined || compare(before, item) <= 0) break
      done[place--] = before
    }
    done[place] = item
  }
  return done
}

export const ascending = (values: readonly number[]): number[] => sorted(values, (a, b) => a - b)

/** The middle of some numbers, or the mean of the middle two. NaN of none. */
export const median = (values: readonly number[]): number => medianOfSorted(values.toSorted((a, b) => a - b))

/** {@link median} of a range of numbers in ascending order. */
export function medianOfSorted(sorted: readonly number[], from = 0, to = sorted.length): number {
  const half = (from + to) >> 1
  const upper = sorted[half] ?? Number.NaN
  return (to - from) % 2 === 1 ? upper : ((sorted[half - 1] ?? Number.NaN) + upper) / 2
}

export type Weighted = Readonly<Record<'value' | 'weight', number>>

const byValue = (a: Weighted, b: Weighted): number => a.value - b.value || a.weight - b.weight

const HALF = LIMITS.central_share / 2

/**
 * The mean of the middle of a weighted distribution: the quantile function averaged from 0.5 - `HALF` to 0.5 + `HALF` of
 * the weight. It is a weighted median that does not jump: it is continuous in every value and every weight. A holder of
 * less than 0.5 - `HALF` of the weight at one end is never averaged in. NaN without any weight.
 */
export function centralMean(entries: readonly Weighted[]): number {
  const ordered = sorted(entries, byValue)
  let total = 0
  for (const { weight } of ordered) total += weight
  if (!(total > 0)) return Number.NaN
  const from = (0.5 - HALF) * total
  const to = (0.5 + HALF) * total
  let [first, last, passed, mean] = [Number.NaN, Number.NaN, 0, 0]
  for (const { value, weight } of ordered) {
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
  const ordered = sorted(entries, byValue)
  let left = 0
  for (const { weight } of ordered) left += weight / 2
  for (const { value, weight } of ordered) {
    left -= weight
    if (left < 0) return value
  }
  return ordered.at(-1)?.value ?? Number.NaN
}

export const factorBetween = (a: number, b: number): number => Math.max(a / b, b / a)

export const isWithin = (percent: number, value: number, of: number): boolean =>
  Math.abs(value / of - 1) <= percent / 100
