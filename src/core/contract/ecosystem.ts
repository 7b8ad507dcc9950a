import * as z from 'zod'
import { AssetRow, TokenContract, Links } from './asset.ts'
import { Count, Amount, HttpsUrl, Percent, Price, Slug, Timestamp, line } from './words.ts'

export const EcosystemRow = z
  .object({
    ...AssetRow.shape,
    role: z.string().nullable().describe('Purpose of the asset in the ecosystem.'),
    protocol: z.string().nullable().describe('Protocol that issues it.'),
    contracts: z.array(TokenContract),
    links: Links,
  })
  .meta({ id: 'EcosystemRow', description: 'An asset of the Trac, TAP, DMT and BX ecosystem.' })

export const RegistryCounts = z
  .record(z.enum(['assets', 'verified', 'unverified', 'pending', 'flagged', 'with_price']), Count)
  .describe('Number of registered assets of the ecosystem, by state.')

export const DexPair = z
  .object({
    pair_id: z.string().describe('`<chain>:<pool address>`.'),
    dex_id: z.string(),
    dex_name: z.string(),
    chain: z.string(),
    pair: z.string(),
    base_symbol: line(64),
    quote_symbol: line(64),
    base_asset_id: Slug.nullable().describe('Listing of the base token, found by its contract; null: none.'),
    base_address: z.string(),
    quote_address: z.string(),
    pool_address: z.string(),
    price_native: Price.nullable().describe('Price of the base token in the quote token.'),
    price_usd: Price.nullable().describe('Price of the base token in US dollars.'),
    percent_change_24h: Percent.nullable(),
    volume_24h_usd: Amount.nullable(),
    liquidity_usd: Amount.nullable().describe('Value of both sides of the pool, in US dollars.'),
    transactions_24h: Count.nullable().describe('Number of swaps in the last 24 hours.'),
    pair_created_at: Timestamp.nullable(),
    pair_url: HttpsUrl.nullable(),
    explorer_url: HttpsUrl.nullable(),
    collected_at: Timestamp.describe('Time of these values, not of the build.'),
    source_label: z.string(),
    is_stale: z.boolean().default(false).describe('Whether it is carried, because its source gave no answer.'),
    is_preview: z.literal(true).describe('Pools are in preview.'),
  })
  .meta({ id: 'DexPair', description: 'One pool of a decentralized exchange.' })
export type DexPair = z.infer<typeof DexPair>
