// Written by `npm run client` from the table of endpoints: change that, and run it again.

export interface Asset {
  /** Same value as `slug`. */
  readonly asset_id: string
  /** Stable name of an asset in addresses. */
  readonly slug: string
  readonly symbol: string
  readonly name: string
  readonly verification_status: 'verified' | 'unverified' | 'pending' | 'flagged'
  /** Label of the source whose facts the row shows. */
  readonly source_label: string
  readonly token_page: string
  readonly market_cap_rank: number | null
  readonly price_usd: number | null
  readonly percent_change_24h: number | null
  readonly market_cap_usd: number | null
  readonly volume_24h_usd: number | null
  readonly circulating_supply: number | null
  /** Exchanges with a market of this asset in the feed. */
  readonly exchange_count: number
  /** 0 to 1; the formula is in `collector`. */
  readonly price_confidence: number | null
  readonly listing_status: 'active' | 'preview' | 'inactive' | 'delisted'
  /** Time of the price, not of the run. */
  readonly last_updated: string | null
  readonly percent_change_1h: number | null
  readonly percent_change_7d: number | null
  readonly high_24h_usd: number | null
  readonly low_24h_usd: number | null
  readonly fully_diluted_valuation_usd: number | null
  readonly total_supply: number | null
  readonly max_supply: number | null
  readonly ath_usd: number | null
  readonly ath_date: string | null
  readonly tags: readonly string[]
  readonly logo_url: string | null
  readonly contracts: readonly Contract[]
  /** Members that no source told in this run, with the time they were last true; null where there is none. */
  readonly carried: Readonly<Record<string, string>> | null
  readonly asset_type: 'coin' | 'token' | null
  readonly description: string | null
  readonly links: Links
  readonly explorers: readonly {
    readonly name: string
    readonly url: string
  }[]
  readonly market_count: number
  readonly markets_endpoint: string
  readonly history_endpoint: string
  /** Id of the asset at each source, by `source_id`. */
  readonly external_ids: Readonly<Record<string, string>>
  /** Slugs that lead here. */
  readonly aliases: readonly string[]
  /** Set on a slug that was given up: the slug to ask instead. */
  readonly replaced_by: string | null
  readonly notice: string | null
  /** First run that listed the asset here. */
  readonly first_listed: string | null
  /** When description, links and tags were last asked for. */
  readonly profile_updated: string | null
  /** Set while no source names the asset: the last run that had it. */
  readonly last_seen: string | null
  readonly price_basis: PriceBasis
}

/** Everything known of one asset, with what its price is made of. */
export interface AssetAnswer extends Envelope {
  readonly asset: Asset
}

/** The exchange markets of one asset, by volume, flagged ones last. */
export interface AssetMarketsAnswer extends Envelope {
  /** Stable name of an asset in addresses. */
  readonly slug: string
  /** Rows in this response. */
  readonly count: number
  readonly rows: readonly Market[]
}

export interface AssetRow {
  /** Same value as `slug`. */
  readonly asset_id: string
  /** Stable name of an asset in addresses. */
  readonly slug: string
  readonly symbol: string
  readonly name: string
  readonly verification_status: 'verified' | 'unverified' | 'pending' | 'flagged'
  /** Label of the source whose facts the row shows. */
  readonly source_label: string
  readonly token_page: string
  readonly market_cap_rank: number | null
  readonly price_usd: number | null
  readonly percent_change_24h: number | null
  readonly market_cap_usd: number | null
  readonly volume_24h_usd: number | null
  readonly circulating_supply: number | null
  /** Exchanges with a market of this asset in the feed. */
  readonly exchange_count: number
  /** 0 to 1; the formula is in `collector`. */
  readonly price_confidence: number | null
  readonly listing_status: 'active' | 'preview' | 'inactive' | 'delisted'
  /** Time of the price, not of the run. */
  readonly last_updated: string | null
}

/** Every listing in short: identity, price, change, market cap; by market cap rank, unranked last. */
export interface AssetsAnswer extends Envelope {
  /** Rows in this response. */
  readonly count: number
  /** Listings in the whole feed. */
  readonly total: number
  readonly rows: readonly AssetRow[]
}

/** Every contract of a chain that a listing names, by address. */
export interface ChainContractsAnswer extends Envelope {
  readonly chain: string
  /** Rows in this response. */
  readonly count: number
  readonly rows: readonly ContractRow[]
}

