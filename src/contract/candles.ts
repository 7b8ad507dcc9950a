import * as z from 'zod'
import { type Days, Days as DaysSchema, GridInterval } from './history.ts'
import { RightsClass } from './rights.ts'
import { API_FOLDER } from './prefix.ts'
import { Count, Price, Slug, Timestamp } from './words.ts'

/** Largest number of venues that a bar is made of. */
export const VENUES_OF_BAR = 3

const figure = z.number().positive()

/** A venue's own bar in US dollars: `[source_id, open, high, low, close, volume in units of the asset]`. */
export const CandleInput = z.tuple([z.string(), figure, figure, figure, figure, z.number().nonnegative().nullable()])
export type CandleInput = z.infer<typeof CandleInput>

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
    inputs: z
      .array(CandleInput)
      .describe(
        'The bars of venues that the bar was computed from, each `[source_id, open, high, low, close, volume]`, where ' +
          'several venues reported one; empty for the bar of one venue.',
      ),
  })
  .meta({
    id: 'CandleRow',
    description:
      'One closed bucket of the grid, made of the bars of venues. Its high and low cover the shorter bars of its time. ' +
      'Buckets without a bar are left out.',
  })
export type CandleRow = z.infer<typeof CandleRow>

export const CandleMembers = {
  slug: Slug,
  days: DaysSchema.describe('Range in days.'),
  interval: GridInterval.describe('Bucket width, as in the history of the same range.'),
  from: Timestamp.nullable().describe('Start of the first bucket of the range; null without a bar.'),
  to: Timestamp.nullable().describe('Start of the newest bucket with a bar, which ends the range; null without a bar.'),
  asOf: Timestamp.nullable().describe(
    'End of the newest bar. Newer buckets are not counted as missing: they follow with a later run, see `missing`.',
  ),
  missing: Count.describe('Number of buckets from `from` to `to` without a bar.'),
  sources: z.array(z.string()).describe('Ids of the venues whose bars the range is made of, sorted.'),
  rights: RightsClass.describe('Narrowest rights of these venues; `/rights` has each.'),
  replacedBy: Slug.nullable().describe('Set on a retired slug: the slug that replaces it.'),
  notice: z
    .string()
    .nullable()
    .default(null)
    .describe('Why there are no rows, in a sentence. Null: there are rows, or `replacedBy` names where they are.'),
} as const

const CANDLES_FOLDER = `${API_FOLDER}/candles`

/** Returns the file of one range, relative to the tree's root. A test keeps it equal to that of the endpoint's declaration. */
export const candleFile = (slug: string, days: Days): string => `${CANDLES_FOLDER}/${slug}/days=${days}.json`

const FILE = new RegExp(`^${CANDLES_FOLDER}/([a-z0-9-]+)/days=`)

/** Returns the slug of the asset whose candles a file has; null for any other file. */
export const candleSlug = (file: string): string | null => FILE.exec(file)?.[1] ?? null
