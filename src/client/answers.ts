// Written by `npm run client` from the table of endpoints: change that, and run it again.

/** An amount of US dollars or of coins, as the name says: 2 decimals. */
export type Amount = number

/** Everything known about one asset. Unknown is null. */
export interface Asset {
  /** Same value as `slug`. */
  readonly asset_id: Slug
  readonly slug: Slug
  /** Ticker; several assets may share one. */
  readonly symbol: string
  readonly name: string
  readonly verification_status: VerificationStatus
  /** Label of the source whose facts the row shows. */
  readonly source_label: string
  /** Its page, below the root of the site. */
  readonly token_page: string
  /** 1 is the largest; null: unranked. */
  readonly market_cap_rank: number | null
  /** US dollars for one unit; null: unknown. */
  readonly price_usd: Price | null
  /** Change of the price in 24 hours, in percent. */
  readonly percent_change_24h: Percent | null
  /** Price times circulating supply, or what a source says. */
  readonly market_cap_usd: Amount | null
  /** Traded in the last 24 hours, in US dollars. */
  readonly volume_24h_usd: Amount | null
  /** Coins in circulation. */
  readonly circulating_supply: Amount | null
  /** Exchanges with a market of this asset in the feed. */
  readonly exchange_count: Count
  /** 0 to 1; the formula is in `collector`. */
  readonly price_confidence: number | null
  readonly listing_status: ListingStatus
  /** Time of the price, not of the run. */
  readonly last_updated: Timestamp | null
  /** Change of the price in 1 hour, in percent. */
  readonly percent_change_1h: Percent | null
  /** Change of the price in 7 days, in percent. */
  readonly percent_change_7d: Percent | null
  /** Highest price of the last 24 hours. */
  readonly high_24h_usd: Price | null
  /** Lowest price of the last 24 hours. */
  readonly low_24h_usd: Price | null
  /** Price times maximum or else total supply, or what a source says. */
  readonly fully_diluted_valuation_usd: Amount | null
  /** Coins that exist, in circulation or not. */
  readonly total_supply: Amount | null
  /** Most coins there can ever be; null: unknown, or there is no limit. */
  readonly max_supply: Amount | null
  /** All-time high. */
  readonly ath_usd: Price | null
  /** When the all-time high was reached. */
  readonly ath_date: Timestamp | null
  /** Categories, as the sources call them. */
  readonly tags: readonly string[]
  readonly logo_url: HttpsUrl | null
  /** Where the asset is a token, chain by chain; empty: a coin, or unknown. */
  readonly contracts: readonly TokenContract[]
  /** Members that no source told in this run, with the time they were last true; null where there is none. */
  readonly carried: {
    readonly [k: string]: Timestamp
  } | null
  readonly market_flag: MarketFlag | null
  /** `coin`: native to its chain. `token`: a contract on one. */
  readonly asset_type: ('coin' | 'token') | null
  /** Plain text in English. */
  readonly description: string | null
  readonly links: Links
  /** Where its chain can be looked at. */
  readonly explorers: readonly AssetExplorer[]
  /** Rows of `markets_endpoint`. */
  readonly market_count: Count
  /** Path of its markets, below the root of the host. */
  readonly markets_endpoint: string
  /** Path of its history, below the root of the host. */
  readonly history_endpoint: string
  /** Id of the asset at each source, by `source_id`. */
  readonly external_ids: {
    readonly [k: string]: string
  }
  /** Slugs that lead here. */
  readonly aliases: readonly string[]
  /** Set on a slug that was given up: the slug to ask instead. */
  readonly replaced_by: Slug | null
  /** What a reader should know first, such as a warning or a change of name. */
  readonly notice: string | null
  /** First run that listed the asset here. */
  readonly first_listed: Timestamp | null
  /** When description, links and tags were last asked for. */
  readonly profile_updated: Timestamp | null
  /** Set while no source names the asset: the last run that had it. */
  readonly last_seen: Timestamp | null
  readonly price_basis: PriceBasis
  readonly change_basis: ChangeBasis
  /** Figures that stand as a source tells them, by its `source_id`. Every other figure is carried or follows from published ones. */
  readonly told_by: {
    readonly [k: string]: readonly string[]
  }
}
export interface AssetExplorer {
  readonly name: string
  readonly url: HttpsUrl
}

/** Everything known of one asset, with what its price is made of. */
export interface AssetAnswer extends Envelope {
  readonly asset: Asset
}

/** The exchange markets of one asset, by volume, flagged ones last. */
export interface AssetMarketsAnswer extends Envelope {
  readonly slug: Slug
  /** Set on a slug that was given up: the slug to ask instead. */
  readonly replacedBy: Slug | null
  /** Rows in this response. */
  readonly count: Count
  readonly rows: readonly Market[]
}