export interface ChangeEvent {
  /** The run that saw it. */
  readonly at: string
  readonly kind:
    | 'listed'
    | 'delisted'
    | 'renamed'
    | 'verification'
    | 'contract_added'
    | 'contract_removed'
    | 'source_down'
    | 'source_back'
    | 'method'
    | 'request_decided'
  /** Slug of a listing, `source_id`, `request_id`, or `methodology`. */
  readonly subject: string
  /** What people call the subject. */
  readonly name: string | null
  readonly before: string | null
  readonly after: string | null
}

/** What happened lately: listings, verification, contracts, sources, the method, requests. */
export interface ChangesAnswer extends Envelope {
  /** Days with a document of their own, newest first. */
  readonly days: readonly string[]
  readonly count: number
  /** Newest first. */
  readonly rows: readonly ChangeEvent[]
}

/** What happened on one day, of those that /changes lists. */
export interface ChangesOfDayAnswer extends Envelope {
  readonly day: string
  readonly count: number
  readonly rows: readonly ChangeEvent[]
}

/** Health of every source, coverage, freshness, reference rates and the method with all its numbers. */
export interface CollectorAnswer extends Envelope {
  readonly coverage: {
    readonly listings: number
    readonly priced: number
    readonly priced_percent: number
    readonly with_two_sources: number
    readonly with_history: number
  }
  readonly freshness: {
    /** ISO 8601, UTC, whole seconds. */
    readonly collectedAt: string
    readonly oldestValueAt: string | null
    /** ISO 8601, UTC, whole seconds. */
    readonly staleAfter: string
    readonly carriedForward: number
  }
  readonly referenceRates: readonly ReferenceRate[]
  /** Every rule in words, with every number it uses. */
  readonly methodology: {
    readonly version: string
    readonly rules: Readonly<Record<string, Readonly<Record<string, string | number>>>>
  }
  /** Rows in this response. */
  readonly count: number
  /** Listings in the whole feed. */
  readonly total: number
  readonly rows: readonly SourceRow[]
}

export interface Contract {
  /** Our name of the chain, as in the registry. */
  readonly chain: string
  /** EIP-155 chain id; null where the chain has none. */
  readonly chain_id: number | null
  readonly address: string
  readonly decimals: number | null
  readonly standard: string | null
  readonly explorer_url: string | null
}

/** The listing of a contract. Hosts of files alone have the document of the chain. */
export interface ContractAnswer extends Envelope {
  /** Whether more than one listing answers: then a name alone does not tell which. */
  readonly ambiguous: boolean
  /** Rows in this response. */
  readonly count: number
  readonly rows: readonly ContractRow[]
}

export interface ContractRow {
  /** In small letters where it is hexadecimal. */
  readonly address: string
  /** Stable name of an asset in addresses. */
  readonly slug: string
  readonly symbol: string
  readonly name: string
  readonly verification_status: 'verified' | 'unverified' | 'pending' | 'flagged'
  readonly listing_status: 'active' | 'preview' | 'inactive' | 'delisted'
  readonly decimals: number | null
  readonly standard: string | null
}

export interface DexPair {
  /** `<chain>:<pool address>`. */
  readonly pair_id: string
  readonly dex_id: string
  readonly dex_name: string
  readonly chain: string
  readonly pair: string
  readonly base_symbol: string
  readonly quote_symbol: string
  /** The listing whose contract the base is; null when none. */
  readonly base_asset_id: string | null
  readonly base_address: string
  readonly quote_address: string
  readonly pool_address: string
  /** In the quote token. */
  readonly price_native: number | null
  readonly price_usd: number | null
  readonly percent_change_24h: number | null
  readonly volume_24h_usd: number | null
  readonly liquidity_usd: number | null
  readonly transactions_24h: number | null
  readonly pair_created_at: string | null
  readonly pair_url: string | null
  readonly explorer_url: string | null
  /** ISO 8601, UTC, whole seconds. */
  readonly collected_at: string
  readonly source_label: string
  readonly is_preview: true
}

/** Pools of decentralized exchanges that trade listed tokens, by liquidity. A preview. */
export interface DexPairsAnswer extends Envelope {
  /** Rows in this response. */
  readonly count: number
  /** Listings in the whole feed. */
  readonly total: number
  readonly rows: readonly DexPair[]
}

