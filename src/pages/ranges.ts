import type { HistoryAnswer } from '../client/answers.ts'

export type Days = HistoryAnswer['days']

/** Ranges of a chart with their labels. */
export const RANGES: readonly (readonly [Days, string])[] = [
  [1, '24 h'],
  [7, '7 d'],
  [30, '30 d'],
  [90, '90 d'],
  [365, '1 y'],
]

/** The range of a page that does not name one. */
export const USUAL_RANGE: Days = 7

/** A chart has a line from two prices on. */
export const LEAST_POINTS = 2

/** Returns the range with enough prices for a line that is next to another one, longer ones first; null: none has. */
export async function nearestFilled(
  without: Days,
  pointsIn: (days: Days) => Promise<number>,
): Promise<{ readonly days: Days; readonly label: string; readonly points: number } | null> {
  const longer = RANGES.filter(([days]) => days > without)
  const shorter = RANGES.filter(([days]) => days < without).toReversed()
  for (const [days, label] of [...longer, ...shorter]) {
    const points = await pointsIn(days)
    if (points >= LEAST_POINTS) return { days, label, points }
  }
  return null
}
