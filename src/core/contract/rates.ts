import * as z from 'zod'
import { ReferenceRate } from './collector.ts'
import { ownListOf } from './envelope.ts'
import { Day, Price, Timestamp } from './words.ts'

export const RateRow = z
  .object({
    ...ReferenceRate.pick({ symbol: true, price_usd: true, method: true }).shape,
    source_ids: z
      .array(z.string())
      .describe(
        'Sources of the rate; `previous`: the last rate. Empty: by definition, or carried from an earlier run.',
      ),
    carried_since: Timestamp.nullable().describe(
      'When the rate was measured or set, if not in the run that wrote this; null: as of `timestamp`.',
    ),
  })
  .meta({ id: 'RateRow', description: 'Value in US dollars of one unit of a currency.' })

const RateSource = z
  .string()
  .describe(
    'A central bank by its `source_id`; `closes`: the close of the coin in /closes/:day; `rates`: what the last run of the ' +
      'day measured at venues; `definition`: a dollar is a dollar.',
  )

export const RatesOfSource = z
  .object({
    day: Day,
    source: RateSource,
    rates_usd: z.record(z.string().regex(/^[A-Z0-9]{2,12}$/), Price).describe('US dollars for one unit, by symbol.'),
  })
  .meta({ id: 'RatesOfSource', description: 'The rates of one day from one source.' })
export type RatesOfSource = z.infer<typeof RatesOfSource>

export const Year = z.string().regex(/^\d{4}$/)

export const RatesOfYearMembers = {
  year: Year,
  sources: z
    .array(z.object({ source: RateSource, from: Day, to: Day }))
    .describe('The sources of these rates, with their first and last day of the year.'),
  ...ownListOf(RatesOfSource),
} as const

export const RateOfDay = z
  .object({
    symbol: z.string(),
    price_usd: Price.describe('US dollars for one unit.'),
    source: RateSource,
    day: Day.describe('Day of the rate: on weekends and holidays, the last one before.'),
  })
  .meta({ id: 'RateOfDay', description: 'The rate of a currency on a day.' })
export type RateOfDay = z.infer<typeof RateOfDay>
