import * as z from 'zod'
import { Amount, Count, HttpsUrl, Percent, Price, Slug, Timestamp, line } from './words.ts'

export const VerificationStatus = z.enum(['verified', 'unverified', 'pending', 'flagged']).meta({
  id: 'VerificationStatus',
  description:
    '`verified`: identity and contracts confirmed by the registry or by two independent sources. `pending`: under review. ' +
    '`flagged`: contract mismatch, impersonation or market anomaly.',
})
export type VerificationStatus = z.infer<typeof VerificationStatus>

export const ListingStatus = z.enum(['active', 'preview', 'inactive', 'delisted']).meta({
  id: 'ListingStatus',
  description: '`preview`: no market yet. `inactive`: no fresh market. `delisted`: the last document stays.',
})
export type ListingStatus = z.infer<typeof ListingStatus>

export const TokenContract = z
  .object({
    chain: z.string().describe('Our name of the chain, as in the registry.'),
    chain_id: z.int().positive().nullable().describe('EIP-155 chain id; null where the chain has none.'),
    address: z.string().min(1).max(200).describe('Of the token on this chain.'),
    decimals: z.int().min(0).max(255).nullable().describe('Decimals of the token on this chain.'),
    standard: z.string().nullable().describe('Standard of the token, such as `erc20`.'),
    explorer_url: HttpsUrl.nullable(),
  })
  .meta({ id: 'TokenContract' })
export type TokenContract = z.infer<typeof TokenContract>