/** One listing as the lists show it. Unknown is null. */
export interface AssetRow {
  /** Same value as `slug`. */
  readonly asset_id: Slug
  readonly slug: Slug
  /** Ticker; several assets may share one. */
  readonly symbol: string
  readonly name: string
  readonly verification_status: VerificationStatus
  /** Label of the source whose facts the row shows. */
  readonly source_label: string
  /** Its page, below the root of the site. */
  readonly token_page: string
  /** 1 is the largest; null: unranked. */
  readonly market_cap_rank: number | null
  /** US dollars for one unit; null: unknown. */
  readonly price_usd: Price | null
  /** Change of the price in 24 hours, in percent. */
  readonly percent_change_24h: Percent | null
  /** Price times circulating supply, or what a source says. */
  readonly market_cap_usd: Amount | null
  /** Traded in the last 24 hours, in US dollars. */
  readonly volume_24h_usd: Amount | null
  /** Coins in circulation. */
  readonly circulating_supply: Amount | null
  /** Exchanges with a market of this asset in the feed. */
  readonly exchange_count: Count
  /** 0 to 1; the formula is in `collector`. */
  readonly price_confidence: number | null
  readonly listing_status: ListingStatus
  /** Time of the price, not of the run. */
  readonly last_updated: Timestamp | null
}

/** Every listing in short: identity, price, change, market cap; by market cap rank, unranked last. */
export interface AssetsAnswer extends Envelope {
  /** Rows in this response. */
  readonly count: Count
  /** Listings in the whole feed. */
  readonly total: Count
  readonly rows: readonly AssetRow[]
}

/** Hundredths of a percent, 2 decimals. */
export type BasisPoints = number

/** Every contract of a chain that a listing names, by address. */
export interface ChainContractsAnswer extends Envelope {
  readonly chain: string
  /** Rows in this response. */
  readonly count: Count
  readonly rows: readonly ContractRow[]
}

/** What `percent_change_24h` is made of. `history`: our own price a day ago. `witnesses`: what aggregators and markets quoted in dollars say, each with the same weight; the change is the mean of the middle fifth. */
export interface ChangeBasis {
  readonly method: 'history' | 'witnesses' | 'carried' | 'none'
  /** Bucket of `history` that the price a day ago stands in. */
  readonly since: Timestamp | null
  /** That price. */
  readonly price_usd: Price | null
  readonly sources: readonly ChangeBasisSource[]
}
export interface ChangeBasisSource {
  readonly source_id: string
  readonly pair: string
  readonly percent_change_24h: Percent
}

/** Something that happened between two publications, and is no mere move of a number. */
export interface ChangeEvent {
  /** The run that saw it. */
  readonly at: Timestamp
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
  /** What it was; null: nothing. */
  readonly before: string | null
  /** What it is now; null: nothing. */
  readonly after: string | null
}

/** What happened lately: listings, verification, contracts, sources, the method, requests. */
export interface ChangesAnswer extends Envelope {
  /** Days with a document of their own, newest first. */
  readonly days: readonly string[]
  readonly count: Count
  /** Newest first. */
  readonly rows: readonly ChangeEvent[]
}

/** What happened on one day, of those that /changes lists. */
export interface ChangesOfDayAnswer extends Envelope {
  readonly day: string
  readonly count: Count
  readonly rows: readonly ChangeEvent[]
}

/** Health of every source, coverage, freshness, reference rates and the method with all its numbers. */
export interface CollectorAnswer extends Envelope {
  readonly coverage: {
    /** Listings in the whole feed. */
    readonly listings: Count
    /** Of these, with a price. */
    readonly priced: Count
    /** Share of the priced, in percent. */
    readonly priced_percent: Percent
    /** Of these, known to two sources or more. */
    readonly with_two_sources: Count
    /** Of these, with a value on at least half of the last 365 days. */
    readonly with_history: Count
  }
  readonly freshness: {
    /** When the sources were asked. */
    readonly collectedAt: Timestamp
    /** Time of the oldest price in the feed. */
    readonly oldestValueAt: Timestamp | null
    /** From then on the whole publication is to be taken as stale. */
    readonly staleAfter: Timestamp
    /** Values that no source told in this run and that stand from an earlier one. */
    readonly carriedForward: Count
  }
  readonly referenceRates: readonly ReferenceRate[]
  /** Every rule in words, with every number it uses. */
  readonly methodology: {
    readonly version: string
    readonly rules: {
      readonly [k: string]: {
        readonly [k: string]: string | number
      }
    }
  }
  /** Rows in this response. */
  readonly count: Count
  /** Listings in the whole feed. */
  readonly total: Count
  readonly rows: readonly SourceRow[]
}

/** The listing of a contract. Hosts of files alone have the document of the chain. */
export interface ContractAnswer extends Envelope {
  /** Whether more than one listing answers: then a name alone does not tell which. */
  readonly ambiguous: boolean
  /** Rows in this response. */
  readonly count: Count
  readonly rows: readonly ContractRow[]
}

/** A listing by one of its contracts. */
export interface ContractRow {
  /** In small letters where it is hexadecimal. */
  readonly address: string
  readonly slug: Slug
  readonly symbol: string
  readonly name: string
  readonly verification_status: VerificationStatus
  readonly listing_status: ListingStatus
  /** Decimals of the token on this chain. */
  readonly decimals: number | null
  /** Standard of the token, such as `erc20`. */
  readonly standard: string | null
}

/** How many of something. */
export type Count = number

/** One pool of a decentralized exchange. */
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
  readonly base_asset_id: Slug | null
  readonly base_address: string
  readonly quote_address: string
  readonly pool_address: string
  /** In the quote token. */
  readonly price_native: Price | null
  /** Of the base token. */
  readonly price_usd: Price | null
  readonly percent_change_24h: Percent | null
  readonly volume_24h_usd: Amount | null
  /** Worth of both sides of the pool, in US dollars. */
  readonly liquidity_usd: Amount | null
  /** Swaps in the last 24 hours. */
  readonly transactions_24h: Count | null
  readonly pair_created_at: Timestamp | null
  readonly pair_url: HttpsUrl | null
  readonly explorer_url: HttpsUrl | null
  /** Time of these values, not of the run. */
  readonly collected_at: Timestamp
  readonly source_label: string
  /** Pools are a preview. */
  readonly is_preview: true
}