export interface EcosystemRow {
  /** Same value as `slug`. */
  readonly asset_id: string
  /** Stable name of an asset in addresses. */
  readonly slug: string
  readonly symbol: string
  readonly name: string
  readonly verification_status: 'verified' | 'unverified' | 'pending' | 'flagged'
  /** Label of the source whose facts the row shows. */
  readonly source_label: string
  readonly token_page: string
  readonly market_cap_rank: number | null
  readonly price_usd: number | null
  readonly percent_change_24h: number | null
  readonly market_cap_usd: number | null
  readonly volume_24h_usd: number | null
  readonly circulating_supply: number | null
  /** Exchanges with a market of this asset in the feed. */
  readonly exchange_count: number
  /** 0 to 1; the formula is in `collector`. */
  readonly price_confidence: number | null
  readonly listing_status: 'active' | 'preview' | 'inactive' | 'delisted'
  /** Time of the price, not of the run. */
  readonly last_updated: string | null
  /** What the asset is for in the ecosystem. */
  readonly role: string | null
  readonly protocol: string | null
  readonly contracts: readonly Contract[]
  readonly links: Links
}

export interface EndpointEntry {
  readonly endpoint: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly parameters: readonly {
    readonly name: string
    readonly in: 'path' | 'query'
    readonly type: 'string' | 'integer'
    readonly default: string | number | null
    readonly allowed: string | readonly (string | number)[]
  }[]
  readonly description: string
  readonly example: string
}

/** Members that every answer has, errors too. */
export interface Envelope {
  readonly ok: boolean
  readonly product: string
  readonly endpoint: string
  /** The time as of which the data holds: the run that last changed this document. */
  readonly timestamp: string
  /** Of the sources that feed this very document. */
  readonly sourceStatus: 'ok' | 'degraded' | 'stale' | 'down'
  /** Null exactly when `sourceStatus` is `ok`. */
  readonly sourceError: SourceTrouble | null
}

export interface ErrorAnswer {
  readonly ok: false
  readonly product: string
  readonly endpoint: string
  /** The time as of which the data holds: the run that last changed this document. */
  readonly timestamp: string
  /** Of the sources that feed this very document. */
  readonly sourceStatus: 'ok' | 'degraded' | 'stale' | 'down'
  /** Null exactly when `sourceStatus` is `ok`. */
  readonly sourceError: SourceTrouble | null
  readonly error: Problem
}

/** Listings by strongest positive move of 24 hours, strongest first; thin, stale and flagged markets left out. */
export interface GainersAnswer extends Envelope {
  /** Rows in this response. */
  readonly count: number
  /** Listings in the whole feed. */
  readonly total: number
  readonly rows: readonly AssetRow[]
}

/** Price and volume of an asset on a fixed UTC grid, oldest first, without interpolation. */
export interface HistoryAnswer extends Envelope {
  /** Stable name of an asset in addresses. */
  readonly slug: string
  readonly days: 1 | 7 | 30 | 90 | 365
  readonly interval: '15m' | '1h' | '4h' | '1d'
  /** Start of the first bucket of the range; null before the first observation. */
  readonly from: string | null
  /** Start of the last bucket of the range, the open one. */
  readonly to: string | null
  /** Buckets of the range without data. */
  readonly missing: number
  /** Sources of the points, in words; each is named. */
  readonly source_label: string
  /** For each row, seconds from its timestamp to when its value was first seen; null: from past prices. */
  readonly seenAfterSeconds: readonly (number | null)[]
  /** Rows in this response. */
  readonly count: number
  readonly rows: readonly Point[]
}

/** What this API offers, what is in it, and when it was built. */
export interface IndexAnswer extends Envelope {
  readonly version: string
  readonly label: string
  readonly listings: number
  /** The same for equal data. */
  readonly snapshotId: string
  /** ISO 8601, UTC, whole seconds. */
  readonly generatedAt: string
  /** ISO 8601, UTC, whole seconds. */
  readonly nextBuildAt: string
  /** ISO 8601, UTC, whole seconds. */
  readonly staleAfter: string
  /** SHA-256 of the manifest, which holds that of every other file, and of the collector document. */
  readonly sha256: {
    readonly manifest: string
    readonly collector: string
  }
  readonly endpoints: readonly EndpointEntry[]
  readonly links: {
    readonly openapi: string | null
    readonly manifest: string | null
    readonly changes: string | null
    readonly docs: string | null
  }
}

export interface Links {
  readonly website: string | null
  readonly whitepaper: string | null
  readonly source_code: string | null
  readonly twitter: string | null
  readonly telegram: string | null
  readonly discord: string | null
}

/** State of one request for a listing. */
export interface ListingRequestAnswer extends Envelope {
  readonly request: RequestRow
}

