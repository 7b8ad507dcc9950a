import * as z from 'zod'
import { Amount, HttpsUrl, Percent, Price, Timestamp } from './words.ts'

export const Quality = z.enum(['high', 'medium', 'low', 'unknown'])
export type Quality = z.infer<typeof Quality>

/** One pair of one venue. */
export const Market = z
  .object({
    exchange_id: z.string(),
    exchange_name: z.string(),
    exchange_type: z.enum(['cex', 'dex']),
    pair: z.string().describe('Base and quote in common symbols: `BTC/USDT`.'),
    base_symbol: z.string(),
    quote_symbol: z.string(),
    price: Price.nullable().describe('In the quote currency.'),
    price_usd: Price.nullable(),
    bid: Price.nullable(),
    ask: Price.nullable(),
    spread_percent: Percent.nullable().describe('(ask - bid) / mid x 100; null when a side is missing or crossed.'),
    volume_24h_base: Amount.nullable(),
    volume_24h_usd: Amount.nullable(),
    quality: Quality,
    quality_score: z.number().min(0).max(100),
    quality_reasons: z.array(z.string()),
    is_stale: z.boolean(),
    is_outlier: z.boolean(),
    used_in_price: z.boolean(),
    weight: z.number().min(0).max(1).nullable().describe('Share in the published price; null when not used.'),
    trade_url: HttpsUrl.nullable(),
    explorer_url: HttpsUrl.nullable(),
    contract_address: z.string().nullable(),
    chain: z.string().nullable(),
    liquidity_usd: Amount.nullable(),
    last_traded_at: Timestamp.nullable(),
    collected_at: Timestamp,
    source_label: z.string(),
  })
  .meta({ id: 'Market' })
export type Market = z.infer<typeof Market>