/** Pools of decentralized exchanges that trade listed tokens, by liquidity. A preview. */
export interface DexPairsAnswer extends Envelope {
  /** Rows in this response. */
  readonly count: Count
  /** Listings in the whole feed. */
  readonly total: Count
  readonly rows: readonly DexPair[]
}

/** Nearest-rank quantiles over assets, and the largest value. */
export interface Distribution {
  readonly p50: BasisPoints
  readonly p90: BasisPoints
  readonly p95: BasisPoints
  readonly p99: BasisPoints
  readonly most: BasisPoints
}

/** An asset of the Trac, TAP, DMT and BX ecosystem. */
export interface EcosystemRow {
  /** Same value as `slug`. */
  readonly asset_id: Slug
  readonly slug: Slug
  /** Ticker; several assets may share one. */
  readonly symbol: string
  readonly name: string
  readonly verification_status: VerificationStatus
  /** Label of the source whose facts the row shows. */
  readonly source_label: string
  /** Its page, below the root of the site. */
  readonly token_page: string
  /** 1 is the largest; null: unranked. */
  readonly market_cap_rank: number | null
  /** US dollars for one unit; null: unknown. */
  readonly price_usd: Price | null
  /** Change of the price in 24 hours, in percent. */
  readonly percent_change_24h: Percent | null
  /** Price times circulating supply, or what a source says. */
  readonly market_cap_usd: Amount | null
  /** Traded in the last 24 hours, in US dollars. */
  readonly volume_24h_usd: Amount | null
  /** Coins in circulation. */
  readonly circulating_supply: Amount | null
  /** Exchanges with a market of this asset in the feed. */
  readonly exchange_count: Count
  /** 0 to 1; the formula is in `collector`. */
  readonly price_confidence: number | null
  readonly listing_status: ListingStatus
  /** Time of the price, not of the run. */
  readonly last_updated: Timestamp | null
  /** What the asset is for in the ecosystem. */
  readonly role: string | null
  /** Protocol it is issued by. */
  readonly protocol: string | null
  readonly contracts: readonly TokenContract[]
  readonly links: Links
}

export interface EndpointEntry {
  readonly endpoint: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly parameters: readonly EndpointEntryParameter[]
  readonly description: string
  /** A request that works, below the root of the host. */
  readonly example: string
}
export interface EndpointEntryParameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly type: 'string' | 'integer'
  /** What is meant without it; null: nothing. */
  readonly default: string | number | null
  /** The values, or a text that says which. */
  readonly allowed: string | readonly (string | number)[]
}

/** Members that every answer has, errors too. */
export interface Envelope {
  /** False only together with HTTP status 400 and above. */
  readonly ok: boolean
  /** Name of the service. */
  readonly product: string
  /** Name of the endpoint that answers. */
  readonly endpoint: string
  /** The time as of which the data holds: the run that last changed this document. */
  readonly timestamp: Timestamp
  /** Of the sources that feed this very document. */
  readonly sourceStatus: SourceStatus
  /** Null exactly when `sourceStatus` is `ok`. */
  readonly sourceError: SourceTrouble | null
}

/** Every answer with status 400 and above. */
export interface ErrorAnswer {
  readonly ok: false
  /** Name of the service. */
  readonly product: string
  /** Name of the endpoint that answers. */
  readonly endpoint: string
  /** The time as of which the data holds: the run that last changed this document. */
  readonly timestamp: Timestamp
  /** Of the sources that feed this very document. */
  readonly sourceStatus: SourceStatus
  /** Null exactly when `sourceStatus` is `ok`. */
  readonly sourceError: SourceTrouble | null
  readonly error: Problem
}

/** Why a request was not answered; does not change its meaning. */
export type ErrorCode =
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

/** Listings by strongest positive move of 24 hours, strongest first; thin, stale and flagged markets left out. */
export interface GainersAnswer extends Envelope {
  /** Rows in this response. */
  readonly count: Count
  /** Listings in the whole feed. */
  readonly total: Count
  readonly rows: readonly AssetRow[]
}

/** Price and volume of an asset on a fixed UTC grid, oldest first, without interpolation. */
export interface HistoryAnswer extends Envelope {
  readonly slug: Slug
  /** Range in days. */
  readonly days: 1 | 7 | 30 | 90 | 365
  /** Width of a bucket. That of the finest range follows how often the API is built. */
  readonly interval: '15m' | '30m' | '1h' | '4h' | '1d'
  /** Start of the first bucket of the range; null before the first observation. */
  readonly from: Timestamp | null
  /** Start of the last bucket of the range, the open one. */
  readonly to: Timestamp | null
  /** Buckets of the range without data. */
  readonly missing: Count
  /** Sources of the points, in words; each is named. */
  readonly sourceLabel: string
  /** Set on a slug that was given up: the slug to ask instead. */
  readonly replacedBy: Slug | null
  /** Rows in this response. */
  readonly count: Count
  readonly rows: readonly Point[]
}