export interface ListingRequestBody {
  readonly request_type?: 'new' | 'update' | 'delist' | undefined
  readonly name: string
  readonly symbol: string
  /** Stable name of an asset in addresses. */
  readonly slug?: string | undefined
  readonly asset_type?: 'coin' | 'token' | undefined
  readonly website?: string | undefined
  readonly explorer_url?: string | undefined
  readonly contracts?:
    | readonly {
        readonly chain: string
        readonly address: string
      }[]
    | undefined
  readonly contact_email?: string | undefined
  readonly requester_role?: string | undefined
  readonly markets?: readonly string[] | undefined
  readonly logo_url?: string | undefined
  readonly whitepaper_url?: string | undefined
  readonly source_code_url?: string | undefined
  readonly twitter?: string | undefined
  readonly telegram?: string | undefined
  readonly discord?: string | undefined
  readonly description?: string | undefined
  readonly note?: string | undefined
}

/** State of the requests for a listing. Names are shown once a reviewer has opened the request. */
export interface ListingRequestsAnswer extends Envelope {
  readonly counts: {
    readonly pending: number
    readonly in_review: number
    readonly needs_info: number
    readonly approved: number
    readonly listed: number
    readonly rejected: number
    readonly duplicate: number
    readonly withdrawn: number
    readonly expired: number
  }
  readonly oldest_pending_at: string | null
  readonly count: number
  readonly rows: readonly RequestRow[]
}

/** Listings by largest loss of 24 hours, largest first; thin, stale and flagged markets left out. */
export interface LosersAnswer extends Envelope {
  /** Rows in this response. */
  readonly count: number
  /** Listings in the whole feed. */
  readonly total: number
  readonly rows: readonly AssetRow[]
}

/** Every document of the tree with its size and SHA-256; those of manifest and collector are in the index. */
export interface ManifestAnswer extends Envelope {
  readonly snapshotId: string
  /** SHA-256 of the manifest before this one: a chain back to the first. */
  readonly previous: string | null
  /** SHA-256 of what the sources said to the run that wrote this. */
  readonly inputs: string
  /** Commit of the program that wrote this, where that is known. */
  readonly commit: string | null
  readonly count: number
  readonly rows: readonly ManifestRow[]
}

export interface ManifestRow {
  readonly path: string
  readonly bytes: number
  readonly sha256: string
  /** ISO 8601, UTC, whole seconds. */
  readonly timestamp: string
}

export interface Market {
  readonly exchange_id: string
  readonly exchange_name: string
  readonly exchange_type: 'cex' | 'dex'
  /** Base and quote in common symbols: `BTC/USDT`. */
  readonly pair: string
  readonly base_symbol: string
  readonly quote_symbol: string
  /** In the quote currency. */
  readonly price: number | null
  readonly price_usd: number | null
  readonly bid: number | null
  readonly ask: number | null
  /** (ask - bid) / mid x 100; null when a side is missing or crossed. */
  readonly spread_percent: number | null
  readonly volume_24h_base: number | null
  readonly volume_24h_usd: number | null
  readonly quality: 'high' | 'medium' | 'low' | 'unknown'
  readonly quality_score: number
  readonly quality_reasons: readonly string[]
  readonly is_stale: boolean
  readonly is_outlier: boolean
  readonly used_in_price: boolean
  /** Share in the published price; null when not used. */
  readonly weight: number | null
  readonly trade_url: string | null
  readonly explorer_url: string | null
  readonly contract_address: string | null
  readonly chain: string | null
  readonly liquidity_usd: number | null
  readonly last_traded_at: string | null
  /** ISO 8601, UTC, whole seconds. */
  readonly collected_at: string
  readonly source_label: string
}

/** The full feed: every listing with its changes, supplies, all-time high, tags and contracts. */
export interface MarketsAnswer extends Envelope {
  /** Rows in this response. */
  readonly count: number
  /** Listings in the whole feed. */
  readonly total: number
  readonly rows: readonly MarketsRow[]
}

