import * as z from 'zod'
import { NO_FIGURES } from '../../src/core/sources/aggregator.ts'
import { Asset, NO_BASIS, NO_LINKS, type PriceBasis } from '../../src/core/contract/asset.ts'
import type { ReferenceRate } from '../../src/core/contract/collector.ts'
import { Market } from '../../src/core/contract/market.ts'
import { type Feed, type FeedInput, feedOf } from '../../src/core/feed/feed.ts'
import { type Listing, NOTHING_BEFORE, type Previous } from '../../src/core/feed/listing.ts'
import { rateDependence } from '../../src/core/feed/rate-dependence.ts'
import { type Registry, openRegistry } from '../../src/core/registry/registry.ts'
import { type Report, countOf } from '../../src/core/sources/collect.ts'
import { SourceError } from '../../src/core/sources/source-error.ts'
import { type Pool, type Quote, type Sighting, type Source, OWN_DATA } from '../../src/core/sources/source.ts'

export const AT = '2026-11-20T12:00:00Z'
export const NOW = Date.parse(AT)
export const HOUR = 3_600_000

const unknownIn = ({ shape }: z.ZodObject) =>
  Object.fromEntries(
    Object.entries(shape).flatMap(([name, member]) => (z.safeParse(member, null).success ? [[name, null]] : [])),
  )

const MARKET = Market.parse({
  ...unknownIn(Market),
  exchange_id: '',
  exchange_name: '',
  exchange_type: 'cex',
  pair: 'ACME/USD',
  base_symbol: 'ACME',
  quote_symbol: 'USD',
  spread_percent: 0,
  volume_24h_usd: 1_000_000,
  quality: 'high',
  quality_score: 100,
  quality_reasons: [],
  is_stale: false,
  is_outlier: false,
  used_in_price: false,
  collected_at: AT,
  source_label: '',
  quote_usd: 1,
  matched_by: 'price',
  matched_at: '2026-11-19T12:00:00Z',
})

/** A reviewed asset, in the shape of `assets.json`. */
export const entryOf = (slug: string, given: object = {}) => ({
  slug,
  symbol: slug.toUpperCase(),
  name: slug,
  verification_status: 'verified',
  ...given,
})

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

export const venueOf = (id: string, ...quotes: readonly Quote[]): Report => reportOf(sourceOf(id), { quotes })

/** A published market of an asset at this dollar price. */
export const marketOf = (exchange_id: string, price_usd: number | null, given: Partial<Market> = {}): Market => ({
  ...MARKET,
  exchange_id,
  exchange_name: exchange_id,
  price: price_usd,
  price_usd,
  bid: price_usd,
  ask: price_usd,
  source_label: exchange_id,
  last_price: price_usd,
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

export const basisOf = (method: PriceBasis['method']): PriceBasis => ({ ...NO_BASIS, method })

const ASSET = Asset.parse({
  ...unknownIn(Asset),
  asset_id: 'x',
  slug: 'x',
  symbol: 'X',
  name: 'x',
  verification_status: 'unverified',
  source_label: 'Somewhere',
  token_page: '/token/x',
  price_usd: 1,
  exchange_count: 0,
  price_confidence: 0.3,
  listing_status: 'active',
  last_updated: AT,
  tags: [],
  contracts: [],
  links: NO_LINKS,
  explorers: [],
  market_count: 0,
  markets_endpoint: '',
  history_endpoint: '',
  external_ids: {},
  aliases: [],
  first_listed: AT,
  price_basis: basisOf('aggregators'),
})

/** A published asset; active, at one dollar from the aggregators by default. */
export const assetOf = (slug: string, given: Partial<Asset> = {}): Asset => ({
  ...ASSET,
  asset_id: slug,
  slug,
  symbol: slug.toUpperCase(),
  name: slug,
  token_page: `/token/${slug}`,
  markets_endpoint: `/api/mkt/assets/${slug}/markets`,
  history_endpoint: `/api/mkt/history/${slug}`,
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

export const publishedBy = ({ snapshot }: Feed): Previous => ({
  listings: snapshot.bySlug,
  sources: new Map(snapshot.sources.map((row) => [row.source_id, row])),
  rates: new Map(snapshot.rates.map((rate) => [rate.symbol, rate])),
  pairs: snapshot.pairs,
})

/** What evidence has beside markets and aggregators where no price is known and every rate is sure. */
export const SURE = { distrusted: new Set<string>(), last: null, rates: rateDependence(new Map()), movedSince: null }

/** What a feed of these reports is given by default: nothing is known of the past, and no source was removed. */
export const inputOf = (reports: readonly Report[], previous: Previous = NOTHING_BEFORE) => ({
  registry: registryOf(),
  previous,
  configured: [...[...previous.sources.keys()].map((id) => ({ id })), ...reports.map(({ source }) => source)],
  assetDirectory: { known: new Map(), lists: new Map() },
  pastPrices: () => ({ dayAgo: null, oldest: null }),
})

/** A feed of these reports, taken at `now` by everyone asked. */
export const feedFrom = (reports: readonly Report[], given: Partial<FeedInput> = {}): Feed => {
  const now = given.now ?? NOW
  return feedOf({
    reports: reports.map((report) => ({ ...report, attemptedAt: now })),
    ...inputOf(reports, given.previous),
    ...given,
    now,
  })
}

export const silent = (report: Report): Report => ({
  ...report,
  sightings: [],
  quotes: [],
  pools: [],
  references: [],
  rows: 0,
  error: new SourceError('source_timeout', 'no answer'),
})

export const TALLY = {
  asset_count: 0,
  market_count: 0,
  used_count: 0,
  unmatched_count: 0,
  dead_count: 0,
  duplicate_count: 0,
  outlier_count: 0,
  needed_count: 0,
  price_factor: 1,
}
