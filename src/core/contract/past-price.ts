import type { Days, GridInterval } from './history.ts'
import { type Ms, DAY_MS, HOUR_MS, INTERVAL_MS } from './time.ts'

export interface SeenPrice {
  readonly time: number
  readonly price_usd: number
  readonly volume_24h_usd: number | null
}

interface Series {
  readonly interval: GridInterval
  readonly timestamp: string
  readonly to: string | null
  readonly rows: readonly (Omit<SeenPrice, 'time'> & { readonly timestamp: string })[]
}

/**
 * Returns the prices of a series, each with the time at which it was seen: a row has the last price of its bucket, so that is
 * the end of the bucket, or of an open one when the series changed last. The open bucket of more than an hour has an earlier
 * price, which the finer series has with its time.
 */
export function seenPrices({ interval, timestamp, rows }: Omit<Series, 'to'>): readonly SeenPrice[] {
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

type Found = (SeenPrice & Pick<Series, 'interval'>) | null

/** Those of the history, from the finest on, without the schema that the client has no room for. */
const RANGES: readonly Days[] = [1, 7, 30, 90, 365]

/**
 * Returns the last price at or before a time from the finest series that has it, and the width of its bucket; null where it
 * is older than a day. A coarser series is read only where the finer one has a gap.
 *
 * @param read returns a range of the history of a listing; null: it is not published
 */
export async function finestAt(read: (days: Days) => Promise<Series | null>, ms: Ms, now: Ms): Promise<Found> {
  let found: Found = null
  for (const days of RANGES.filter((range) => (now - ms) / DAY_MS <= range + 1)) {
    // eslint-disable-next-line no-await-in-loop -- most prices are in the finest series
    const series = await read(days)
    const end = series ? Date.parse(series.to ?? '') + INTERVAL_MS[series.interval] : now
    // The ranges of a listing that left end when it did, and those of a feed without new runs with its last one.
    if (end < now - DAY_MS) return finestAt(read, ms, end)
    const seen = series && lastAt(seenPrices(series), ms)
    if (!seen || ms - seen.time >= DAY_MS || seen.time <= (found?.time ?? 0)) continue
    found = { ...seen, interval: series.interval }
    if (ms - seen.time < 2 * INTERVAL_MS[series.interval]) break
  }
  return found
}
