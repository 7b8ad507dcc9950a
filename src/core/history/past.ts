import { by, byKey, ensured } from '../contract/order.ts'
import type { DailySource } from '../contract/daily.ts'
import { DAYS, type Days, type Grid, type GridInterval } from '../contract/history.ts'
import type { RightsClass } from '../contract/rights.ts'
import { type Ms, DAY_MS, INTERVAL_MS } from '../contract/time.ts'
import { Columns } from './columns.ts'
import type { Moment } from './grid.ts'

/** A bucket of a listing: the last price and volume in it, and where they are from. */
export const POINT_COLUMNS = ['price_usd', 'volume_24h_usd', 'origin'] as const
export type PointColumn = (typeof POINT_COLUMNS)[number]

/** The bar of a venue. */
export const VENUE_BAR_COLUMNS = ['open_usd', 'high_usd', 'low_usd', 'close_usd', 'volume_base'] as const
export type VenueBarColumn = (typeof VENUE_BAR_COLUMNS)[number]

/** A bar of a listing, made of those of venues. */
export const BAR_COLUMNS = [...VENUE_BAR_COLUMNS, 'venues'] as const
export type BarColumn = (typeof BAR_COLUMNS)[number]

/**
 * A listing on a day. Names are those of `closes` and `daily`; three columns are codes. Documents of many days change once a
 * day, so a row says since when its prices (`added`) and those of venues (`measured`) are known, as the start of a day in ms
 * since 1970, and which past price they took the place of (`replaced_usd`).
 */
export const DAY_COLUMNS = [
  'close_usd',
  'open_usd',
  'high_usd',
  'low_usd',
  'volume_24h_usd',
  'market_cap_usd',
  'venue_volume_base',
  'venue_volume_usd',
  'venues',
  'runs',
  'basis',
  'rights',
  'origin',
  'added',
  'measured',
  'replaced_usd',
] as const
export type DayColumn = (typeof DAY_COLUMNS)[number]

/** Codes of the column `basis`: what runs saw, bars of venues, or a single past price. The lowest is the best. */
export const DAY_BASIS = { runs: 0, candles: 1, price: 2 } as const

/** The bars of one width, and the venues that they are made of. */
export interface BarSeries {
  readonly columns: Columns<BarColumn>
  /** What each venue reported of bars of several, by its id, for the last days: see {@link INPUT_DAYS}. */
  readonly inputs: Map<string, Columns<VenueBarColumn>>
  sources: readonly string[]
  rights: readonly RightsClass[]
}

/** Days for which what each venue reported of a bar is kept. */
export const INPUT_DAYS = 7

/** Everything that is known of the past of one listing. */
export interface ListingPast {
  /** Names of the sources of backfilled values: an `origin` of 1 is the first of them, 0 is this feed itself. */
  readonly labels: string[]
  readonly points: Map<GridInterval, Columns<PointColumn>>
  readonly bars: Map<GridInterval, BarSeries>
  readonly days: Columns<DayColumn>
  /** The venues that were asked for its daily bars. */
  asked: readonly DailySource[]
}

export const noPast = (): ListingPast => ({
  labels: [],
  points: new Map(),
  bars: new Map(),
  days: new Columns(DAY_MS, DAY_COLUMNS),
  asked: [],
})

/** Returns a copy that can be extended without changing the original. */
export const copyOf = ({ labels, points, bars, days, asked }: ListingPast): ListingPast => ({
  labels: [...labels],
  points: new Map([...points].map(([interval, columns]) => [interval, columns.copy()])),
  bars: new Map(
    [...bars].map(([interval, { columns, inputs, ...rest }]) => {
      const copies = [...inputs].map(([id, own]) => [id, own.copy()] as const)
      return [interval, { columns: columns.copy(), inputs: new Map(copies), ...rest }]
    }),
  ),
  days: days.copy(),
  asked,
})

/** Tables of the values of listings: each of the columns of a listing is in one. */
export const PAST_TABLES = ['points', 'bars', 'inputs', 'days'] as const
export type PastTable = (typeof PAST_TABLES)[number]

