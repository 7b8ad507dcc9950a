import * as z from 'zod'
import { Amount, HttpsUrl, Percent, Price, Timestamp, laterOrNull } from './words.ts'

const Quality = z
  .enum(['high', 'medium', 'low', 'unknown'])
  .meta({ id: 'Quality', description: 'Reliability of a market; `collector` has the rules.' })

export const MatchEvidence = z.enum(['registry', 'contract', 'name', 'price', 'venues']).meta({
  id: 'MatchEvidence',
  description:
    'How the market was matched to this asset. `registry`: reviewed. `contract`, `name`: by the currency list of the ' +
    'venue. `price`: its price agreed with the consensus of all sources. `venues`: several venues agreed with each other, ' +
    'where no aggregator told a price or against the one that did.',
})
export type MatchEvidence = z.infer<typeof MatchEvidence>

export const Market = z
  .object({
    exchange_id: z.string(),
    exchange_name: z.string(),
    exchange_type: z.enum(['cex', 'dex']).describe('`cex`: run by a company. `dex`: run by smart contracts.'),
    pair: z.string().describe('Base and quote in common symbols: `BTC/USDT`.'),
    base_symbol: z.string(),
    quote_symbol: z.string(),
    price: Price.nullable().describe('Last trade price, clamped to the best bid and ask, in the quote currency.'),
    price_usd: Price.nullable().describe('Converted at the reference rates in `collector`.'),
    bid: Price.nullable().describe('Best bid, in the quote currency.'),
    ask: Price.nullable().describe('Best ask, in the quote currency.'),
    spread_percent: Percent.nullable().describe('(ask - bid) / mid x 100; null when a side is missing or crossed.'),
    volume_24h_base: Amount.nullable().describe('In units of the base.'),
    volume_24h_usd: Amount.nullable(),
    quality: Quality,
    quality_score: z.number().min(0).max(100).describe('0 to 100.'),
    quality_reasons: z.array(z.string()).describe('Reasons for a lower score.'),
    is_stale: z.boolean().describe('Whether its last trade is too old; `collector` has the limit.'),
    is_outlier: z.boolean().describe('Whether its price disagrees with the other venues.'),
    used_in_price: z.boolean().describe('Whether it is an input of the published price.'),
    weight: z
      .number()
      .min(0)
      .max(1)
      .nullable()
      .describe('Share of the weight in the published price; null if not used.'),
    trade_url: HttpsUrl.nullable(),
    explorer_url: HttpsUrl.nullable(),
    contract_address: z.string().nullable().describe('Address of the pool; null for a venue without contracts.'),
    chain: z.string().nullable(),
    liquidity_usd: Amount.nullable(),
    last_traded_at: Timestamp.nullable().describe('Time of the last trade; null if the venue does not report it.'),
    collected_at: Timestamp.describe('Time of these values, not of the build.'),
    source_label: z.string(),
    last_price: laterOrNull(Price, 'Last trade price as reported by the venue, in the quote currency.'),
    quote_usd: laterOrNull(
      Price,
      'US dollars for one unit of the quote currency when the row was collected: `price_usd` and `volume_24h_usd` are ' +
        '`price` and `volume_24h_quote` times this. Null: unknown, or a pool, whose source reports dollars.',
    ),
    volume_24h_quote: laterOrNull(
      z.number().nonnegative(),
      'In units of the quote, 8 significant digits; computed from the base where the venue reports no other.',
    ),
    unchanged_since: laterOrNull(
      Timestamp,
      'Since when price, book and volume have been exactly the same; null: unknown.',
    ),
    matched_by: MatchEvidence.nullable().default(null),
    matched_at: Timestamp.nullable().default(null).describe('When it was matched to this asset.'),
  })
  .meta({ id: 'Market', description: 'One pair on one venue. Unknown values are null.' })
export type Market = z.infer<typeof Market>

export const marketKey = ({ exchange_id, pair }: Pick<Market, 'exchange_id' | 'pair'>): string =>
  `${exchange_id} ${pair}`

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
