import * as z from 'zod'
import { ownListOf } from './envelope.ts'
import { Market } from './market.ts'
import { Amount, Price } from './words.ts'

const StockMarket = Market.pick({ exchange_id: true, exchange_name: true, pair: true, trade_url: true }).extend({
  price_usd: Price,
  volume_24h_usd: Amount.nullable().describe('Null: unknown.'),
})

export const StockRow = z
  .object({
    symbol: z
      .string()
      .describe('As the venues write it, in upper case: `AAPLX` and `AAPLON` are tokens of two issuers.'),
    price_usd: Price.describe('Central mean of the venues that agree, by their volumes.'),
    volume_24h_usd: Amount.nullable().describe('Sum of the known volumes; null: none is known.'),
    venues: z.array(StockMarket).min(2).describe('The venues that mark it as a share, by volume.'),
  })
  .meta({
    id: 'StockRow',
    description: 'The token of a share of a company. It is no listing, and is in no rank or total.',
  })
export type StockRow = z.infer<typeof StockRow>

export const StocksMembers = ownListOf(StockRow)