/** A link: https only, without white space, quotes or control characters. */
export type HttpsUrl = string

/** What this API offers, what is in it, and when it was built. */
export interface IndexAnswer extends Envelope {
  /** Version of the contract: a name never changes its meaning within one. */
  readonly version: string
  /** What kind of data this is. */
  readonly label: string
  /** Listings in the whole feed. */
  readonly listings: Count
  /** Name of the snapshot: the same for equal data. */
  readonly snapshotId: string
  /** When this publication was made. */
  readonly generatedAt: Timestamp
  /** When the next one is due. */
  readonly nextBuildAt: Timestamp
  /** From then on the whole publication is to be taken as stale. */
  readonly staleAfter: Timestamp
  /** SHA-256 of the manifest, which holds that of every other file, and of the collector document. */
  readonly sha256: {
    readonly manifest: string
    readonly collector: string
  }
  readonly endpoints: readonly EndpointEntry[]
  /** Paths below the root of the site; null: there is none. */
  readonly links: {
    readonly openapi: string | null
    readonly manifest: string | null
    readonly changes: string | null
    readonly docs: string | null
  }
}

export interface Links {
  readonly website: HttpsUrl | null
  readonly whitepaper: HttpsUrl | null
  readonly source_code: HttpsUrl | null
  readonly twitter: HttpsUrl | null
  readonly telegram: HttpsUrl | null
  readonly discord: HttpsUrl | null
}

/** State of one request for a listing. */
export interface ListingRequestAnswer extends Envelope {
  readonly request: RequestRow
}

/** A request for a listing. Needs one of `website`, `explorer_url` and `contracts`. Members that are not named here are not stored, and the answer names them. */
export interface ListingRequestBody {
  readonly request_type?: ('new' | 'update' | 'delist') | undefined
  readonly name: string
  readonly symbol: string
  readonly slug?: Slug | undefined
  readonly asset_type?: ('coin' | 'token') | undefined
  readonly website?: HttpsUrl | undefined
  readonly explorer_url?: HttpsUrl | undefined
  readonly contracts?: readonly ListingRequestBodyContract[] | undefined
  /** Never published; deleted 30 days after the end. */
  readonly contact_email?: string | undefined
  /** Who asks: a member of the team, a holder, a venue. */
  readonly requester_role?: string | undefined
  /** Where it is traded. */
  readonly markets?: readonly HttpsUrl[] | undefined
  readonly logo_url?: HttpsUrl | undefined
  readonly whitepaper_url?: HttpsUrl | undefined
  readonly source_code_url?: HttpsUrl | undefined
  readonly twitter?: HttpsUrl | undefined
  readonly telegram?: HttpsUrl | undefined
  readonly discord?: HttpsUrl | undefined
  readonly description?: string | undefined
  /** For the reviewer. Never published; deleted 30 days after the end. */
  readonly note?: string | undefined
}
export interface ListingRequestBodyContract {
  readonly chain: string
  readonly address: string
}

/** State of the requests for a listing. Names are shown once a reviewer has opened the request. */
export interface ListingRequestsAnswer extends Envelope {
  /** `full`: no new requests are taken until some are decided; a POST is answered 503. */
  readonly state: 'open' | 'full'
  /** Requests by state. */
  readonly counts: {
    readonly pending: Count
    readonly in_review: Count
    readonly needs_info: Count
    readonly approved: Count
    readonly listed: Count
    readonly rejected: Count
    readonly duplicate: Count
    readonly withdrawn: Count
    readonly expired: Count
  }
  /** Since when the oldest waits; null: none does. */
  readonly oldest_pending_at: Timestamp | null
  readonly count: Count
  /** The newest 1000; any other is found by its `request_id`. */
  readonly rows: readonly RequestRow[]
}

/** `preview`: no market yet. `inactive`: no fresh market. `delisted`: the last document stays. */
export type ListingStatus = 'active' | 'preview' | 'inactive' | 'delisted'

/** Listings by largest loss of 24 hours, largest first; thin, stale and flagged markets left out. */
export interface LosersAnswer extends Envelope {
  /** Rows in this response. */
  readonly count: Count
  /** Listings in the whole feed. */
  readonly total: Count
  readonly rows: readonly AssetRow[]
}

/** `split`: the witnesses disagree and none of their opinions has a majority. `venues_split`: the venues do, and the aggregators decided. `aggregators_disagree`: every aggregator tells another price than the venues. `match_disputed`: so it is, and only the venues themselves say that their markets are of this asset. `below_quorum`: fewer venues than the quorum. `single_witness`: one source alone. */
export type LowConfidenceReason =
  'split' | 'venues_split' | 'aggregators_disagree' | 'match_disputed' | 'below_quorum' | 'single_witness'

/** Every document of the tree with its size and SHA-256; those of manifest and collector are in the index. */
export interface ManifestAnswer extends Envelope {
  /** Digest of all rows: the same for equal data. */
  readonly rowsDigest: string
  /** SHA-256 of the manifest before this one: a chain back to the first. */
  readonly previous: string | null
  /** SHA-256 of what the sources said to the run that wrote this. */
  readonly inputs: string
  /** Commit of the program that wrote this, where that is known. */
  readonly commit: string | null
  readonly count: Count
  readonly rows: readonly ManifestRow[]
}

