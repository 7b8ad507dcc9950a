import { HOUR_MS } from '../contract/time.ts'
import { type Point, SPARKLINE } from '../contract/history.ts'
import { timeOf } from './grid.ts'

const BUCKET_MS = SPARKLINE.bucket_hours * HOUR_MS

/**
 * Returns the last price of each six hours of the last seven days, oldest first, null where none is known.
 *
 * @param week the 7-day series: its rows in order, and the start of its last bucket, which is still open; null: none
 */
export function sparklineOf(
  week: { readonly rows: readonly Pick<Point, 'timestamp' | 'price_usd'>[]; readonly to: string | null } | null,
): (number | null)[] {
  const prices = Array<number | null>(SPARKLINE.values).fill(null)
  if (week === null || week.to === null) return prices
  const last = Math.floor(Date.parse(week.to) / BUCKET_MS)
  for (const { timestamp, price_usd } of week.rows) {
    const place = SPARKLINE.values - 1 - (last - Math.floor(timeOf(timestamp) / BUCKET_MS))
    if (place >= 0 && place < SPARKLINE.values) prices[place] = price_usd
  }
  return prices
}
