import type * as z from 'zod'
import type { Days, GridInterval, Point, SeriesMembers } from '../contract/history.ts'
import { SPARKLINE } from '../contract/history.ts'
import { type Ms, HOUR_MS, INTERVAL_MS } from '../contract/time.ts'
import type { EarlierPrice } from '../feed/change.ts'
import { bucketOf, timestampOf, windowOf } from './grid.ts'
import { type ListingPast, type PastClock, isSlow } from './past.ts'
import { firstOwn } from './points.ts'

/** One range of an asset's history, as published. */
type HistorySeries = z.infer<z.ZodObject<typeof SeriesMembers>> & { count: number; rows: Point[] }

/** What the series of a listing depends on besides its points. */
export interface SeriesOptions extends Pick<PastClock, 'grid' | 'latest'> {
  readonly slug: string
  /** Whether the listing is delisted: then its windows end with its last point. */
  readonly isDelisted: boolean
  readonly replacedBy: string | null
  /** Name of this feed in `sourceLabel`. */
  readonly label: string
}

/** Reads the buckets of a range: those of 90 and 365 days are the days of the listing. */
interface RangeReader {
  readonly interval: GridInterval
  readonly from: number
  readonly to: number
  readonly buckets: readonly number[]
  readonly price: (bucket: Ms) => number
  readonly volume: (bucket: Ms) => number
  readonly origin: (bucket: Ms) => number
}

function rangeOf(past: ListingPast, days: Days, { grid, latest, isDelisted, replacedBy }: SeriesOptions): RangeReader {
  const interval = grid[days]
  const points = past.points.get(interval)
  const isDaily = days >= 90
  const newest = isDaily ? past.days.last('close_usd') : (points?.last('price_usd') ?? null)
  const end = isDelisted && newest !== null ? newest : bucketOf(latest, interval)
  const { from, to } = windowOf(days, interval, end)
  const buckets =
    replacedBy !== null
      ? []
      : isDaily
        ? past.days.buckets('close_usd', from, to)
        : (points?.buckets('price_usd', from, to) ?? [])
  // The value of the open bucket that a slow range shows: the first that a run saw in it.
  const finest = past.points.get(grid[1])
  const shown = isSlow(days) && finest !== undefined ? firstOwn(finest, to, to + INTERVAL_MS[interval]) : null
  const read = (name: 'price_usd' | 'volume_24h_usd' | 'origin') => (bucket: Ms) => {
    if (bucket === to && shown !== null) return finest?.at(name, shown) ?? Number.NaN
    if (!isDaily) return points?.at(name, bucket) ?? Number.NaN
    return past.days.at(name === 'price_usd' ? 'close_usd' : name, bucket)
  }
  return {
    interval,
    from,
    to,
    buckets,
    price: read('price_usd'),
    volume: read('volume_24h_usd'),
    origin: read('origin'),
  }
}

/** Returns a range of the history of a listing. */
export function historyOf(past: ListingPast, days: Days, options: SeriesOptions): HistorySeries {
  const range = rangeOf(past, days, options)
  const { interval, from, to, buckets } = range
  const { slug, replacedBy, label } = options
  const hasBegun = replacedBy === null && hasPoints(past)
  const origins = new Set(buckets.map(range.origin))
  const backfills = [...origins].flatMap((origin) => past.labels[origin - 1] ?? [])
  return {
    slug,
    days,
    interval,
    from: hasBegun ? timestampOf(from) : null,
    to: hasBegun ? timestampOf(to) : null,
    missing: windowOf(days, interval, to).buckets - buckets.length,
    sourceLabel: seriesLabel(
      origins.has(0) ? label : null,
      backfills.flatMap((names) => names.split(', ')),
    ),
    replacedBy,
    count: buckets.length,
    rows: buckets.map((bucket) => {
      const volume = range.volume(bucket)
      return {
        timestamp: timestampOf(bucket),
        price_usd: range.price(bucket),
        volume_24h_usd: Number.isNaN(volume) ? null : volume,
      }
    }),
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

/** Returns the past prices of a listing that the feed compares its own with; null where there is none. */
export function pastPricesOf(past: ListingPast | undefined, { grid, now }: Pick<PastClock, 'grid' | 'now'>) {
  const hours = past?.points.get('1h')
  const hour = bucketOf(now - INTERVAL_MS['1d'], '1h')
  const price_usd = hours?.at('origin', hour) === 0 ? hours.value('price_usd', hour) : null
  const dayAgo: EarlierPrice | null = price_usd === null ? null : { timestamp: timestampOf(hour), price_usd }
  const finest = past?.points.get(grid[1])
  const oldest = finest?.first('price_usd') ?? null
  return {
    /** The price a day before the run, if a run saw that hour. */
    dayAgo,
    /** The oldest price of the last day. */
    oldest: oldest === null ? null : (finest?.value('price_usd', oldest) ?? null),
  }
}

const SPARK_MS = SPARKLINE.bucket_hours * HOUR_MS

/** Returns the last price of each six hours of the last seven days, oldest first, null where none is known. */
export function sparklineOf(past: ListingPast | undefined, options: SeriesOptions | null): (number | null)[] {
  const prices = Array<number | null>(SPARKLINE.values).fill(null)
  if (past === undefined || options === null || !hasPoints(past)) return prices
  const { buckets, price, to } = rangeOf(past, 7, options)
  const last = Math.floor(to / SPARK_MS)
  for (const bucket of buckets) {
    const place = SPARKLINE.values - 1 - (last - Math.floor(bucket / SPARK_MS))
    if (place >= 0) prices[place] = price(bucket)
  }
  return prices
}
