import * as z from 'zod'
import { Day } from './changes.ts'
import { ownListOf } from './envelope.ts'
import { RightsClass } from './rights.ts'
import { API_FOLDER } from './prefix.ts'
import { Amount, Count, Price, Slug, Timestamp } from './words.ts'

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
export type CloseRow = z.infer<typeof CloseRow>

/** What a day is made of. */
export const DayBasis = z.enum(['runs', 'candles']).meta({
  id: 'DayBasis',
  description:
    '`runs`: prices that runs published in the day. `candles`: no run saw the day, so it has the daily bars of venues, ' +
    'for the listings that have candles.',
})
export type DayBasis = z.infer<typeof DayBasis>

/** Members of the closes of one day. */
export const ClosesOfDayMembers = {
  day: Day.describe('Calendar day in UTC.'),
  basis: DayBasis,
  runs: Count.describe('Number of half hours of the day in which a run published.'),
  asOf: Timestamp.describe('Start of the newest of these half hours; the end of a day made of candles.'),
  ...ownListOf(CloseRow),
} as const

export const ClosedDay = z
  .object({
    day: Day,
    basis: DayBasis.nullable().describe('What the day is made of; null: it is missing, and has no document.'),
    listings: Count.describe('Number of rows of the day.'),
    runs: Count,
  })
  .meta({ id: 'ClosedDay', description: 'One day of closes, or a missing one.' })
export type ClosedDay = z.infer<typeof ClosedDay>

/** Members of the list of days. */
export const ClosesMembers = {
  today: Day.nullable().describe(
    'Newest day: its closes still change, those before it never. Null before the first day.',
  ),
  missing: Count.describe('Number of days without closes between the first and the newest.'),
  keptDays: z
    .int()
    .positive()
    .nullable()
    .describe(
      'Days after which closes leave this tree, which the archive of the publisher then has; null: they are kept for ever.',
    ),
  ...ownListOf(ClosedDay),
} as const

/** Folder of the documents, relative to the tree's root. */
const CLOSES_FOLDER = `${API_FOLDER}/closes`

/** File of the list of days, relative to the tree's root. */
export const CLOSES_FILE = `${CLOSES_FOLDER}.json`

/** Returns the file of a day, relative to the tree's root. A test keeps it equal to that of the endpoint's declaration. */
export const closesFile = (day: string): string => `${CLOSES_FOLDER}/${day}.json`

const FILE = new RegExp(`^${CLOSES_FOLDER}/(\\d{4}-\\d\\d-\\d\\d)\\.json$`)

/** Returns the day whose closes a file has; null for any other file. */
export const closesDay = (file: string): string | null => FILE.exec(file)?.[1] ?? null
