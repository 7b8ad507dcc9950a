// Written by `npm run client` from the table of endpoints: change that, and run it again.

import type {
  AssetAnswer,
  AssetMarketsAnswer,
  AssetsAnswer,
  ChainContractsAnswer,
  ChangesAnswer,
  ChangesOfDayAnswer,
  CollectorAnswer,
  ContractAnswer,
  DexPairsAnswer,
  GainersAnswer,
  HistoryAnswer,
  IndexAnswer,
  ListingRequestAnswer,
  ListingRequestBody,
  ListingRequestsAnswer,
  LosersAnswer,
  ManifestAnswer,
  MarketsAnswer,
  QuarantineAnswer,
  RightsAnswer,
  SourceIdAnswer,
  SourceIdsAnswer,
  SubmitListingRequestAnswer,
  SymbolAnswer,
  TnkAnswer,
  TrendingAnswer,
  ValidationAnswer,
} from './answers.ts'
import type { CallOptions, Result, Sent, Transport } from './call.ts'
import type { Route } from './route.ts'

/** Everything the API can be asked, one method an endpoint. */
export interface Methods {
  /** Price and volume of an asset on a fixed UTC grid, oldest first, without interpolation. */
  readonly history: (
    slug: string,
    options?: CallOptions<{ readonly days?: 1 | 7 | 30 | 90 | 365 | undefined }>,
  ) => Promise<Result<HistoryAnswer>>
  /** Everything known of one asset, with what its price is made of. */
  readonly asset: (slug: string, options?: CallOptions) => Promise<Result<AssetAnswer>>
  /** The exchange markets of one asset, by volume, flagged ones last. */
  readonly assetMarkets: (slug: string, options?: CallOptions) => Promise<Result<AssetMarketsAnswer>>
  /** The full feed: every listing with its changes, supplies, all-time high, tags and contracts. */
  readonly markets: (options?: CallOptions) => Promise<Result<MarketsAnswer>>
  /** Every listing in short: identity, price, change, market cap; by market cap rank, unranked last. */
  readonly assets: (options?: CallOptions<{ readonly limit?: number | undefined }>) => Promise<Result<AssetsAnswer>>
  /** Listings by strongest positive move of 24 hours, strongest first; thin, stale and flagged markets left out. */
  readonly gainers: (options?: CallOptions<{ readonly limit?: number | undefined }>) => Promise<Result<GainersAnswer>>
  /** Listings by largest loss of 24 hours, largest first; thin, stale and flagged markets left out. */
  readonly losers: (options?: CallOptions<{ readonly limit?: number | undefined }>) => Promise<Result<LosersAnswer>>
  /** Verified and ranked listings by market cap, largest first. */
  readonly trending: (options?: CallOptions<{ readonly limit?: number | undefined }>) => Promise<Result<TrendingAnswer>>
  /** The TNK, TAP, DMT-NAT and BX ecosystem, and how much of its registry is verified. */
  readonly tnk: (options?: CallOptions) => Promise<Result<TnkAnswer>>
  /** Pools of decentralized exchanges that trade listed tokens, by liquidity. A preview. */
  readonly dexPairs: (options?: CallOptions) => Promise<Result<DexPairsAnswer>>
  /** State of the requests for a listing. Names are shown once a reviewer has opened the request. */
  readonly listingRequests: (options?: CallOptions) => Promise<Result<ListingRequestsAnswer>>
  /** What happened lately: listings, verification, contracts, sources, the method, requests. */
  readonly changes: (options?: CallOptions) => Promise<Result<ChangesAnswer>>
  /** What happened on one day, of those that /changes lists. */
  readonly changesOfDay: (day: string, options?: CallOptions) => Promise<Result<ChangesOfDayAnswer>>
  /** Values that were offered and are not believed yet, with what is published meanwhile and until when. */
  readonly quarantine: (options?: CallOptions) => Promise<Result<QuarantineAnswer>>
  /** How far one lying or missing witness can move each price, by asset and over all, and how far aggregators are off. */
  readonly validation: (options?: CallOptions) => Promise<Result<ValidationAnswer>>
  /** What the terms of each source allow, with the attribution it asks for. Information, not legal advice. */
  readonly rights: (options?: CallOptions) => Promise<Result<RightsAnswer>>
  /** Every listing of a symbol, by rank. A symbol belongs to nobody: `ambiguous` tells when it is not enough. */
  readonly symbol: (symbol: string, options?: CallOptions) => Promise<Result<SymbolAnswer>>
  /** Every contract of a chain that a listing names, by address. */
  readonly chainContracts: (chain: string, options?: CallOptions) => Promise<Result<ChainContractsAnswer>>
  /** Which listing each id of a source is, by id. */
  readonly sourceIds: (source: string, options?: CallOptions) => Promise<Result<SourceIdsAnswer>>
  /** Health of every source, coverage, freshness, reference rates and the method with all its numbers. */
  readonly collector: (options?: CallOptions) => Promise<Result<CollectorAnswer>>
  /** Every document of the tree with its size and SHA-256; those of manifest and collector are in the index. */
  readonly manifest: (options?: CallOptions) => Promise<Result<ManifestAnswer>>
  /** What this API offers, what is in it, and when it was built. */
  readonly index: (options?: CallOptions) => Promise<Result<IndexAnswer>>
  /** The listing of a contract. Hosts of files alone have the document of the chain. */
  readonly contract: (chain: string, address: string, options?: CallOptions) => Promise<Result<ContractAnswer>>
  /** The listing of an id at a source. Hosts of files alone have the document of the source. */
  readonly sourceId: (source: string, id: string, options?: CallOptions) => Promise<Result<SourceIdAnswer>>
  /** Asks for a listing, a change of one, or its end. Held for review; the answer names the request. */
  readonly submitListingRequest: (
    body: ListingRequestBody,
    options?: CallOptions<{ readonly idempotencyKey?: string | undefined }>,
  ) => Promise<Sent<SubmitListingRequestAnswer>>
  /** State of one request for a listing. */
  readonly listingRequest: (requestId: string, options?: CallOptions) => Promise<Result<ListingRequestAnswer>>
}

