import type { GridInterval } from './history.ts'
import { type Ms, HOUR_MS, INTERVAL_MS } from './time.ts'

export interface SeenPrice {
  readonly time: number
  readonly price_usd: number
  readonly volume_24h_usd: number | null
}

interface Series {
  readonly interval: GridInterval
  readonly timestamp: string
  readonly rows: readonly (Omit<SeenPrice, 'time'> & { readonly timestamp: string })[]
}

/**
 * Returns the prices of a series, each with the time at which it was seen: a row has the last price of its bucket, so that is
 * the end of the bucket, or of an open one when the series changed last. The open bucket of more than an hour has an earlier
 * price, which the finer series has with its time.
 */
export function seenPrices({ interval, timestamp, rows }: Series): readonly SeenPrice[] {
  const [width, changed] = [INTERVAL_MS[interval], Date.parse(timestamp)]
  // A host may state another interval, or something else in its place.
  if (!(width > 0)) return []
  return rows.flatMap(({ timestamp: start, price_usd, volume_24h_usd }) => {
    const end = Date.parse(start) + width
    if (end > changed && width > HOUR_MS) return []
    return [{ time: Math.min(end, changed), price_usd, volume_24h_usd }]
  })
}

export const lastAt = (prices: readonly SeenPrice[], ms: Ms): SeenPrice | null =>
  prices.findLast(({ time }) => time <= ms) ?? null