/** One file of the tree. */
export interface ManifestRow {
  /** Below the root of the tree. */
  readonly path: string
  readonly bytes: Count
  readonly sha256: string
  /** The run that last changed it. */
  readonly timestamp: Timestamp
}

/** One pair of one venue. Unknown is null. */
export interface Market {
  readonly exchange_id: string
  readonly exchange_name: string
  /** `cex`: kept by a company. `dex`: kept by contracts on a chain. */
  readonly exchange_type: 'cex' | 'dex'
  /** Base and quote in common symbols: `BTC/USDT`. */
  readonly pair: string
  readonly base_symbol: string
  readonly quote_symbol: string
  /** The last trade held within the book, in the quote currency. */
  readonly price: Price | null
  /** By the reference rates in `collector`. */
  readonly price_usd: Price | null
  /** Best offer to buy, in the quote currency. */
  readonly bid: Price | null
  /** Best offer to sell, in the quote currency. */
  readonly ask: Price | null
  /** (ask - bid) / mid x 100; null when a side is missing or crossed. */
  readonly spread_percent: Percent | null
  /** In units of the base. */
  readonly volume_24h_base: Amount | null
  readonly volume_24h_usd: Amount | null
  readonly quality: Quality
  /** 0 to 100. */
  readonly quality_score: number
  /** What lowered the score. */
  readonly quality_reasons: readonly string[]
  /** Its last trade is too long ago; how long is in `collector`. */
  readonly is_stale: boolean
  /** Its price disagrees with the other venues. */
  readonly is_outlier: boolean
  /** Whether the published price is made of it too. */
  readonly used_in_price: boolean
  /** Share in the published price; null when not used. */
  readonly weight: number | null
  readonly trade_url: HttpsUrl | null
  readonly explorer_url: HttpsUrl | null
  /** Of the pool; null on a venue without contracts. */
  readonly contract_address: string | null
  readonly chain: string | null
  readonly liquidity_usd: Amount | null
  /** Null where the venue gives no time of the last trade. */
  readonly last_traded_at: Timestamp | null
  /** Time of these values, not of the run. */
  readonly collected_at: Timestamp
  readonly source_label: string
  /** The last trade as the venue tells it, in the quote currency. */
  readonly last_price: Price | null
  /** US dollars for one unit of the quote currency when the row was collected: `price_usd` and `volume_24h_usd` are `price` and `volume_24h_quote` times this. Null: unknown, or a pool, whose source tells dollars. */
  readonly quote_usd: Price | null
  /** In units of the quote, 8 significant digits; computed from the base where the venue tells no other. */
  readonly volume_24h_quote: number | null
  /** Since when price, book and volume are the same to the last digit; null: unknown. */
  readonly unchanged_since: Timestamp | null
  readonly matched_by: MatchEvidence | null
  /** When it was found to be a market of this asset. */
  readonly matched_at: Timestamp | null
}

/** Why the figures of a listing are shown and not ranked. `no_volume`: nobody knows of any trade. `low_turnover`: its volume is below the floor that its market cap asks for. `one_witness`: one source alone knows it. */
export type MarketFlag = 'no_volume' | 'low_turnover' | 'one_witness'

/** The full feed: every listing with its changes, supplies, all-time high, tags and contracts. */
export interface MarketsAnswer extends Envelope {
  /** Rows in this response. */
  readonly count: Count
  /** Listings in the whole feed. */
  readonly total: Count
  readonly rows: readonly MarketsRow[]
}

/** One listing of the full feed. Unknown is null. */
export interface MarketsRow {
  /** Same value as `slug`. */
  readonly asset_id: Slug
  readonly slug: Slug
  /** Ticker; several assets may share one. */
  readonly symbol: string
  readonly name: string
  readonly verification_status: VerificationStatus
  /** Label of the source whose facts the row shows. */
  readonly source_label: string
  /** Its page, below the root of the site. */
  readonly token_page: string
  /** 1 is the largest; null: unranked. */
  readonly market_cap_rank: number | null
  /** US dollars for one unit; null: unknown. */
  readonly price_usd: Price | null
  /** Change of the price in 24 hours, in percent. */
  readonly percent_change_24h: Percent | null
  /** Price times circulating supply, or what a source says. */
  readonly market_cap_usd: Amount | null
  /** Traded in the last 24 hours, in US dollars. */
  readonly volume_24h_usd: Amount | null
  /** Coins in circulation. */
  readonly circulating_supply: Amount | null
  /** Exchanges with a market of this asset in the feed. */
  readonly exchange_count: Count
  /** 0 to 1; the formula is in `collector`. */
  readonly price_confidence: number | null
  readonly listing_status: ListingStatus
  /** Time of the price, not of the run. */
  readonly last_updated: Timestamp | null
  /** Change of the price in 1 hour, in percent. */
  readonly percent_change_1h: Percent | null
  /** Change of the price in 7 days, in percent. */
  readonly percent_change_7d: Percent | null
  /** Highest price of the last 24 hours. */
  readonly high_24h_usd: Price | null
  /** Lowest price of the last 24 hours. */
  readonly low_24h_usd: Price | null
  /** Price times maximum or else total supply, or what a source says. */
  readonly fully_diluted_valuation_usd: Amount | null
  /** Coins that exist, in circulation or not. */
  readonly total_supply: Amount | null
  /** Most coins there can ever be; null: unknown, or there is no limit. */
  readonly max_supply: Amount | null
  /** All-time high. */
  readonly ath_usd: Price | null
  /** When the all-time high was reached. */
  readonly ath_date: Timestamp | null
  /** Categories, as the sources call them. */
  readonly tags: readonly string[]
  readonly logo_url: HttpsUrl | null
  /** Where the asset is a token, chain by chain; empty: a coin, or unknown. */
  readonly contracts: readonly TokenContract[]
  /** Members that no source told in this run, with the time they were last true; null where there is none. */
  readonly carried: {
    readonly [k: string]: Timestamp
  } | null
  readonly market_flag: MarketFlag | null
}

