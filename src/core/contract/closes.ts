import * as z from 'zod'
import { ownListOf } from './envelope.ts'
import { RightsClass } from './rights.ts'
import { Amount, Count, Day, Price, Slug, Timestamp, laterOrNull } from './words.ts'

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
