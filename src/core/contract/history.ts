import * as z from 'zod'
import { RightsClass } from './rights.ts'
import { Amount, Count, Price, Slug, Timestamp } from './words.ts'

export const DAYS = [1, 7, 30, 90, 365] as const
export const Days = z.literal(DAYS)
export type Days = z.infer<typeof Days>

export const Interval = z.enum(['15m', '1h', '4h', '1d'])
export type Interval = z.infer<typeof Interval>

export const GridInterval = z.enum(['15m', '30m', '1h', '4h', '1d'])
export type GridInterval = z.infer<typeof GridInterval>

export type Grid = Readonly<Record<Days, GridInterval>>

/** Returns the grid of a cadence up to an hour: each bucket of the finest range holds a run of the day. */
export const gridOf = (cadenceMs: number): Grid => ({
  1: cadenceMs <= 15 * 60_000 ? '15m' : cadenceMs <= 30 * 60_000 ? '30m' : '1h',
  7: '1h',
  30: '4h',
  90: '1d',
  365: '1d',
})

export const SPARKLINE = { bucket_hours: 6, values: 28 } as const

export const Point = z
  .object({
    timestamp: Timestamp.describe('Start of the bucket.'),
    price_usd: Price.describe(
      'The last price seen in the bucket; at the end of a day its close, unless runs stopped before. In the open bucket of 30 ' +
        'days and more an earlier one, until the bucket closes.',
    ),
    volume_24h_usd: Amount.nullable().describe(
      'Rolling 24h volume of all markets at that time; null: unknown, as in every backfilled row.',
    ),
  })
  .meta({ id: 'Point', description: 'One bucket of the grid. Buckets without data are left out.' })
export type Point = z.infer<typeof Point>

export const SeriesMembers = {
  slug: Slug,
  days: Days.describe('Range in days.'),
  interval: GridInterval.describe('Bucket width. That of the shortest range depends on how often the API is built.'),
  from: Timestamp.nullable().describe('Start of the first bucket of the range; null before the first observation.'),
  to: Timestamp.nullable().describe('Start of the last bucket of the range, which is still open.'),
  missing: Count.describe('Number of buckets of the range without data.'),
  sourceLabel: z.string().describe('Sources of the points, as text that names each of them.'),
  replacedBy: Slug.nullable().describe('Set on a retired slug: the slug that replaces it.'),
} as const

export const CandleRow = z
  .object({
    timestamp: Timestamp.describe('Start of the bucket.'),
    open_usd: Price,
    high_usd: Price,
    low_usd: Price,
    close_usd: Price,
    volume_base: z
      .number()
      .nonnegative()
      .nullable()
      .describe(
        'Units of the asset that the venues of this bar traded in it, with 8 decimals: not the volume of the whole ' +
          'market. Null: a venue does not report it.',
      ),
    venues: z
      .int()
      .positive()
      .describe('Number of venues that the bar is made of. 1: it is the bar of that venue, in US dollars.'),
  })
  .meta({
    id: 'CandleRow',
    description:
      'One closed bucket of the grid, made of the bars of venues. Its high and low cover the shorter bars of its time. ' +
      'Buckets without a bar are left out.',
  })

export const CandleMembers = {
  slug: Slug,
  days: Days.describe('Range in days.'),
  interval: GridInterval.describe('Bucket width, as in the history of the same range.'),
  from: Timestamp.describe('Start of the first bucket of the range.'),
  to: Timestamp.describe('Start of the newest bucket with a bar, which ends the range.'),
  asOf: Timestamp.describe(
    'End of the newest bar. Newer buckets are not counted as missing: they follow with a later run, see `missing`.',
  ),
  missing: Count.describe('Number of buckets from `from` to `to` without a bar.'),
  sources: z.array(z.string()).describe('Ids of the venues whose bars the range is made of, sorted.'),
  rights: RightsClass.describe('Narrowest rights of these venues; `/rights` has each.'),
} as const
