import type { Asset, PriceBasis } from '../../src/core/contract/asset.ts'
import type { ReferenceRate } from '../../src/core/contract/collector.ts'
import type { Market } from '../../src/core/contract/market.ts'
import { type Feed, type FeedInput, feedOf } from '../../src/core/feed/feed.ts'
import { type Listing, NOTHING_BEFORE, type Previous } from '../../src/core/feed/listing.ts'
import { type Registry, openRegistry } from '../../src/core/registry/registry.ts'
import { type Report, countOf } from '../../src/core/sources/collect.ts'
import { SourceError } from '../../src/core/sources/source-error.ts'
import {
  NO_FIGURES,
  type Pool,
  type Quote,
  type Sighting,
  type Source,
  OWN_DATA,
} from '../../src/core/sources/source.ts'

export const AT = '2026-11-20T12:00:00Z'
export const NOW = Date.parse(AT)
export const HOUR = 3_600_000

const NO_LINKS = { website: null, whitepaper: null, source_code: null, twitter: null, telegram: null, discord: null }

/** A reviewed asset, in the shape of `assets.json`. */
export const entryOf = (slug: string, given: object = {}) => ({
  slug,
  symbol: slug.toUpperCase(),
  name: slug,
  asset_type: null,
  verification_status: 'verified',
  ecosystem: null,
  max_supply: null,
  external_ids: {},
  exchange_symbols: {},
  contracts: [],
  tags: [],
  links: NO_LINKS,
  description: null,
  notice: null,
  ...given,
})

/** A registry of these entries; of none by default. */
export const registryOf = (...entries: readonly object[]): Registry => openRegistry({ assets: entries })

export const sourceOf = (id: string, type: Source['type'] = 'exchange'): Source => ({
  id,
  label: id.toUpperCase(),
  type,
  host: `${id}.example`,
  pace: { requests: 1, perSeconds: 1 },
  rights: OWN_DATA,
  observe: async () => [],
})

export const reportOf = (source: Source, given: Partial<Report> = {}): Report => ({
  source,
  recorded: [],
  error: null,
  sightings: [],
  profiles: [],
  quotes: [],
  stocks: [],
  pools: [],
  references: [],
  skipped: [],
  rejected: [],
  rows:
    [given.sightings, given.quotes, given.pools, given.references].reduce(
      (rows, list) => rows + (list?.length ?? 0),
      0,
    ) + countOf([...(given.skipped ?? []), ...(given.rejected ?? [])]),
  ms: 1,
  requests: 1,
  retries: 0,
  bytes: 1,
  attemptedAt: NOW,
  ...given,
})

/** An asset as one source lists it; symbol and name are the id by default. */
export const sightingOf = (id: string, given: Partial<Sighting> = {}): Sighting => ({
  kind: 'sighting',
  ...NO_FIGURES,
  id,
  slugs: [],
  symbol: id,
  name: id,
  ...given,
})

/** What an aggregator says in this run. */
export const listOf = (id: string, ...sightings: readonly Sighting[]): Report =>
  reportOf(sourceOf(id, 'aggregator'), { sightings })

export const contractOn = (platform: string, address: string) => ({ platform, address, decimals: null })

/** A live market with a sane book and a million units traded. */
export const quoteOf = (pair: string, last: number | null, given: Partial<Quote> = {}): Quote => {
  const [base = '', quote = ''] = pair.split('/')
  return {
    kind: 'quote',
    market: pair,
    base,
    quote,
    last,
    bid: last,
    ask: last,
    volume_24h_base: 1_000_000,
    volume_24h_quote: null,
    percent_change_24h: null,
    at: null,
    trade_url: null,
    ...given,
  }
}

/** What an exchange says in this run. */
export const venueOf = (id: string, ...quotes: readonly Quote[]): Report => reportOf(sourceOf(id), { quotes })

/** A published market of an asset at this dollar price. */
export const marketOf = (exchange_id: string, price_usd: number | null, given: Partial<Market> = {}): Market => ({
  exchange_id,
  exchange_name: exchange_id,
  exchange_type: 'cex',
  pair: 'ACME/USD',
  base_symbol: 'ACME',
  quote_symbol: 'USD',
  price: price_usd,
  price_usd,
  bid: price_usd,
  ask: price_usd,
  spread_percent: 0,
  volume_24h_base: null,
  volume_24h_usd: 1_000_000,
  quality: 'high',
  quality_score: 100,
  quality_reasons: [],
  is_stale: false,
  is_outlier: false,
  used_in_price: false,
  weight: null,
  trade_url: null,
  explorer_url: null,
  contract_address: null,
  chain: null,
  liquidity_usd: null,
  last_traded_at: null,
  collected_at: AT,
  source_label: exchange_id,
  last_price: price_usd,
  quote_usd: 1,
  volume_24h_quote: null,
  unchanged_since: null,
  matched_by: 'price',
  matched_at: '2026-11-19T12:00:00Z',
  ...given,
})

