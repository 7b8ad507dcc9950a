import * as z from 'zod'
import { ReferenceRate } from './collector.ts'
import { listOf } from './envelope.ts'
import { Timestamp } from './words.ts'

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

export const RatesMembers = listOf(RateRow)
