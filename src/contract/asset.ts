import * as z from 'zod'
import { Amount, Count, HttpsUrl, Percent, Price, Slug, Timestamp, line } from './words.ts'

export const VerificationStatus = z.enum(['verified', 'unverified', 'pending', 'flagged'])
export type VerificationStatus = z.infer<typeof VerificationStatus>

export const ListingStatus = z.enum(['active', 'preview', 'inactive', 'delisted'])
export type ListingStatus = z.infer<typeof ListingStatus>

export const Contract = z
  .object({
    chain: z.string().describe('Our name of the chain, as in the registry.'),
    chain_id: z.int().positive().nullable().describe('EIP-155 chain id; null where the chain has none.'),
    address: z.string().min(1).max(200),
    decimals: z.int().min(0).max(255).nullable(),
    standard: z.string().nullable(),
    explorer_url: HttpsUrl.nullable(),
  })
  .meta({ id: 'Contract' })
export type Contract = z.infer<typeof Contract>

/** One listing as the lists show it. Order of members is order of publication. Unknown is null. */
export const AssetRow = z
  .object({
    asset_id: Slug.describe('Same value as `slug`.'),
    slug: Slug,
    symbol: line(64),
    name: line(200),
    verification_status: VerificationStatus,
    source_label: z.string().describe('Label of the source whose facts the row shows.'),
    token_page: z.string().regex(/^\/token\//),
    market_cap_rank: z.int().positive().nullable(),
    price_usd: Price.nullable(),
    percent_change_24h: Percent.nullable(),
    market_cap_usd: Amount.nullable(),
    volume_24h_usd: Amount.nullable(),
    circulating_supply: Amount.nullable(),
    exchange_count: Count.describe('Exchanges with a market of this asset in the feed.'),
    price_confidence: z.number().min(0).max(1).nullable().describe('0 to 1; the formula is in `collector`.'),
    listing_status: ListingStatus,
    last_updated: Timestamp.nullable().describe('Time of the price, not of the run.'),
  })
  .meta({ id: 'AssetRow' })
export type AssetRow = z.infer<typeof AssetRow>

/** One listing of the full feed. */
export const MarketsRow = z
  .object({
    ...AssetRow.shape,
    percent_change_1h: Percent.nullable(),
    percent_change_7d: Percent.nullable(),
    high_24h_usd: Price.nullable(),
    low_24h_usd: Price.nullable(),
    fully_diluted_valuation_usd: Amount.nullable(),
    total_supply: Amount.nullable(),
    max_supply: Amount.nullable(),
    ath_usd: Price.nullable(),
    ath_date: Timestamp.nullable(),
    tags: z.array(line(80)),
    logo_url: HttpsUrl.nullable(),
    contracts: z.array(Contract),
    carried: z
      .record(z.string(), Timestamp)
      .nullable()
      .default(null)
      .describe(
        'Members that no source told in this run, with the time they were last true; null where there is none.',
      ),
  })
  .meta({ id: 'MarketsRow' })
export type MarketsRow = z.infer<typeof MarketsRow>

export const Links = z
  .object({
    website: HttpsUrl.nullable(),
    whitepaper: HttpsUrl.nullable(),
    source_code: HttpsUrl.nullable(),
    twitter: HttpsUrl.nullable(),
    telegram: HttpsUrl.nullable(),
    discord: HttpsUrl.nullable(),
  })
  .meta({ id: 'Links' })
export type Links = z.infer<typeof Links>

export const PriceMethod = z.enum(['exchanges', 'aggregators', 'exchanges_below_quorum', 'dex', 'carried', 'none'])
export type PriceMethod = z.infer<typeof PriceMethod>

/** Enough to compute the published price again: the sum of price_usd x weight over the sum of the weights. */
export const PriceBasis = z
  .object({
    method: PriceMethod,
    sources: z.array(
      z.object({
        source_id: z.string(),
        pair: z.string(),
        price_usd: Price,
        weight: z.number().min(0).max(1),
      }),
    ),
    excluded: z.array(z.object({ source_id: z.string(), pair: z.string(), reason: z.string() })),
  })
  .meta({ id: 'PriceBasis' })
export type PriceBasis = z.infer<typeof PriceBasis>

/** Everything known about one asset. */
export const Asset = z
  .object({
    ...MarketsRow.shape,
    asset_type: z.enum(['coin', 'token']).nullable(),
    description: z.string().max(4000).nullable(),
    links: Links,
    explorers: z.array(z.object({ name: line(80), url: HttpsUrl })),
    market_count: Count,
    markets_endpoint: z.string(),
    history_endpoint: z.string(),
    external_ids: z.record(z.string(), z.string()).describe('Id of the asset at each source, by `source_id`.'),
    aliases: z.array(z.string()).describe('Slugs that lead here.'),
    replaced_by: Slug.nullable().describe('Set on a slug that was given up: the slug to ask instead.'),
    notice: z.string().nullable(),
    first_listed: Timestamp.nullable().describe('First run that listed the asset here.'),
    profile_updated: Timestamp.nullable().describe('When description, links and tags were last asked for.'),
    last_seen: Timestamp.nullable().describe('Set while no source names the asset: the last run that had it.'),
    price_basis: PriceBasis,
  })
  .meta({ id: 'Asset' })
export type Asset = z.infer<typeof Asset>