/** Order of members is order of publication. */
export const AssetRow = z
  .object({
    asset_id: Slug.describe('Same value as `slug`.'),
    slug: Slug,
    symbol: line(64).describe('Ticker; several assets may share one.'),
    name: line(200),
    verification_status: VerificationStatus,
    source_label: z.string().describe('Label of the source whose facts the row shows.'),
    token_page: z
      .string()
      .regex(/^\/token\//)
      .describe('Its page, below the root of the site.'),
    market_cap_rank: z.int().positive().nullable().describe('1 is the largest; null: unranked.'),
    price_usd: Price.nullable().describe('US dollars for one unit; null: unknown.'),
    percent_change_24h: Percent.nullable().describe('Change of the price in 24 hours, in percent.'),
    market_cap_usd: Amount.nullable().describe('Price times circulating supply, or what a source says.'),
    volume_24h_usd: Amount.nullable().describe('Traded in the last 24 hours, in US dollars.'),
    circulating_supply: Amount.nullable().describe('Coins in circulation.'),
    exchange_count: Count.describe('Exchanges with a market of this asset in the feed.'),
    price_confidence: z.number().min(0).max(1).nullable().describe('0 to 1; the formula is in `collector`.'),
    listing_status: ListingStatus,
    last_updated: Timestamp.nullable().describe('Time of the price, not of the run.'),
  })
  .meta({ id: 'AssetRow', description: 'One listing as the lists show it. Unknown is null.' })
export type AssetRow = z.infer<typeof AssetRow>

export const MarketFlag = z.enum(['no_volume', 'low_turnover', 'one_witness']).meta({
  id: 'MarketFlag',
  description:
    'Why the figures of a listing are shown and not ranked. `no_volume`: nobody knows of any trade. `low_turnover`: its ' +
    'volume is below the floor that its market cap asks for. `one_witness`: one source alone knows it.',
})
export type MarketFlag = z.infer<typeof MarketFlag>

export const MarketsRow = z
  .object({
    ...AssetRow.shape,
    percent_change_1h: Percent.nullable().describe('Change of the price in 1 hour, in percent.'),
    percent_change_7d: Percent.nullable().describe('Change of the price in 7 days, in percent.'),
    high_24h_usd: Price.nullable().describe('Highest price of the last 24 hours.'),
    low_24h_usd: Price.nullable().describe('Lowest price of the last 24 hours.'),
    fully_diluted_valuation_usd: Amount.nullable().describe(
      'Price times maximum or else total supply, or what a source says.',
    ),
    total_supply: Amount.nullable().describe('Coins that exist, in circulation or not.'),
    max_supply: Amount.nullable().describe('Most coins there can ever be; null: unknown, or there is no limit.'),
    ath_usd: Price.nullable().describe('All-time high.'),
    ath_date: Timestamp.nullable().describe('When the all-time high was reached.'),
    tags: z.array(line(80)).describe('Categories, as the sources call them.'),
    logo_url: HttpsUrl.nullable(),
    contracts: z
      .array(TokenContract)
      .describe('Where the asset is a token, chain by chain; empty: a coin, or unknown.'),
    carried: z
      .record(z.string(), Timestamp)
      .nullable()
      .default(null)
      .describe(
        'Members that no source told in this run, with the time they were last true; null where there is none.',
      ),
    market_flag: MarketFlag.nullable().default(null),
  })
  .meta({ id: 'MarketsRow', description: 'One listing of the full feed. Unknown is null.' })
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

export const PriceMethod = z
  .enum(['exchanges', 'aggregators', 'exchanges_below_quorum', 'dex', 'carried', 'none'])
  .meta({
    id: 'PriceMethod',
    description: 'What the price is made of; the rules and their numbers are in `collector`.',
  })
export type PriceMethod = z.infer<typeof PriceMethod>

export const LowConfidenceReason = z
  .enum(['split', 'venues_split', 'aggregators_disagree', 'match_disputed', 'below_quorum', 'single_witness'])
  .meta({
    id: 'LowConfidenceReason',
    description:
      '`split`: the witnesses disagree and none of their opinions has a majority. `venues_split`: the venues do, and the ' +
      'aggregators decided. `aggregators_disagree`: every aggregator tells another price than the venues. `match_disputed`: ' +
      'so it is, and only the venues themselves say that their markets are of this asset. `below_quorum`: fewer venues ' +
      'than the quorum. `single_witness`: one source alone.',
  })
export type LowConfidenceReason = z.infer<typeof LowConfidenceReason>

export const PriceBasis = z
  .object({
    method: PriceMethod,
    sources: z.array(
      z.object({
        source_id: z.string(),
        pair: z.string(),
        price_usd: Price,
        weight: z.number().min(0).max(1).describe('Share in the price.'),
      }),
    ),
    excluded: z.array(
      z.object({
        source_id: z.string(),
        pair: z.string(),
        reason: z.string(),
        price_usd: Price.nullable()
          .default(null)
          .describe('What an aggregator said; null for a market, which has a row.'),
      }),
    ),
    low_confidence_reason: LowConfidenceReason.nullable().default(null).describe('Null: nothing speaks against it.'),
    fragility_bp: z
      .number()
      .min(0)
      .nullable()
      .default(null)
      .describe(
        'How far the price would move, in hundredths of a percent, if its most influential witness lied by 5 % with ' +
          'endless volume; null: unknown.',
      ),
  })
  .meta({
    id: 'PriceBasis',
    description:
      'Enough to compute the published price again: the mean of the middle fifth of the weight, `sources` in order of price. ' +
      '`excluded` names what was left out, and why.',
  })
export type PriceBasis = z.infer<typeof PriceBasis>

export const ChangeBasis = z
  .object({
    method: z.enum(['history', 'witnesses', 'carried', 'none']),
    since: Timestamp.nullable().describe('Bucket of `history` that the price a day ago stands in.'),
    price_usd: Price.nullable().describe('That price.'),
    sources: z.array(
      z.object({
        source_id: z.string(),
        pair: z.string(),
        percent_change_24h: Percent,
      }),
    ),
  })
  .meta({
    id: 'ChangeBasis',
    description:
      'What `percent_change_24h` is made of. `history`: our own price a day ago. `witnesses`: what aggregators and markets ' +
      'quoted in dollars say, each with the same weight; the change is the mean of the middle fifth.',
  })
export type ChangeBasis = z.infer<typeof ChangeBasis>

/** A change that nobody knows. */
export const NO_CHANGE: ChangeBasis = { method: 'none', since: null, price_usd: null, sources: [] }

export const Asset = z
  .object({
    ...MarketsRow.shape,
    asset_type: z
      .enum(['coin', 'token'])
      .nullable()
      .describe('`coin`: native to its chain. `token`: a contract on one.'),
    description: z.string().max(4000).nullable().describe('Plain text in English.'),
    links: Links,
    explorers: z.array(z.object({ name: line(80), url: HttpsUrl })).describe('Where its chain can be looked at.'),
    market_count: Count.describe('Rows of `markets_endpoint`.'),
    markets_endpoint: z.string().describe('Path of its markets, below the root of the host.'),
    history_endpoint: z.string().describe('Path of its history, below the root of the host.'),
    external_ids: z.record(z.string(), z.string()).describe('Id of the asset at each source, by `source_id`.'),
    aliases: z.array(z.string()).describe('Slugs that lead here.'),
    replaced_by: Slug.nullable().describe('Set on a slug that was given up: the slug to ask instead.'),
    notice: z.string().nullable().describe('What a reader should know first, such as a warning or a change of name.'),
    first_listed: Timestamp.nullable().describe('First run that listed the asset here.'),
    profile_updated: Timestamp.nullable().describe('When description, links and tags were last asked for.'),
    last_seen: Timestamp.nullable().describe('Set while no source names the asset: the last run that had it.'),
    price_basis: PriceBasis,
    change_basis: ChangeBasis.default(NO_CHANGE),
    told_by: z
      .record(z.string(), z.array(z.string()))
      .default({})
      .describe(
        'Figures that stand as a source tells them, by its `source_id`. Every other figure is carried or follows from ' +
          'published ones.',
      ),
  })
  .meta({ id: 'Asset', description: 'Everything known about one asset. Unknown is null.' })
export type Asset = z.infer<typeof Asset>