/** How the market was found to be one of this asset. `registry`: reviewed. `contract`, `name`: by the venue’s own list of currencies. `price`: its price agreed with the consensus of all witnesses. `venues`: several venues agreed with each other, against the aggregator. */
export type MatchEvidence = 'registry' | 'contract' | 'name' | 'price' | 'venues'

/** In percent, 4 decimals: 2.5 is 2.5 %. */
export type Percent = number

/** One bucket of the grid. A bucket without data is left out. */
export interface Point {
  /** Start of the bucket. */
  readonly timestamp: Timestamp
  /** The last price seen in the bucket. */
  readonly price_usd: Price
  /** Rolling 24h volume of all markets as we saw it then; null: unknown, as in every backfilled row. */
  readonly volume_24h_usd: Amount | null
}

/** Price of one unit, in US dollars unless told: 8 significant digits. Never 0: that is an unknown price. */
export type Price = number

/** Enough to compute the published price again: the mean of the middle fifth of the weight, `sources` in order of price. `excluded` names what was left out, and why. */
export interface PriceBasis {
  readonly method: PriceMethod
  readonly sources: readonly PriceBasisSource[]
  readonly excluded: readonly PriceBasisExcluded[]
  /** Null: nothing speaks against it. */
  readonly low_confidence_reason: LowConfidenceReason | null
  /** How far the price would move, in hundredths of a percent, if its most influential witness lied by 5 % with endless volume; null: unknown. */
  readonly fragility_bp: number | null
}
export interface PriceBasisSource {
  readonly source_id: string
  readonly pair: string
  readonly price_usd: Price
  /** Share in the price. */
  readonly weight: number
}
export interface PriceBasisExcluded {
  readonly source_id: string
  readonly pair: string
  readonly reason: string
  /** What an aggregator said; null for a market, which has a row. */
  readonly price_usd: Price | null
}

/** What the price is made of; the rules and their numbers are in `collector`. */
export type PriceMethod = 'exchanges' | 'aggregators' | 'exchanges_below_quorum' | 'dex' | 'carried' | 'none'

/** Why a request was not answered. */
export interface Problem {
  readonly code: ErrorCode
  /** For a person; may change. */
  readonly message: string
  /** The HTTP status, for a reader that no longer has it. */
  readonly status: number
  /** The parameter at fault; null: none is. */
  readonly parameter: string | null
  /** What would be taken in its place: the values, or a text that says which. */
  readonly allowed: (string | readonly (string | number)[]) | null
  /** With `invalid_request`: everything that is wrong with the body. */
  readonly issues?: readonly ProblemIssue[] | undefined
}
export interface ProblemIssue {
  readonly path: string
  readonly message: string
}

/** How far a market can be relied on; the rules are in `collector`. */
export type Quality = 'high' | 'medium' | 'low' | 'unknown'

/** Values that were offered and are not believed yet, with what is published meanwhile and until when. */
export interface QuarantineAnswer extends Envelope {
  /** Rows in this response. */
  readonly count: Count
  readonly rows: readonly QuarantineRow[]
}

/** A value that was offered and is not believed yet; the one before stands. */
export interface QuarantineRow {
  readonly slug: Slug
  readonly field: 'price_usd'
  /** What is published meanwhile. */
  readonly held_value: Price
  /** What was offered first. */
  readonly offered_value: Price
  readonly rule: 'price_jump'
  /** When it was first offered. */
  readonly since: Timestamp
  /** When the offered value is published, if it is still offered and nothing confirmed it. */
  readonly releases_at: Timestamp
}

/** What was taken of a request, and where to ask what became of it. */
export interface Receipt {
  readonly request_id: string
  readonly status: RequestStatus
  readonly submitted_at: Timestamp
  /** Path below the root of the host that says what became of it. */
  readonly status_endpoint: string
  /** `request_id` of an open request for the same asset; null: none. */
  readonly duplicate_of: string | null
  /** Members of the body that were not understood and not stored. */
  readonly ignored: readonly string[]
  /** What a reviewer will look at, such as a likeness to a verified name. */
  readonly warnings: readonly string[]
}

/** US dollars for one unit of a currency that markets are quoted in, as measured in the run. */
export interface ReferenceRate {
  readonly symbol: string
  readonly price_usd: Price
  readonly method: 'definition' | 'exchanges' | 'crosses' | 'aggregators' | 'carried'
  /** How many venues it is measured at. */
  readonly quotes: Count
  readonly as_of: Timestamp
  /** What it is made of: the rate is the mean of the middle fifth of the weight. */
  readonly inputs: readonly ReferenceRateInput[]
}
export interface ReferenceRateInput {
  /** A venue, an aggregator, a central bank, or `previous`: the last rate. */
  readonly source_id: string
  /** With the currency on either side; the other side is converted by its own rate. */
  readonly pair: string
  readonly price: Price
  /** Null: not a venue. */
  readonly volume_24h_usd: Amount | null
  readonly weight: number
}

