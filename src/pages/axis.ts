import { ticks } from 'd3-array'
import { count } from './format.ts'
import { LEAST_SPAN } from './line.ts'

/** Height of a chart per tick of its axis, in pixels. */
const TICK_PX = 52
/** Room above and below a line, as a share of its range. */
const ROOM = 0.06
const MOST_DECIMALS = 20
/** A scale of logarithms has a tick at each of these, times a power of ten. */
const LOG_TICKS = [1, 2, 5]

/** Returns the range of an axis that shows values from `low` to `high` with some room on a linear scale. */
export function paddedRange(low: number, high: number): [number, number] {
  const least = (Math.abs(high) * LEAST_SPAN || 2) - (high - low)
  const room = Math.max((high - low) * ROOM, least / 2)
  return [low >= 0 ? Math.max(0, low - room) : low - room, high + room]
}

/** The same on a scale of logarithms, where the values are above zero. */
export function paddedLogRange(low: number, high: number): [number, number] {
  const factor = high > low ? (high / low) ** ROOM : 1 + LEAST_SPAN / 2
  return [low / factor, high * factor]
}

/** Returns round values for the ticks of a linear axis. */
export const linearTicks = (low: number, high: number, heightPx: number): number[] =>
  ticks(low, high, Math.max(2, Math.floor(heightPx / TICK_PX)))

/** Returns round values for the ticks of an axis of logarithms: 1, 2 and 5 times powers of ten, or closer ones where it spans less. */
export function logTicks(low: number, high: number, heightPx: number): number[] {
  if (high / low < LOG_TICKS.length ** 2) return linearTicks(low, high, heightPx)
  const powers = ticks(Math.floor(Math.log10(low)), Math.ceil(Math.log10(high)), 20).filter(Number.isInteger)
  const all = powers.flatMap((power) => LOG_TICKS.map((value) => value * 10 ** power))
  const shown = all.filter((value) => value >= low && value <= high)
  return shown.length * TICK_PX <= heightPx * 2 ? shown : shown.filter((value) => Number.isInteger(Math.log10(value)))
}

/** Returns the least number of decimals that shows every value. */
function decimalsOf(values: readonly number[]): number {
  const [first = 0, second = first * 2] = values
  const tolerance = Math.abs(second - first) * 1e-6
  let decimals = 0
  const isExact = (value: number) => Math.abs(Number(value.toFixed(decimals)) - value) <= tolerance
  while (decimals < MOST_DECIMALS && !values.every(isExact)) decimals += 1
  return decimals
}

/** Returns labels of changes in percent on an axis: `+10 %`. */
export function changeLabels(values: readonly number[]): string[] {
  const decimals = decimalsOf(values)
  return values.map((value) => {
    const size = Math.abs(value).toFixed(decimals)
    const sign = Number(size) === 0 ? '' : value > 0 ? '+' : '\u2212'
    return `${sign}${size}\u202f%`
  })
}

/** Returns labels of prices on an axis, with the fewest decimals that distinguish them: `$64,000`, `$0.995`. */
export function priceLabels(values: readonly number[], sign = '$'): string[] {
  const decimals = decimalsOf(values)
  return values.map((value) => {
    if (decimals === 0) return sign + count(value)
    const [whole = '0', rest = ''] = value.toFixed(decimals).split('.')
    return `${sign}${count(Number(whole))}.${rest}`
  })
}
