import * as z from 'zod'
import { Asset, AssetRow } from './asset.ts'
import { NeededCount } from './collector.ts'
import { Market } from './market.ts'
import { SourceRights } from './rights.ts'
import { Amount, Count, Day, Percent, Slug, formed, laterOrNull, line, SourceStatus } from './words.ts'

const MarketTotals = {
  market_cap_usd: Amount.nullable().describe('Sum over ranked, unflagged listings; null: none of them.'),
  volume_24h_usd: Amount.nullable().describe('Sum over ranked, unflagged listings with a known volume; null: none.'),
} as const

const CapChange = Percent.nullable().describe(
  'Change of the market cap in 24 hours at constant supply, over ranked, unflagged listings with a known change; null: none.',
)

export const Global = z
  .object({
    listings: Count.describe('Listings in the whole feed.'),
    priced: Count.describe('Listings with a price.'),
    ranked: Count.describe('Ranked, unflagged listings: the ones that the sums count.'),
    venues: Count.describe('Exchanges and DEXes with a market in the feed.'),
    ...MarketTotals,
    percent_change_24h: CapChange,
    dominance: z
      .array(
        z.object({
          ...AssetRow.pick({ slug: true, symbol: true }).shape,
          percent: Percent.describe('Share of `market_cap_usd`, in percent.'),
        }),
      )
      .describe('The ten largest listings.'),
    by_type: z
      .array(z.object({ asset_type: Asset.shape.asset_type, ranked: Count, ...MarketTotals }))
      .describe('The same sums by `asset_type`; null: type unknown.'),
  })
  .meta({
    id: 'Global',
    description:
      'The whole market. Only ranked, unflagged listings count: without a rank, with a `market_flag` or flagged, a market ' +
      'cap is not trusted. Unknown is null.',
  })

export const CategoryRow = z
  .object({
    category_id: Slug.describe('Slug of the tag; tags with the same slug are one category.'),
    name: line(80).describe('The tag as most of its listings spell it.'),
    listing_count: Count.describe('Listings with the tag, ranked or not.'),
    ...MarketTotals,
    percent_change_24h: CapChange,
  })
  .meta({ id: 'CategoryRow', description: 'One tag of `markets` and its listings. Unknown is null.' })

export const TotalsGroup = formed(80, /^(market|(category|chain)-[a-z0-9]+(-[a-z0-9]+)*)$/)

export const TotalsRow = z
  .object({
    day: Day.describe('Calendar day in UTC.'),
    ranked: Count.describe('Ranked, unflagged listings: the ones that the sums count.'),
    carried_count: laterOrNull(
      Count,
      'Those of them whose market cap, or its price or supply, is carried from an earlier run; null: not counted, in rows of earlier releases.',
    ),
    ...MarketTotals,
    largest: Slug.nullable().describe('The largest of these listings; null: there is none.'),
    largest_percent: Percent.nullable().describe('Its share of `market_cap_usd`, in percent; null: unknown.'),
  })
  .meta({
    id: 'TotalsRow',
    description: 'The totals of a group as the first run of a day found them. Unknown is null.',
  })
export type TotalsRow = z.infer<typeof TotalsRow>

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