export interface MarketsRow {
  /** Same value as `slug`. */
  readonly asset_id: string
  /** Stable name of an asset in addresses. */
  readonly slug: string
  readonly symbol: string
  readonly name: string
  readonly verification_status: 'verified' | 'unverified' | 'pending' | 'flagged'
  /** Label of the source whose facts the row shows. */
  readonly source_label: string
  readonly token_page: string
  readonly market_cap_rank: number | null
  readonly price_usd: number | null
  readonly percent_change_24h: number | null
  readonly market_cap_usd: number | null
  readonly volume_24h_usd: number | null
  readonly circulating_supply: number | null
  /** Exchanges with a market of this asset in the feed. */
  readonly exchange_count: number
  /** 0 to 1; the formula is in `collector`. */
  readonly price_confidence: number | null
  readonly listing_status: 'active' | 'preview' | 'inactive' | 'delisted'
  /** Time of the price, not of the run. */
  readonly last_updated: string | null
  readonly percent_change_1h: number | null
  readonly percent_change_7d: number | null
  readonly high_24h_usd: number | null
  readonly low_24h_usd: number | null
  readonly fully_diluted_valuation_usd: number | null
  readonly total_supply: number | null
  readonly max_supply: number | null
  readonly ath_usd: number | null
  readonly ath_date: string | null
  readonly tags: readonly string[]
  readonly logo_url: string | null
  readonly contracts: readonly Contract[]
  /** Members that no source told in this run, with the time they were last true; null where there is none. */
  readonly carried: Readonly<Record<string, string>> | null
}

export interface Point {
  /** Start of the bucket. */
  readonly timestamp: string
  readonly price_usd: number
  /** Rolling 24h figure at that time. */
  readonly volume_24h_usd: number | null
}

export interface PriceBasis {
  readonly method: 'exchanges' | 'aggregators' | 'exchanges_below_quorum' | 'dex' | 'carried' | 'none'
  readonly sources: readonly {
    readonly source_id: string
    readonly pair: string
    readonly price_usd: number
    readonly weight: number
  }[]
  readonly excluded: readonly {
    readonly source_id: string
    readonly pair: string
    readonly reason: string
  }[]
}

export interface Problem {
  readonly code:
    | 'not_found'
    | 'asset_not_found'
    | 'invalid_parameter'
    | 'invalid_json'
    | 'invalid_request'
    | 'method_not_allowed'
    | 'unsupported_media_type'
    | 'payload_too_large'
    | 'rate_limited'
    | 'unavailable'
    | 'internal_error'
  readonly message: string
  readonly status: number
  readonly parameter: string | null
  readonly allowed: string | readonly (string | number)[] | null
  readonly issues?:
    | readonly {
        readonly path: string
        readonly message: string
      }[]
    | undefined
}

/** Values that were offered and are not believed yet, with what is published meanwhile and until when. */
export interface QuarantineAnswer extends Envelope {
  /** Rows in this response. */
  readonly count: number
  readonly rows: readonly QuarantineRow[]
}

export interface QuarantineRow {
  /** Stable name of an asset in addresses. */
  readonly slug: string
  readonly field: 'price_usd'
  /** What is published meanwhile. */
  readonly held_value: number
  /** What was offered first. */
  readonly offered_value: number
  readonly rule: 'price_jump'
  /** ISO 8601, UTC, whole seconds. */
  readonly since: string
  /** When the offered value is published, if it is still offered and nothing confirmed it. */
  readonly releases_at: string
}

export interface Receipt {
  readonly request_id: string
  readonly status:
    'pending' | 'in_review' | 'needs_info' | 'approved' | 'listed' | 'rejected' | 'duplicate' | 'withdrawn' | 'expired'
  /** ISO 8601, UTC, whole seconds. */
  readonly submitted_at: string
  readonly status_endpoint: string
  readonly duplicate_of: string | null
  /** Members of the body that were not understood and not stored. */
  readonly ignored: readonly string[]
  readonly warnings: readonly string[]
}

export interface ReferenceRate {
  readonly symbol: string
  readonly price_usd: number
  readonly method: 'definition' | 'exchanges' | 'crosses' | 'aggregators' | 'carried'
  /** How many quotes it is the median of. */
  readonly quotes: number
  /** ISO 8601, UTC, whole seconds. */
  readonly as_of: string
}

export interface RequestRow {
  readonly request_id: string
  readonly request_type: 'new' | 'update' | 'delist'
  readonly symbol: string | null
  readonly name: string | null
  readonly status:
    'pending' | 'in_review' | 'needs_info' | 'approved' | 'listed' | 'rejected' | 'duplicate' | 'withdrawn' | 'expired'
  /** ISO 8601, UTC, whole seconds. */
  readonly submitted_at: string
  /** ISO 8601, UTC, whole seconds. */
  readonly updated_at: string
  readonly reason_code: string | null
  readonly reason: string | null
}