/** Where each method asks. */
export const ROUTES: { readonly [Name in keyof Methods]: Route<Awaited<ReturnType<Methods[Name]>>['data']> } = {
  history: {
    endpoint: 'history',
    path: '/api/mkt/history/:slug',
    has: 'rows',
    query: { days: { allowed: [1, 7, 30, 90, 365], usual: 7 } },
  },
  asset: { endpoint: 'asset', path: '/api/mkt/assets/:slug', has: 'asset' },
  assetMarkets: { endpoint: 'asset-markets', path: '/api/mkt/assets/:slug/markets', has: 'rows' },
  markets: { endpoint: 'markets', path: '/api/mkt/markets', has: 'rows' },
  assets: { endpoint: 'assets', path: '/api/mkt/assets', has: 'rows', cuts: 'limit' },
  gainers: { endpoint: 'gainers', path: '/api/mkt/gainers', has: 'rows', cuts: 'limit' },
  losers: { endpoint: 'losers', path: '/api/mkt/losers', has: 'rows', cuts: 'limit' },
  trending: { endpoint: 'trending', path: '/api/mkt/trending', has: 'rows', cuts: 'limit' },
  tnk: { endpoint: 'tnk', path: '/api/mkt/tnk', has: 'rows' },
  dexPairs: { endpoint: 'dex-pairs', path: '/api/mkt/dex-pairs', has: 'rows' },
  listingRequests: { endpoint: 'listing-requests', path: '/api/mkt/listing-requests', has: 'rows', live: 'published' },
  changes: { endpoint: 'changes', path: '/api/mkt/changes', has: 'rows' },
  changesOfDay: { endpoint: 'changes-of-day', path: '/api/mkt/changes/:day', has: 'rows' },
  quarantine: { endpoint: 'quarantine', path: '/api/mkt/quarantine', has: 'rows' },
  validation: { endpoint: 'validation', path: '/api/mkt/validation', has: 'rows' },
  rights: { endpoint: 'rights', path: '/api/mkt/rights', has: 'rows' },
  symbol: { endpoint: 'symbol', path: '/api/mkt/symbols/:symbol', has: 'rows' },
  chainContracts: { endpoint: 'chain-contracts', path: '/api/mkt/contracts/:chain', has: 'rows' },
  sourceIds: { endpoint: 'source-ids', path: '/api/mkt/ids/:source', has: 'rows' },
  collector: { endpoint: 'collector', path: '/api/mkt/collector', has: 'rows' },
  manifest: { endpoint: 'manifest', path: '/api/mkt/manifest', has: 'rows' },
  index: { endpoint: 'index', path: '/api/mkt', has: 'links' },
  contract: {
    endpoint: 'chain-contracts',
    path: '/api/mkt/contracts/:chain',
    has: 'rows',
    picks: { name: 'address', endpoint: 'contract' },
  },
  sourceId: {
    endpoint: 'source-ids',
    path: '/api/mkt/ids/:source',
    has: 'rows',
    picks: { name: 'id', endpoint: 'source-id' },
  },
  submitListingRequest: {
    endpoint: 'listing-requests',
    path: '/api/mkt/listing-requests',
    has: 'request',
    live: 'published',
  },
  listingRequest: {
    endpoint: 'listing-requests',
    path: '/api/mkt/listing-requests/:request_id',
    has: 'request',
    live: 'only',
  },
}

/** The methods over a transport. */
export const methodsOf = ({ read, submit }: Transport): Methods => ({
  history: (slug, options) => read(ROUTES.history, { slug }, options),
  asset: (slug, options) => read(ROUTES.asset, { slug }, options),
  assetMarkets: (slug, options) => read(ROUTES.assetMarkets, { slug }, options),
  markets: (options) => read(ROUTES.markets, {}, options),
  assets: (options) => read(ROUTES.assets, {}, options),
  gainers: (options) => read(ROUTES.gainers, {}, options),
  losers: (options) => read(ROUTES.losers, {}, options),
  trending: (options) => read(ROUTES.trending, {}, options),
  tnk: (options) => read(ROUTES.tnk, {}, options),
  dexPairs: (options) => read(ROUTES.dexPairs, {}, options),
  listingRequests: (options) => read(ROUTES.listingRequests, {}, options),
  changes: (options) => read(ROUTES.changes, {}, options),
  changesOfDay: (day, options) => read(ROUTES.changesOfDay, { day }, options),
  quarantine: (options) => read(ROUTES.quarantine, {}, options),
  validation: (options) => read(ROUTES.validation, {}, options),
  rights: (options) => read(ROUTES.rights, {}, options),
  symbol: (symbol, options) => read(ROUTES.symbol, { symbol }, options),
  chainContracts: (chain, options) => read(ROUTES.chainContracts, { chain }, options),
  sourceIds: (source, options) => read(ROUTES.sourceIds, { source }, options),
  collector: (options) => read(ROUTES.collector, {}, options),
  manifest: (options) => read(ROUTES.manifest, {}, options),
  index: (options) => read(ROUTES.index, {}, options),
  contract: (chain, address, options) => read(ROUTES.contract, { chain, address }, options),
  sourceId: (source, id, options) => read(ROUTES.sourceId, { source, id }, options),
  submitListingRequest: (body, options) => submit(ROUTES.submitListingRequest, body, options),
  listingRequest: (requestId, options) => read(ROUTES.listingRequest, { request_id: requestId }, options),
})
