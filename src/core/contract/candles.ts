import * as z from 'zod'
import { Days, GridInterval } from './history.ts'
import { RightsClass } from './rights.ts'
import { Count, Price, Slug, Timestamp } from './words.ts'

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