/** The listing of an id at a source. Hosts of files alone have the document of the source. */
export interface SourceIdAnswer extends Envelope {
  /** Whether more than one listing answers: then a name alone does not tell which. */
  readonly ambiguous: boolean
  /** Rows in this response. */
  readonly count: number
  readonly rows: readonly SourceIdRow[]
}

export interface SourceIdRow {
  /** Id of the asset at the source. */
  readonly id: string
  /** Stable name of an asset in addresses. */
  readonly slug: string
  readonly symbol: string
  readonly name: string
  readonly verification_status: 'verified' | 'unverified' | 'pending' | 'flagged'
  readonly listing_status: 'active' | 'preview' | 'inactive' | 'delisted'
}

/** Which listing each id of a source is, by id. */
export interface SourceIdsAnswer extends Envelope {
  readonly source_id: string
  /** Rows in this response. */
  readonly count: number
  readonly rows: readonly SourceIdRow[]
}

export interface SourceRow {
  readonly source_id: string
  readonly source_label: string
  readonly source_type: 'aggregator' | 'exchange' | 'dex' | 'registry'
  readonly status: 'ok' | 'degraded' | 'stale' | 'down'
  readonly last_attempt: string | null
  readonly last_success: string | null
  readonly consecutive_failures: number
  /** First of the consecutive failures. */
  readonly failing_since: string | null
  /** Listings it knows. */
  readonly asset_count: number
  /** Markets it supplies to the feed. */
  readonly market_count: number
  /** Rows left out by themselves: unreadable, or no spot market. The reasons follow. */
  readonly quarantined_count: number
  readonly error: {
    readonly code:
      | 'source_unreachable'
      | 'source_timeout'
      | 'source_rate_limited'
      | 'source_invalid'
      | 'source_stale'
      | 'quorum_not_met'
    readonly message: string
  } | null
  readonly terms_url: string | null
  /** Rows it sent in the last run. */
  readonly row_count: number
  /** Of these, rows that stand in the feed. */
  readonly used_count: number
  /** Of these, rows of no asset in the feed. */
  readonly unmatched_count: number
  /** Of these, markets without a price or a trade. */
  readonly dead_count: number
  /** Markets in the feed whose price disagrees with the other venues. */
  readonly outlier_count: number
  readonly quarantine_reasons: readonly {
    readonly reason: string
    readonly count: number
  }[]
}

export interface SourceTrouble {
  readonly code:
    | 'source_unreachable'
    | 'source_timeout'
    | 'source_rate_limited'
    | 'source_invalid'
    | 'source_stale'
    | 'quorum_not_met'
  readonly message: string
  /** `source_id` of each source concerned. */
  readonly sources: readonly string[]
  /** Since when it has been so without a break. */
  readonly since: string
}

/** Asks for a listing, a change of one, or its end. Held for review; the answer names the request. */
export interface SubmitListingRequestAnswer extends Envelope {
  readonly request: Receipt
}

/** Every listing of a symbol, by rank. A symbol belongs to nobody: `ambiguous` tells when it is not enough. */
export interface SymbolAnswer extends Envelope {
  readonly key: string
  /** Whether more than one listing answers: then a name alone does not tell which. */
  readonly ambiguous: boolean
  /** Rows in this response. */
  readonly count: number
  readonly rows: readonly SymbolRow[]
}

export interface SymbolRow {
  /** Stable name of an asset in addresses. */
  readonly slug: string
  readonly symbol: string
  readonly name: string
  readonly verification_status: 'verified' | 'unverified' | 'pending' | 'flagged'
  readonly listing_status: 'active' | 'preview' | 'inactive' | 'delisted'
  readonly contracts: readonly {
    /** Our name of the chain, as in the registry. */
    readonly chain: string
    readonly address: string
  }[]
}

/** The TNK, TAP, DMT-NAT and BX ecosystem, and how much of its registry is verified. */
export interface TnkAnswer extends Envelope {
  readonly registry: {
    readonly assets: number
    readonly verified: number
    readonly unverified: number
    readonly pending: number
    readonly flagged: number
    readonly with_price: number
  }
  /** Rows in this response. */
  readonly count: number
  /** Listings in the whole feed. */
  readonly total: number
  readonly rows: readonly EcosystemRow[]
}

/** Verified and ranked listings by market cap, largest first. */
export interface TrendingAnswer extends Envelope {
  /** Rows in this response. */
  readonly count: number
  /** Listings in the whole feed. */
  readonly total: number
  readonly rows: readonly AssetRow[]
}
