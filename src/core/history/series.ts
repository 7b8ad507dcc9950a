import { type Days, type Point, SPARKLINE } from '../contract/history.ts'
import { HOUR_MS, INTERVAL_MS } from '../contract/time.ts'
import type { PastPrices } from '../feed/change.ts'
import { type Moment, bucketOf, timestampOf, windowOf } from './grid.ts'
import { type ListingPast, type PastClock, isSlow, pricesOf } from './past.ts'
import { firstOwn } from './points.ts'

/** What the series of a listing depends on besides its points. */
export interface SeriesOptions extends Pick<PastClock, 'grid' | 'latest'> {
  readonly slug: string
  /** Whether the listing is delisted: then its windows end with its last point. */
  readonly isDelisted: boolean
  readonly replacedBy: string | null
  /** Name of this feed in `sourceLabel`. */
  readonly label: string
}

/** Returns the window of a range, and the columns and the buckets of it that have a price. */
function rangeOf(past: ListingPast, days: Days, { grid, latest, isDelisted, replacedBy }: SeriesOptions) {
  const { interval, columns, price } = pricesOf(past, days, grid)
  const newest = columns.last(price)
  const window = windowOf(days, interval, isDelisted && newest !== null ? newest : latest)
  const starts = replacedBy === null ? columns.buckets(price, window.from, window.to) : []
  return { interval, columns, price, starts, ...window }
}

export function historyOf(past: ListingPast, days: Days, options: SeriesOptions) {
  const { interval, from, to, buckets, columns, price, starts } = rangeOf(past, days, options)
  const { slug, replacedBy, label, grid } = options
  const hasBegun = replacedBy === null && hasPoints(past)
  // The value of the open bucket that a slow range shows: the first that a run saw in it.
  const finest = pricesOf(past, 1, grid)
  const shown = isSlow(days) ? firstOwn(past.points.get(grid[1]), to, to + INTERVAL_MS[interval]) : null
  const origins = new Set<number>()
  const rows = starts.map((bucket): Point => {
    const [own, name, at] =
      bucket === to && shown !== null ? [finest.columns, finest.price, shown] : [columns, price, bucket]
    origins.add(own.at('origin', at))
    const volume_24h_usd = own.value('volume_24h_usd', at)
    return { timestamp: timestampOf(bucket), price_usd: own.at(name, at), volume_24h_usd }
  })
  const backfills = [...origins].flatMap((origin) => past.labels[origin - 1]?.split(', ') ?? [])
  return {
    slug,
    days,
    interval,
    from: hasBegun ? timestampOf(from) : null,
    to: hasBegun ? timestampOf(to) : null,
    missing: buckets - rows.length,
    sourceLabel: seriesLabel(origins.has(0) ? label : null, backfills),
    replacedBy,
    count: rows.length,
    rows,
  }
}

/**
 * Returns a label with every source of a series, such as `Quotetree index; backfilled from Binance, Kraken`.
 *
 * @param own label of values observed by our own runs; null if the series has none
 */
export function seriesLabel(own: string | null, backfills: Iterable<string>): string {
  const names = [...new Set(backfills)].toSorted()
  const parts = [...(own === null ? [] : [own]), ...(names.length === 0 ? [] : [`backfilled from ${names.join(', ')}`])]
  return parts.length === 0 ? 'none' : parts.join('; ')
}

/** Whether anything is known of the past of a listing: its windows begin with that. */
export const hasPoints = ({ points, days }: ListingPast): boolean =>
  days.first('close_usd') !== null || [...points.values()].some((columns) => columns.first('price_usd') !== null)

/** Returns the past prices of a listing that the feed compares its own with. */
export function pastPricesOf(past: ListingPast | undefined, { grid, now }: Moment): PastPrices {
  const hours = past?.points.get('1h')
  const hour = bucketOf(now - INTERVAL_MS['1d'], '1h')
  const price_usd = hours?.at('origin', hour) === 0 ? hours.value('price_usd', hour) : null
  const finest = past?.points.get(grid[1])
  const oldest = finest?.first('price_usd') ?? null
  return {
    dayAgo: price_usd === null ? null : { timestamp: timestampOf(hour), price_usd },
    oldest: oldest === null ? null : (finest?.value('price_usd', oldest) ?? null),
  }
}

const SPARK_MS = SPARKLINE.bucket_hours * HOUR_MS

/** Returns the last price of each six hours of the last seven days, oldest first, null where none is known. */
export function sparklineOf(past: ListingPast, options: SeriesOptions): (number | null)[] {
  const prices = Array<number | null>(SPARKLINE.values).fill(null)
  if (!hasPoints(past)) return prices
  const { columns, price, starts, to } = rangeOf(past, 7, options)
  const last = Math.floor(to / SPARK_MS)
  for (const bucket of starts) {
    const place = SPARKLINE.values - 1 - (last - Math.floor(bucket / SPARK_MS))
    if (place >= 0) prices[place] = columns.at(price, bucket)
  }
  return prices
}
