import * as z from 'zod'
import { Asset, AssetRow } from './asset.ts'
import { Amount, Count, Percent } from './words.ts'

/** Sums over some listings. */
export const MarketTotals = {
  market_cap_usd: Amount.nullable().describe('Sum over ranked, unflagged listings; null: none of them.'),
  volume_24h_usd: Amount.nullable().describe('Sum over ranked, unflagged listings with a known volume; null: none.'),
} as const

export const CapChange = Percent.nullable().describe(
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

export const GlobalMembers = { global: Global } as const