/** A request as anyone may see it. `name` and `symbol` are null until a reviewer has opened it. */
export interface RequestRow {
  readonly request_id: string
  readonly request_type: 'new' | 'update' | 'delist'
  readonly symbol: string | null
  readonly name: string | null
  readonly status: RequestStatus
  readonly submitted_at: Timestamp
  readonly updated_at: Timestamp
  /** Why it was decided so; null until it is. */
  readonly reason_code: string | null
  /** The same in words. */
  readonly reason: string | null
}

/** pending -> in_review -> approved -> listed; in_review <-> needs_info; the others end a request. */
export type RequestStatus =
  'pending' | 'in_review' | 'needs_info' | 'approved' | 'listed' | 'rejected' | 'duplicate' | 'withdrawn' | 'expired'

/** What the terms of each source allow, with the attribution it asks for. Information, not legal advice. */
export interface RightsAnswer extends Envelope {
  /** Class of the feed as a whole: the narrowest of its sources. */
  readonly narrowest: RightsClass
  /** How the rights of a value follow from its sources. */
  readonly rule: string
  readonly count: Count
  readonly rows: readonly RightsRow[]
}

/** What the terms of a source allow to be done with what it says. `open`: anything. `attribution`: anything, if the source is named. `non_commercial`: no commercial use. `no_redistribution`: no republication. `unknown`: the terms could not be read, which is no permission. */
export type RightsClass = 'open' | 'attribution' | 'non_commercial' | 'unknown' | 'no_redistribution'

/** What one source allows. Information, not legal advice. */
export interface RightsRow {
  readonly source_id: string
  readonly source_label: string
  readonly class: RightsClass
  /** Where the terms stand; null for data of our own. */
  readonly terms_url: HttpsUrl | null
  /** Day on which the terms were read; null: not read. */
  readonly read_on: string | null
  /** The line and link that the source asks for; null: none. */
  readonly attribution: {
    readonly text: string
    readonly url: HttpsUrl
  } | null
}

/** Stable name of an asset in addresses. */
export type Slug = string

/** What is wrong with a source. */
export type SourceErrorCode =
  'source_unreachable' | 'source_timeout' | 'source_rate_limited' | 'source_invalid' | 'source_stale' | 'quorum_not_met'

/** The listing of an id at a source. Hosts of files alone have the document of the source. */
export interface SourceIdAnswer extends Envelope {
  /** Whether more than one listing answers: then a name alone does not tell which. */
  readonly ambiguous: boolean
  /** Rows in this response. */
  readonly count: Count
  readonly rows: readonly SourceIdRow[]
}

/** A listing by its id at a source. */
export interface SourceIdRow {
  /** Id of the asset at the source. */
  readonly id: string
  readonly slug: Slug
  readonly symbol: string
  readonly name: string
  readonly verification_status: VerificationStatus
  readonly listing_status: ListingStatus
}

/** Which listing each id of a source is, by id. */
export interface SourceIdsAnswer extends Envelope {
  readonly source_id: string
  /** Rows in this response. */
  readonly count: Count
  readonly rows: readonly SourceIdRow[]
}

/** What the terms of one source allow, as far as they could be read. */
export interface SourceRights {
  readonly class: RightsClass
  /** Where the terms stand; null for data of our own. */
  readonly terms_url: HttpsUrl | null
  /** Day on which the terms were read; null: not read. */
  readonly read_on: string | null
  /** The line and link that the source asks for; null: none. */
  readonly attribution: {
    readonly text: string
    readonly url: HttpsUrl
  } | null
}

/** Health of one source. The counts of the rows of an exchange add up to `row_count`. */
export interface SourceRow {
  readonly source_id: string
  readonly source_label: string
  readonly source_type: 'aggregator' | 'exchange' | 'dex' | 'registry'
  readonly status: SourceStatus
  /** When it was last asked. */
  readonly last_attempt: Timestamp | null
  /** When it last answered; null: never. */
  readonly last_success: Timestamp | null
  readonly consecutive_failures: Count
  /** First of the consecutive failures. */
  readonly failing_since: Timestamp | null
  /** Listings it knows. */
  readonly asset_count: Count
  /** Markets it supplies to the feed. */
  readonly market_count: Count
  /** Rows left out by themselves: unreadable, or no spot market. The reasons follow. */
  readonly quarantined_count: Count
  /** What went wrong last; null: nothing. */
  readonly error: {
    readonly code: SourceErrorCode
    readonly message: string
  } | null
  /** Its terms of use. */
  readonly terms_url: string | null
  /** What its terms allow; `rights` has the rule. */
  readonly rights: SourceRights
  /** Countries whose addresses it is known to refuse (ISO 3166-1). */
  readonly unavailable_from: readonly string[]
  /** Rows it sent in the last run. */
  readonly row_count: Count
  /** Of these, rows that stand in the feed. */
  readonly used_count: Count
  /** Of these, rows of no asset in the feed. */
  readonly unmatched_count: Count
  /** Of these, markets without a price or a trade. */
  readonly dead_count: Count
  /** Its typical price over that of the others, where it is not believed in this run; null: it is. */
  readonly price_factor: number | null
  /** Markets in the feed whose price disagrees with the other venues. */
  readonly outlier_count: Count
  readonly quarantine_reasons: readonly SourceRowQuarantineReason[]
}
export interface SourceRowQuarantineReason {
  readonly reason: string
  readonly count: Count
}

