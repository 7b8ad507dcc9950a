import * as z from 'zod'
import { SPARKLINE } from './history.ts'
import { QuarantineRow } from './quarantine.ts'
import { Amount, Count, HttpsUrl, LogoUrl, Percent, Price, Slug, Timestamp, laterOrNull, line } from './words.ts'

export const VerificationStatus = z.enum(['verified', 'unverified', 'pending', 'flagged']).meta({
  id: 'VerificationStatus',
  description:
    '`verified`: identity and contracts confirmed by the registry or by two independent sources. `pending`: under review. ' +
    '`flagged`: contract mismatch, impersonation or market anomaly.',
})
export type VerificationStatus = z.infer<typeof VerificationStatus>

export const ListingStatus = z.enum(['active', 'preview', 'inactive', 'delisted']).meta({
  id: 'ListingStatus',
  description:
    '`preview`: no market yet. `inactive`: no current market. `delisted`: removed; its last document is kept.',
})

export const TokenContract = z
  .object({
    chain: z.string().describe('Name of the chain in the registry.'),
    chain_id: z.int().positive().nullable().describe('EIP-155 chain id; null if the chain has none.'),
    address: z.string().min(1).max(200).describe('Address of the token on this chain.'),
    decimals: z.int().min(0).max(255).nullable().describe('Decimals of the token on this chain.'),
    standard: z.string().nullable().describe('Token standard, such as `erc20`.'),
    explorer_url: HttpsUrl.nullable(),
  })
  .meta({ id: 'TokenContract' })
export type TokenContract = z.infer<typeof TokenContract>