export interface PastSeries {
  readonly table: PastTable
  readonly interval: GridInterval
  /** The venue that reported `inputs`. */
  readonly source_id?: string
  /** Name of the column that has a value in every bucket that is known. */
  readonly key: string
  readonly columns: Columns<string>
}

/** Returns all columns of a listing, the narrowest first. */
export const pastSeries = ({ points, bars, days }: ListingPast): PastSeries[] =>
  [
    ...[...points].map(([interval, columns]): PastSeries => ({ table: 'points', interval, key: 'price_usd', columns })),
    ...[...bars].flatMap(([interval, { columns, inputs }]): PastSeries[] => [
      { table: 'bars', interval, key: 'close_usd', columns },
      ...[...inputs].toSorted(byKey).map(([source_id, own]) => {
        return { table: 'inputs', interval, source_id, key: 'close_usd', columns: own } as const
      }),
    ]),
    { table: 'days' as const, interval: '1d' as const, key: 'close_usd', columns: days },
  ].toSorted(by(({ columns }) => columns.width))

/** Returns the code of a label, which is added if it is new. */
export function originOf({ labels }: ListingPast, label: string): number {
  const place = labels.indexOf(label)
  return place < 0 ? labels.push(label) : place + 1
}

/** Returns the points of a width; empty ones are added if there are none. */
export const pointsOf = ({ points }: ListingPast, interval: GridInterval): Columns<PointColumn> =>
  ensured(points, interval, () => new Columns(INTERVAL_MS[interval], POINT_COLUMNS))

/** Returns the columns that have the prices of a range, and the name of the price in them: those of 90 and 365 days are the days. */
export function pricesOf(past: ListingPast, days: Days, grid: Grid) {
  const interval = grid[days]
  const isDaily = days >= 90
  const columns: Columns<PointColumn | DayColumn> = isDaily ? past.days : pointsOf(past, interval)
  const price: PointColumn | DayColumn = isDaily ? 'close_usd' : 'price_usd'
  return { interval, columns, price }
}

/** The ranges that have points of their own, from the finest on: those of 90 and 365 days are made of the days. */
export const POINT_RANGES: readonly Days[] = DAYS.filter((days) => days < 90)

/** Returns the widths of ranges, from the finest on, each with the longest range that has it. */
export const rangesByWidth = (ranges: readonly Days[], grid: Grid): ReadonlyMap<GridInterval, Days> =>
  new Map(ranges.map((days) => [grid[days], days]))

/** Ranges whose open bucket shows the first price in it, so that not every run rewrites their documents. */
export const isSlow = (days: Days): boolean => days >= 30

/** Names of what the past of a listing changed in, for the documents that show it. */
export const CHANGES = {
  points: (slug: string, interval: GridInterval) => `points/${slug}/${interval}`,
  bars: (slug: string, interval: GridInterval) => `bars/${slug}/${interval}`,
  daily: (slug: string) => `daily/${slug}`,
  day: (day: string) => `day/${day}`,
  /** A listing left, or has another slug. */
  slugs: 'slugs',
  /** A new bucket of a width began, which ends the windows of all listings. */
  bucket: (interval: GridInterval) => `bucket/${interval}`,
  health: (slug: string) => `health/${slug}`,
  year: (year: string) => `rates/${year}`,
  totals: (group: string) => `totals/${group}`,
  events: (day: string) => `events/${day}`,
  /** Everything that changes with every run. */
  run: 'run',
} as const

/** Time of a run, as far as the past depends on it. */
export interface PastClock extends Moment {
  /** The latest time of any run so far, which the windows end at. */
  readonly latest: Ms
  /** Time before which a value is late, and replaces none: the start of the finest bucket of the last run. */
  readonly lateBefore: Ms
  /**
   * Start of the day that bars and past prices of this run count as added on, in ms since 1970: what shows many days at once
   * has those that were added before today.
   */
  readonly added: number
}
