import * as z from 'zod'
import { listOf, ownListOf } from './envelope.ts'
import { Market } from './market.ts'
import { NeededCount } from './collector.ts'
import { SourceRights } from './rights.ts'
import { Amount, Count, Percent, Slug, SourceStatus } from './words.ts'

/** A venue as addresses name it. */
export const ExchangeId = z
  .string()
  .max(64)
  .regex(/^[a-z0-9]+([-_.][a-z0-9]+)*$/)

export const ExchangeRow = z
  .object({
    ...Market.pick({ exchange_id: true, exchange_name: true, exchange_type: true }).shape,
    status: SourceStatus,
    market_count: Count.describe('Markets in the feed.'),
    asset_count: Count.describe('Listings with a market here.'),
    volume_24h_usd: Amount.nullable().describe(
      'Sum over markets that are neither stale nor outliers, as the venue reports it; null: unknown.',
    ),
    used_volume_percent: Percent.nullable().describe('Share of that volume in markets that prices are computed from.'),
    outlier_percent: Percent.nullable().describe('Share of markets whose price disagrees with the other venues.'),
    needed_count: NeededCount,
    source_ids: z.array(z.string()).describe('Sources of its markets: itself, or the services that watch a DEX.'),
    rights: SourceRights.describe('What the terms of its source allow; with several sources, the narrowest.'),
  })
  .meta({ id: 'ExchangeRow', description: 'One venue: an exchange, or a DEX. Unknown is null.' })
export type ExchangeRow = z.infer<typeof ExchangeRow>

export const ExchangeMarket = z
  .object({
    slug: Slug,
    ...Market.pick({
      pair: true,
      base_symbol: true,
      quote_symbol: true,
      price: true,
      price_usd: true,
      bid: true,
      ask: true,
      spread_percent: true,
      volume_24h_usd: true,
      quality: true,
      quality_score: true,
      is_stale: true,
      is_outlier: true,
      used_in_price: true,
      weight: true,
      chain: true,
      contract_address: true,
      trade_url: true,
    }).shape,
  })
  .meta({ id: 'ExchangeMarket', description: 'One market of a venue. `assets/:slug/markets` has it in full.' })

export const ExchangesMembers = listOf(ExchangeRow)
export const ExchangeMembers = { exchange: ExchangeRow, ...ownListOf(ExchangeMarket) } as const
