import { type Point, SPARKLINE } from '../contract/history.ts'
import { timeOf } from './grid.ts'
import type { Series } from './series.ts'

const BUCKET_MS = SPARKLINE.bucket_hours * 3_600_000

/**
 * Returns the last price of each six hours of the last seven days, oldest first, null where none is known.
 *
 * @param rows of the 7-day series, in order
 * @param to start of the last bucket of that series, which is still open; null before the first observation
 */
export function sparklineOf(
  rows: readonly Pick<Point, 'timestamp' | 'price_usd'>[],
  to: string | null,
): (number | null)[] {
  const prices = Array<number | null>(SPARKLINE.values).fill(null)
  if (to === null) return prices
  const last = Math.floor(Date.parse(to) / BUCKET_MS)
  for (const { timestamp, price_usd } of rows) {
    const place = SPARKLINE.values - 1 - (last - Math.floor(timeOf(timestamp) / BUCKET_MS))
    if (place >= 0 && place < SPARKLINE.values) prices[place] = price_usd
  }
  return prices
}

/** {@link sparklineOf} of a 7-day series; null: there is none. */
export const sparklineIn = (week: Pick<Series, 'rows' | 'to'> | null): (number | null)[] =>
  sparklineOf(week?.rows ?? [], week?.to ?? null)
