import * as z from 'zod'
import { Amount, HttpsUrl, Percent, Price, Timestamp } from './words.ts'

export const Quality = z
  .enum(['high', 'medium', 'low', 'unknown'])
  .meta({ id: 'Quality', description: 'How far a market can be relied on; the rules are in `collector`.' })
export type Quality = z.infer<typeof Quality>

export const MatchEvidence = z.enum(['registry', 'contract', 'name', 'price', 'venues']).meta({
  id: 'MatchEvidence',
  description:
    'How the market was found to be one of this asset. `registry`: reviewed. `contract`, `name`: by the venue’s own list of ' +
    'currencies. `price`: its price agreed with the consensus of all witnesses. `venues`: several venues agreed with each ' +
    'other, against the aggregator.',
})
export type MatchEvidence = z.infer<typeof MatchEvidence>

export const Market = z
  .object({
    exchange_id: z.string(),
    exchange_name: z.string(),
    exchange_type: z.enum(['cex', 'dex']).describe('`cex`: kept by a company. `dex`: kept by contracts on a chain.'),
    pair: z.string().describe('Base and quote in common symbols: `BTC/USDT`.'),
    base_symbol: z.string(),
    quote_symbol: z.string(),
    price: Price.nullable().describe('The last trade held within the book, in the quote currency.'),
    price_usd: Price.nullable().describe('By the reference rates in `collector`.'),
    bid: Price.nullable().describe('Best offer to buy, in the quote currency.'),
    ask: Price.nullable().describe('Best offer to sell, in the quote currency.'),
    spread_percent: Percent.nullable().describe('(ask - bid) / mid x 100; null when a side is missing or crossed.'),
    volume_24h_base: Amount.nullable().describe('In units of the base.'),
    volume_24h_usd: Amount.nullable(),
    quality: Quality,
    quality_score: z.number().min(0).max(100).describe('0 to 100.'),
    quality_reasons: z.array(z.string()).describe('What lowered the score.'),
    is_stale: z.boolean().describe('Its last trade is too long ago; how long is in `collector`.'),
    is_outlier: z.boolean().describe('Its price disagrees with the other venues.'),
    used_in_price: z.boolean().describe('Whether the published price is made of it too.'),
    weight: z.number().min(0).max(1).nullable().describe('Share in the published price; null when not used.'),
    trade_url: HttpsUrl.nullable(),
    explorer_url: HttpsUrl.nullable(),
    contract_address: z.string().nullable().describe('Of the pool; null on a venue without contracts.'),
    chain: z.string().nullable(),
    liquidity_usd: Amount.nullable(),
    last_traded_at: Timestamp.nullable().describe('Null where the venue gives no time of the last trade.'),
    collected_at: Timestamp.describe('Time of these values, not of the run.'),
    source_label: z.string(),
    last_price: Price.nullable().default(null).describe('The last trade as the venue tells it, in the quote currency.'),
    quote_usd: Price.nullable()
      .default(null)
      .describe(
        'US dollars for one unit of the quote currency when the row was collected: `price_usd` and `volume_24h_usd` are ' +
          '`price` and `volume_24h_quote` times this. Null: unknown, or a pool, whose source tells dollars.',
      ),
    volume_24h_quote: z
      .number()
      .nonnegative()
      .nullable()
      .default(null)
      .describe('In units of the quote, 8 significant digits; computed from the base where the venue tells no other.'),
    unchanged_since: Timestamp.nullable()
      .default(null)
      .describe('Since when price, book and volume are the same to the last digit; null: unknown.'),
    matched_by: MatchEvidence.nullable().default(null),
    matched_at: Timestamp.nullable().default(null).describe('When it was found to be a market of this asset.'),
  })
  .meta({ id: 'Market', description: 'One pair of one venue. Unknown is null.' })
export type Market = z.infer<typeof Market>