/** `ok`: what is needed answered. `degraded`: less than that, the rules still met. `stale`: last good data carried over. `down`: nothing usable. */
export type SourceStatus = 'ok' | 'degraded' | 'stale' | 'down'

/** What is wrong with the sources of a document. */
export interface SourceTrouble {
  readonly code: SourceErrorCode
  /** For a person; may change. */
  readonly message: string
  /** `source_id` of each source concerned. */
  readonly sources: readonly string[]
  /** Since when it has been so without a break. */
  readonly since: Timestamp
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
  readonly count: Count
  readonly rows: readonly SymbolRow[]
}

/** A listing by its symbol. */
export interface SymbolRow {
  readonly slug: Slug
  readonly symbol: string
  readonly name: string
  readonly verification_status: VerificationStatus
  readonly listing_status: ListingStatus
  readonly contracts: readonly SymbolRowContract[]
}
export interface SymbolRowContract {
  /** Our name of the chain, as in the registry. */
  readonly chain: string
  /** Of the token on this chain. */
  readonly address: string
}

/** ISO 8601, UTC, whole seconds. */
export type Timestamp = string

/** The TNK, TAP, DMT-NAT and BX ecosystem, and how much of its registry is verified. */
export interface TnkAnswer extends Envelope {
  /** Assets of the ecosystem in the registry, by state. */
  readonly registry: {
    readonly assets: Count
    readonly verified: Count
    readonly unverified: Count
    readonly pending: Count
    readonly flagged: Count
    readonly with_price: Count
  }
  /** Rows in this response. */
  readonly count: Count
  /** Listings in the whole feed. */
  readonly total: Count
  readonly rows: readonly EcosystemRow[]
}

export interface TokenContract {
  /** Our name of the chain, as in the registry. */
  readonly chain: string
  /** EIP-155 chain id; null where the chain has none. */
  readonly chain_id: number | null
  /** Of the token on this chain. */
  readonly address: string
  /** Decimals of the token on this chain. */
  readonly decimals: number | null
  /** Standard of the token, such as `erc20`. */
  readonly standard: string | null
  readonly explorer_url: HttpsUrl | null
}

/** Verified and ranked listings by market cap, largest first. */
export interface TrendingAnswer extends Envelope {
  /** Rows in this response. */
  readonly count: Count
  /** Listings in the whole feed. */
  readonly total: Count
  readonly rows: readonly AssetRow[]
}

/** How far one lying or missing witness can move each price, by asset and over all, and how far aggregators are off. */
export interface ValidationAnswer extends Envelope {
  /** Moves of the price under the worst lie of one witness. */
  readonly lies: readonly ValidationAnswerLie[]
  /** Moves of the price without the witness that matters most. */
  readonly leftOut: {
    readonly assets: Count
    readonly moves_bp: Distribution | null
  }
  /** How far each aggregator is from the prices that venues made. */
  readonly aggregators: readonly ValidationAnswerAggregator[]
  /** What the prices of the feed are made of. */
  readonly methods: readonly ValidationAnswerMethod[]
  /** Rows in this response. */
  readonly count: Count
  readonly rows: readonly ValidationRow[]
}
export interface ValidationAnswerLie {
  /** How far the witness lies, upwards or downwards. */
  readonly lie_percent: Percent
  /** Assets with at least this many witnesses. */
  readonly witnesses_least: Count
  readonly assets: Count
  /** Null: no such asset. */
  readonly moves_bp: Distribution | null
}
export interface ValidationAnswerAggregator {
  readonly source_id: string
  /** Assets that it prices and venues price too. */
  readonly assets: Count
  readonly median_bp: BasisPoints | null
  readonly p95_bp: BasisPoints | null
  readonly most_bp: BasisPoints | null
  /** The asset of `most_bp`. */
  readonly furthest: Slug | null
}
export interface ValidationAnswerMethod {
  readonly method: PriceMethod
  readonly listings: Count
  readonly volume_24h_usd: Amount
  /** Share of the volume of all listings. */
  readonly volume_percent: Percent
}

/** How far single witnesses can move the price of one asset. */
export interface ValidationRow {
  readonly slug: Slug
  readonly method: PriceMethod
  /** Venues and aggregators with an opinion on the price. */
  readonly witnesses: Count
  /** How far the price moves at most when one witness lies by 2 % with endless volume. */
  readonly lie_2_bp: BasisPoints
  /** The same for a lie of 5 %: `price_basis.fragility_bp`. */
  readonly lie_5_bp: BasisPoints
  /** The same for a lie of 30 %. */
  readonly lie_30_bp: BasisPoints
  /** How far it moves at most when one witness is left out; null: no other. */
  readonly left_out_bp: BasisPoints | null
  /** `source_id` of that witness. */
  readonly left_out: string | null
}

/** `verified`: identity and contracts confirmed by the registry or by two independent sources. `pending`: under review. `flagged`: contract mismatch, impersonation or market anomaly. */
export type VerificationStatus = 'verified' | 'unverified' | 'pending' | 'flagged'
