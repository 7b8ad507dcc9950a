import * as z from 'zod'
import { AssetRow } from './asset.ts'
import { Percent, Price, Timestamp } from './words.ts'

/** A stablecoin leaves its currency beyond the first of these percentages, and is back within the second, so that it does not flicker. */
export const PEG = { beyond_percent: 0.5, back_percent: 0.4, plausible_percent: 20 } as const

export const PegRow = z
  .object({
    ...AssetRow.pick({ slug: true, symbol: true, name: true, price_usd: true, price_confidence: true }).shape,
    currency: z.string().describe('Symbol in `rates` of the currency that one unit is meant to be worth.'),
    rate_usd: Price.nullable().describe('Value of the currency in US dollars; null: unknown.'),
    deviation_percent: Percent.nullable().describe(
      'How far the price is from the currency; null: the price is unknown or carried from an earlier run.',
    ),
    beyond_since: Timestamp.nullable().describe(
      `When a run first saw it more than ${PEG.beyond_percent} % away; null: it is not. It is back within ${PEG.back_percent} %.`,
    ),
  })
  .meta({ id: 'PegRow', description: 'A stablecoin and the currency that it follows.' })
export type PegRow = z.infer<typeof PegRow>
