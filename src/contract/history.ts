import * as z from 'zod'
import { Amount, Count, PREFIX, Price, Slug, Timestamp } from './words.ts'

export const Days = z.literal([1, 7, 30, 90, 365])
export type Days = z.infer<typeof Days>
export const DAYS: readonly Days[] = [1, 7, 30, 90, 365]

export const Interval = z.enum(['15m', '1h', '4h', '1d'])
export type Interval = z.infer<typeof Interval>

/** Grid of each range, UTC-aligned. */
export const INTERVAL_OF: Readonly<Record<Days, Interval>> = { 1: '15m', 7: '1h', 30: '4h', 90: '1d', 365: '1d' }

export const Point = z
  .object({
    timestamp: Timestamp.describe('Start of the bucket.'),
    price_usd: Price.describe('The last price seen in the bucket.'),
    volume_24h_usd: Amount.nullable().describe('Rolling 24h figure at that time.'),
  })
  .meta({ id: 'Point', description: 'One bucket of the grid. A bucket without data is left out.' })
export type Point = z.infer<typeof Point>

/** What an answer of history says beside its rows. */
export const SeriesMembers = {
  slug: Slug,
  days: Days.describe('Range in days.'),
  interval: Interval.describe('Width of a bucket.'),
  from: Timestamp.nullable().describe('Start of the first bucket of the range; null before the first observation.'),
  to: Timestamp.nullable().describe('Start of the last bucket of the range, the open one.'),
  missing: Count.describe('Buckets of the range without data.'),
  source_label: z.string().describe('Sources of the points, in words; each is named.'),
  seenAfterSeconds: z
    .array(Count.nullable())
    .describe('For each row, seconds from its timestamp to when its value was first seen; null: from past prices.'),
} as const

/** File of one series, relative to the tree's root. Equal to what the endpoint's declaration gives; a test holds both together. */
export const seriesFile = (slug: string, days: Days): string => `${PREFIX.slice(1)}/history/${slug}/days=${days}.json`