/** Members are published in the order in which they are declared. */
export const AssetRow = z
  .object({
    asset_id: Slug.describe('Same value as `slug`.'),
    slug: Slug,
    symbol: line(64).describe('Ticker. Several assets may share it.'),
    name: line(200),
    verification_status: VerificationStatus,
    source_label: z.string().describe('Label of the source of the values in this row.'),
    token_page: z
      .string()
      .regex(/^\/token\//)
      .describe('Path of its page, relative to the root of the site.'),
    market_cap_rank: z.int().positive().nullable().describe('1 is the largest; null: unranked.'),
    price_usd: Price.nullable().describe('Price of one unit in US dollars; null: unknown.'),
    percent_change_24h: Percent.nullable().describe('Price change over 24 hours, in percent.'),
    market_cap_usd: Amount.nullable().describe('Price times circulating supply, or the figure of a source.'),
    volume_24h_usd: Amount.nullable().describe('Trading volume of the last 24 hours, in US dollars.'),
    circulating_supply: Amount.nullable().describe('Coins in circulation.'),
    exchange_count: Count.describe('Number of exchanges in the feed that trade this asset.'),
    price_confidence: z.number().min(0).max(1).nullable().describe('From 0 to 1; `collector` has the formula.'),
    listing_status: ListingStatus,
    last_updated: Timestamp.nullable().describe('Time of the price, not of the build.'),
  })
  .meta({ id: 'AssetRow', description: 'One listing in a list. Unknown values are null.' })

const MarketFlag = z.enum(['no_volume', 'low_turnover', 'one_witness', 'wrapped']).meta({
  id: 'MarketFlag',
  description:
    'Why a listing is shown but left out of rankings. `no_volume`: no known trades. `low_turnover`: its volume is too low ' +
    'for its market cap. `one_witness`: only one source lists it, or, from $1 billion on, only one aggregator. `wrapped`: a ' +
    'wrapped, staked or bridged form of another asset.',
})

export const DetailedRow = z
  .object({
    ...AssetRow.shape,
    percent_change_1h: Percent.nullable().describe('Price change over 1 hour, in percent.'),
    percent_change_7d: Percent.nullable().describe('Price change over 7 days, in percent.'),
    high_24h_usd: Price.nullable().describe(
      'Highest price of the last 24 hours, by a source or the published history.',
    ),
    low_24h_usd: Price.nullable().describe('Lowest price of the last 24 hours, by a source or the published history.'),
    fully_diluted_valuation_usd: Amount.nullable().describe(
      'Price times maximum supply, or total supply if there is no maximum, or the figure of a source.',
    ),
    total_supply: Amount.nullable().describe('All existing coins, in circulation or not.'),
    max_supply: Amount.nullable().describe('Maximum number of coins; null: unknown or unlimited.'),
    ath_usd: Price.nullable().describe('All-time high.'),
    ath_date: Timestamp.nullable().describe('When the all-time high was reached.'),
    tags: z.array(line(80)).describe('Categories, as named by the sources.'),
    logo_url: LogoUrl.nullable().describe('Its logo on this site; null: the site has none.'),
    contracts: z.array(TokenContract).describe('Token contracts, one per chain; empty for a coin, or if unknown.'),
    carried: laterOrNull(
      z.record(z.string(), Timestamp),
      'Members carried forward because no source reported them, with the time of their last value; null: none.',
    ),
    market_flag: MarketFlag.nullable().default(null),
  })
  .meta({ id: 'DetailedRow', description: 'One listing with its details. Unknown values are null.' })
export type DetailedRow = z.infer<typeof DetailedRow>

export const MarketsRow = z
  .object({
    ...DetailedRow.shape,
    sparkline_7d: z
      .array(Price.nullable())
      .length(SPARKLINE.values)
      .describe(
        'Prices of the last seven days, oldest first: the last of each six hours UTC, null where none is known.',
      ),
  })
  .meta({ id: 'MarketsRow', description: 'One listing of the full feed. Unknown values are null.' })
export type MarketsRow = z.infer<typeof MarketsRow>

export const TopRow = MarketsRow.pick({
  slug: true,
  symbol: true,
  name: true,
  market_cap_rank: true,
  price_usd: true,
  percent_change_1h: true,
  percent_change_24h: true,
  percent_change_7d: true,
  logo_url: true,
  sparkline_7d: true,
}).meta({ id: 'TopRow', description: 'One of the first listings, for a dashboard. Unknown values are null.' })

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

export const NO_LINKS = Links.parse(Object.fromEntries(Links.keyof().options.map((name) => [name, null])))

const PriceMethod = z.enum(['exchanges', 'mixed', 'aggregators', 'dex', 'carried', 'none']).meta({
  id: 'PriceMethod',
  description: 'How the price was computed; `collector` has the rules and their numbers.',
})

const LowConfidenceReason = z
  .enum(['split', 'match_disputed', 'contested', 'dispersed', 'halted', 'weak_rate', 'single_witness', 'few_witnesses'])
  .meta({
    id: 'LowConfidenceReason',
    description:
      '`split`: the witnesses have no majority. `match_disputed`: every aggregator contradicts the venues, whose markets ' +
      'may be another asset’s. `contested`: half of the live witnesses or fewer support the price, or two do and another ' +
      'does not. `dispersed`: the witnesses are more than 1 % apart at the median. `halted`: no market moves ' +
      'while the feed moves. `weak_rate`: the rate of the quote currency has one or two witnesses, or witnesses that ' +
      'disagree. `single_witness`, `few_witnesses`: one or two agree.',
  })

export const PriceBasis = z
  .object({
    method: PriceMethod,
    sources: z.array(
      z.object({
        source_id: z.string(),
        pair: z.string(),
        price_usd: Price,
        weight: z.number().min(0).max(1).describe('Share of the total weight.'),
      }),
    ),
    excluded: z.array(
      z.object({
        source_id: z.string(),
        pair: z.string(),
        reason: z.string(),
        price_usd: laterOrNull(Price, 'Price reported by an aggregator; null for a market, which has its own row.'),
      }),
    ),
    low_confidence_reason: laterOrNull(LowConfidenceReason, 'Null: confidence is not low.'),
    fragility_bp: laterOrNull(
      z.number().min(0),
      'How far the price would move, in basis points, if its most influential source misreported by 5 % with unlimited ' +
        'volume, the rates included that it goes through; null: unknown.',
    ),
  })
  .meta({
    id: 'PriceBasis',
    description:
      'The inputs needed to recompute the published price: the mean of the middle fifth of the weight, with `sources` in ' +
      'order of price. `excluded` lists the inputs left out and the reasons.',
  })
export type PriceBasis = z.infer<typeof PriceBasis>

export const NO_BASIS: PriceBasis = {
  method: 'none',
  sources: [],
  excluded: [],
  low_confidence_reason: null,
  fragility_bp: null,
}

export const ChangeBasis = z
  .object({
    method: z.enum(['history', 'witnesses', 'carried', 'none']),
    since: Timestamp.nullable().describe('Bucket of `history` with the price of a day ago.'),
    price_usd: Price.nullable().describe('Price of a day ago.'),
    sources: z.array(z.object({ source_id: z.string(), pair: z.string(), percent_change_24h: Percent })),
  })
  .meta({
    id: 'ChangeBasis',
    description:
      'How `percent_change_24h` was computed. `history`: from the price that this API published a day ago. `witnesses`: ' +
      'from aggregators and markets quoted in dollars, equally weighted, as the mean of the middle fifth.',
  })
export type ChangeBasis = z.infer<typeof ChangeBasis>

export const NO_CHANGE: ChangeBasis = { method: 'none', since: null, price_usd: null, sources: [] }

export const WeekBasis = z
  .object({
    method: z.enum(['history', 'reported', 'carried', 'none']),
    since: Timestamp.nullable().describe('First bucket of the 7-day `history`.'),
    price_usd: Price.nullable().describe('Price of that bucket.'),
  })
  .meta({
    id: 'WeekBasis',
    description:
      'How `percent_change_7d` was computed. `history`: from the price with which the published 7-day history begins. ' +
      '`reported`: a source reports it, because the history does not reach back seven days.',
  })
export type WeekBasis = z.infer<typeof WeekBasis>

export const NO_WEEK: WeekBasis = { method: 'none', since: null, price_usd: null }

export type SupplyField = 'circulating_supply' | 'total_supply' | 'max_supply'

const SupplyMethod = z.enum(['agreed', 'alone', 'first', 'lowest', 'persisted', 'kept', 'none']).meta({
  id: 'SupplyMethod',
  description:
    '`agreed`: the first source that another source, the registry or the last value agrees with. `alone`: the only ' +
    'source, and no last value. `first`: the sources differ, and the first counts. `lowest`: they differ too much for ' +
    'that, and the lowest counts. `persisted`: one source alone has reported it for long enough. `kept`: the last ' +
    'published value. `none`: unknown.',
})

export const SupplyBasis = z
  .object({
    method: SupplyMethod,
    value: Amount.nullable().describe('The supply decided on; null: unknown.'),
    witnesses: z.array(
      z.object({
        source_id: z.string(),
        value: Amount,
        is_implied: z.boolean().describe('Market cap divided by price: the source reports no supply of its own.'),
      }),
    ),
    last: z
      .object({ value: Amount, as_of: Timestamp })
      .nullable()
      .describe('The last value that two witnesses agreed on, or that was published for a day: a witness, too.'),
  })
  .meta({
    id: 'SupplyBasis',
    description:
      'Who reports a supply in this run, in order of the sources, and which value follows; `collector` has the rule. A ' +
      'source that contradicts itself is no witness. An implied supply decides the market cap, and is not published as a supply.',
  })
export type SupplyBasis = z.infer<typeof SupplyBasis>

export const Asset = z
  .object({
    ...DetailedRow.shape,
    asset_type: z
      .enum(['coin', 'token'])
      .nullable()
      .describe('`coin`: native to its chain. `token`: a contract on one.'),
    description: z.string().max(4000).nullable().describe('Plain text in English.'),
    links: Links,
    explorers: z.array(z.object({ name: line(80), url: HttpsUrl })).describe('Block explorers of its chain.'),
    market_count: Count.describe('Number of rows of `markets_endpoint`.'),
    markets_endpoint: z.string().describe('Path of its markets, relative to the root of the host.'),
    history_endpoint: z.string().describe('Path of its history, relative to the root of the host.'),
    external_ids: z.record(z.string(), z.string()).describe('Id of the asset at each source, by `source_id`.'),
    aliases: z.array(z.string()).describe('Former and other slugs of this asset, which lead to it.'),
    replaced_by: Slug.nullable().describe('Set on a retired slug: the slug that replaces it.'),
    notice: z.string().nullable().describe('An important notice, such as a warning or a change of name.'),
    first_listed: Timestamp.nullable().describe('When this API first listed the asset; null if that is lost.'),
    profile_updated: Timestamp.nullable().describe('When description, links and tags were last requested.'),
    last_seen: Timestamp.nullable().describe('Set while no source lists the asset: the last time one did.'),
    price_basis: PriceBasis,
    change_basis: ChangeBasis.default(NO_CHANGE),
    week_basis: WeekBasis.default(NO_WEEK),
    supply_basis: z
      .record(z.string(), SupplyBasis)
      .default({})
      .describe('By member: `circulating_supply`, `total_supply`, `max_supply`.'),
    held: z.array(QuarantineRow).default([]).describe('Its figures that are held back, also in `/quarantine`.'),
    told_by: z
      .record(z.string(), z.array(z.string()))
      .default({})
      .describe(
        'Figures that are published as a source reports them, or as it last reported them if they are in `carried`, by its ' +
          '`source_id`. Every other figure follows from published ones.',
      ),
  })
  .meta({ id: 'Asset', description: 'Everything known about one asset. Unknown values are null.' })
export type Asset = z.infer<typeof Asset>
