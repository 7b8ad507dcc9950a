import * as z from 'zod'
import { ownListOf } from './envelope.ts'
import { RightsClass } from './rights.ts'
import { Amount, Count, Day, Price, Slug, Timestamp, laterOrNull } from './words.ts'

export const DAILY = {
  compared_listings: 100,
  window_days: 1000,
  end_days: 30,
  final_days: 7,
  refresh_days: 60,
  apart_percent: 5,
  isolated_factor: 1.3,
  wick_factor: 3,
  contradiction_factor: 2,
  step_factor: 10,
  computed_digits: 6,
  requests: 10,
  share: 1 / 12,
} as const

export const DailySource = z
  .object({
    source_id: z.string(),
    market: z.string().describe('The name that the venue has for the pair.'),
    from: Day.describe('First day that was requested of it.'),
    to: Day.describe('Last day that was requested of it.'),
    complete: z.boolean().describe('Whether it has no older days, or none that are of this asset.'),
  })
  .meta({ id: 'DailySource', description: 'A venue of daily bars, and the days that it was asked for.' })
export type DailySource = z.infer<typeof DailySource>

const volume = z.number().nonnegative().nullable()
const prices = (what: string) => z.array(Price.nullable()).describe(`${what} of each day; null: no venue has the day.`)

const Columns = z
  .object({
    close_usd: prices('Last price'),
    open_usd: prices('First price'),
    high_usd: prices('Highest price'),
    low_usd: prices('Lowest price'),
    venue_volume_base: z
      .array(volume)
      .describe(
        'Units of the asset that the venues of the bar traded, with 3 significant digits: not the volume of the whole market.',
      ),
    venue_volume_usd: z.array(volume).describe('The same in US dollars; null: a venue does not report it.'),
    venues: z.array(Count).describe('Number of venues that the bar is made of; 0: no venue has the day.'),
  })
  .meta({ id: 'DailyColumns', description: 'One value for each day in each column.' })

export const DailyMembers = {
  slug: Slug,
  from: Day.describe('Day of the first value of each column.'),
  to: Day.describe('Day of the last one. The days after it are in the history and the candles.'),
  missing: Count.describe('Number of days without a bar.'),
  sources: z.array(DailySource).describe('The venues that were asked, sorted.'),
  olderAdded: Day.nullable().describe('The last day on which days before the others were added; null: there are none.'),
  rights: RightsClass.describe('Narrowest rights of the venues.'),
  columns: Columns,
} as const

export const BarsRow = z
  .object({
    slug: Slug,
    from: Timestamp.describe('Start of the first bar.'),
    to: Timestamp.describe('End of the last one.'),
  })
  .meta({ id: 'BarsRow', description: 'A listing that has bars, and the time that they span.' })

/** Days that have a document of their closes: six years. Those before are in `daily` and in the tables. */
export const CLOSES_DAYS = 2192

export const CloseRow = z
  .object({
    slug: Slug,
    close_usd: Price.describe('The last price of the day.'),
    open_usd: Price.describe('The first price of the day.'),
    high_usd: Price.describe('The highest price of the day: of the runs that saw it, not of every trade.'),
    low_usd: Price.describe('The lowest price of the day, likewise.'),
    volume_24h_usd: Amount.nullable().describe('Rolling 24h volume of all markets at the close; null: unknown.'),
    market_cap_usd: Amount.nullable().describe('Market cap at the close; null: unknown.'),
    runs: Count.describe('Number of half hours of the day in which a run saw the price; 0 in a day made of candles.'),
    rights: RightsClass.describe('Narrowest rights of the sources of these prices.'),
  })
  .meta({ id: 'CloseRow', description: 'The day of one listing, in UTC.' })

const DayBasis = z.enum(['runs', 'candles']).meta({
  id: 'DayBasis',
  description:
    '`runs`: prices that runs published in the day. `candles`: no run saw the day, so it has the daily bars of venues, ' +
    'from /daily and /candles. Listings may be added to it later; a row never changes.',
})

export const ClosesOfDayMembers = {
  day: Day.describe('Calendar day in UTC.'),
  basis: DayBasis,
  runs: Count.describe('Number of half hours of the day in which a run published.'),
  asOf: Timestamp.describe('Start of the newest of these half hours; the end of a day made of candles.'),
  ...ownListOf(CloseRow),
} as const

const ClosedDay = z
  .object({
    day: Day,
    basis: DayBasis.nullable().describe('What the day is made of; null: it is missing, and has no document.'),
    listings: Count.describe('Number of rows of the day.'),
    runs: Count,
  })
  .meta({ id: 'ClosedDay', description: 'One day of closes, or a missing one.' })

export const ClosesMembers = {
  today: Day.nullable().describe(
    'Newest day: its closes still change, those before it never. Null before the first day.',
  ),
  missing: Count.describe('Number of days without closes between the first and the newest.'),
  olderFrom: laterOrNull(
    Day,
    `First of the days before those of this list that have a document, which are made of the bars in /daily, at most ${CLOSES_DAYS} days ago; null: there are none.`,
  ),
  ...ownListOf(ClosedDay),
} as const

export type ClosesOfDay = z.infer<z.ZodObject<typeof ClosesOfDayMembers>>
export type ClosesList = z.infer<z.ZodObject<typeof ClosesMembers>>