/** A pool of a token in this one's address on Ethereum, at two dollars and deep enough to make a price. */
export const poolOf = (token: string, pool_address: string, given: Partial<Pool> = {}): Pool => ({
  kind: 'pool',
  dex_id: 'swap',
  dex_name: 'Swap',
  platform: 'ethereum',
  pool_address,
  base: { address: token, symbol: 'ACME' },
  quote: { address: `0x${'b'.repeat(40)}`, symbol: 'WETH' },
  price_native: 0.001,
  price_usd: 2,
  percent_change_24h: null,
  volume_24h_usd: 1000,
  liquidity_usd: 50_000,
  transactions_24h: null,
  created_at: null,
  url: null,
  ...given,
})

/** A basis of nothing, by this method. */
export const basisOf = (method: PriceBasis['method']): PriceBasis => ({
  method,
  sources: [],
  excluded: [],
  low_confidence_reason: null,
  fragility_bp: null,
})

/** A published asset; active, at one dollar from the aggregators by default. */
export const assetOf = (slug: string, given: Partial<Asset> = {}): Asset => ({
  asset_id: slug,
  slug,
  symbol: slug.toUpperCase(),
  name: slug,
  verification_status: 'unverified',
  source_label: 'Somewhere',
  token_page: `/token/${slug}`,
  market_cap_rank: null,
  price_usd: 1,
  percent_change_24h: null,
  market_cap_usd: null,
  volume_24h_usd: null,
  circulating_supply: null,
  exchange_count: 0,
  price_confidence: 0.3,
  listing_status: 'active',
  last_updated: AT,
  percent_change_1h: null,
  percent_change_7d: null,
  high_24h_usd: null,
  low_24h_usd: null,
  fully_diluted_valuation_usd: null,
  total_supply: null,
  max_supply: null,
  ath_usd: null,
  ath_date: null,
  tags: [],
  logo_url: null,
  contracts: [],
  carried: null,
  asset_type: null,
  description: null,
  links: NO_LINKS,
  explorers: [],
  market_count: 0,
  markets_endpoint: `/api/mkt/assets/${slug}/markets`,
  history_endpoint: `/api/mkt/history/${slug}`,
  external_ids: {},
  aliases: [],
  replaced_by: null,
  told_by: {},
  notice: null,
  first_listed: AT,
  profile_updated: null,
  last_seen: null,
  price_basis: basisOf('aggregators'),
  change_basis: { method: 'none', since: null, price_usd: null, sources: [] },
  week_basis: { method: 'none', since: null, price_usd: null },
  market_flag: null,
  supply_basis: {},
  held: [],
  ...given,
})

export const ratesOf = (rates: Readonly<Record<string, number>>): Map<string, ReferenceRate> =>
  new Map(
    Object.entries(rates).map(([symbol, price_usd]) => [
      symbol,
      { symbol, price_usd, method: 'exchanges', quotes: 3, as_of: AT, inputs: [], cross_check: null } as const,
    ]),
  )

export const before = (...listings: readonly Listing[]): Previous => ({
  ...NOTHING_BEFORE,
  listings: new Map(listings.map((listing) => [listing.asset.slug, listing])),
})

/** What the next run reads back of a feed. */
export const publishedBy = ({ snapshot }: Feed): Previous => ({
  listings: snapshot.bySlug,
  sources: new Map(snapshot.sources.map((row) => [row.source_id, row])),
  rates: new Map(snapshot.rates.map((rate) => [rate.symbol, rate])),
  pairs: snapshot.pairs,
})

/** A feed of these reports, taken at `now` by everyone asked. */
export const feedFrom = (reports: readonly Report[], given: Partial<FeedInput> = {}): Feed => {
  const now = given.now ?? NOW
  return feedOf({
    reports: reports.map((report) => ({ ...report, attemptedAt: now })),
    registry: registryOf(),
    previous: NOTHING_BEFORE,
    label: 'test',
    nextBuildAt: now + HOUR,
    ...given,
    now,
  })
}

/** The same report, had the source not answered in time. */
export const silent = (report: Report): Report => ({
  ...report,
  sightings: [],
  quotes: [],
  pools: [],
  references: [],
  rows: 0,
  error: new SourceError('source_timeout', 'no answer'),
})
