import type { Interval } from '../../contract/history.ts'

/** Length of a bar in ms. */
export const LENGTHS_MS: Readonly<Record<Interval, number>> = {
  '15m': 900_000,
  '1h': 3_600_000,
  '4h': 14_400_000,
  '1d': 86_400_000,
}
