import * as z from 'zod'
import { Links } from './asset.ts'
import { DAY_MS } from './time.ts'
import { Days, GridInterval } from './history.ts'
import { RightsClass } from './rights.ts'
import { Count, HttpsUrl, Instant, SourceErrorCode, line } from './words.ts'

/**
 * The observation bundle: what some sources said in one collection, as a compressed file of one JSON value a line. The
 * first line is the {@link BundleHeader}, each other line an {@link ObservationRow}, sorted by source, kind and row. The
 * name of the file ends in the SHA-256 of its bytes, and equal answers give equal bytes.
 */
export const BUNDLE_FORMAT = 'quotetree-observations'

export const BUNDLE_VERSION = 1

// As wide as what the sources accept from the network, see src/core/sources/wire.ts.
const LARGEST = 1e30
const Figure = z.number().min(-LARGEST).max(LARGEST).nullable()
const Unsigned = z.number().min(0).max(LARGEST).nullable()
const Price = z.number().min(1e-30).max(LARGEST).nullable()
const Id = line(200)
const Link = HttpsUrl.nullable()

/** A token contract as listed by a source. `platform` is the source's name of the chain. */
const Contract = z.object({ platform: line(200), address: line(200), decimals: z.int().min(0).max(255).nullable() })
/** As long as the contract lets a symbol be. */
const SymbolText = line(64)
const Token = z.object({ address: line(200), symbol: SymbolText })

const sourced = { source_id: z.string().regex(/^[a-z0-9-]{1,64}$/) }

/** One asset as listed by a source. Money in US dollars, changes in percent, times in ms since 1970. */
const SightingRow = z.object({
  ...sourced,
  kind: z.literal('sighting'),
  id: Id,
  /** Texts to derive a slug from, best first. If empty, the id is used. */
  slugs: z.array(line(200)).max(8),
  symbol: SymbolText,
  name: line(200),
  rank: z.int().positive().nullable(),
  contracts: z.array(Contract).max(200),
  price_usd: Price,
  percent_change_1h: Figure,
  percent_change_24h: Figure,
  percent_change_7d: Figure,
  high_24h_usd: Price,
  low_24h_usd: Price,
  market_cap_usd: Unsigned,
  fully_diluted_valuation_usd: Unsigned,
  volume_24h_usd: Unsigned,
  circulating_supply: Unsigned,
  total_supply: Unsigned,
  max_supply: Unsigned,
  ath_usd: Price,
  ath_at: Instant.nullable(),
  at: Instant.nullable(),
})

const ProfileRow = z.object({
  ...sourced,
  kind: z.literal('profile'),
  id: Id,
  asset_type: z.enum(['coin', 'token']).nullable(),
  description: z.string().max(4000).nullable(),
  tags: z.array(line(80)).max(200),
  links: Links,
  explorers: z.array(HttpsUrl).max(200),
  contracts: z.array(Contract).max(200),
})

const QuoteRow = z.object({
  ...sourced,
  kind: z.literal('quote'),
  /** The venue's name of the pair, by which candles are requested. */
  market: line(200),
  /** Symbols in their common spelling: BTC, even if the venue uses XBT. */
  base: SymbolText.toUpperCase(),
  quote: SymbolText.toUpperCase(),
  last: Price,
  bid: Price,
  ask: Price,
  volume_24h_base: Unsigned,
  volume_24h_quote: Unsigned,
  percent_change_24h: Figure,
  at: Instant.nullable(),
  traded_at: Instant.exactOptional(),
  trade_url: Link,
  /** Set where the venue marks the base as the share of a company. */
  stock: z.literal(true).exactOptional(),
})

const PoolRow = z.object({
  ...sourced,
  kind: z.literal('pool'),
  dex_id: line(200),
  dex_name: line(200),
  platform: line(200),
  pool_address: line(200),
  base: Token,
  quote: Token,
  price_native: Price,
  price_usd: Price,
  percent_change_24h: Figure,
  volume_24h_usd: Unsigned,
  liquidity_usd: Unsigned,
  transactions_24h: Unsigned,
  created_at: Instant.nullable(),
  url: Link,
})

/**
 * The value of a currency or a token in US dollars, from a source that lists nothing of its own: a central bank, or a
 * service that prices contracts. `platform` is the source's name of the chain.
 */
const ReferenceRow = z.object({
  ...sourced,
  kind: z.literal('reference'),
  of: z.union([z.object({ currency: SymbolText }), z.object({ platform: line(200), address: line(200) })]),
  price_usd: z.number().min(1e-30).max(LARGEST),
  at: Instant,
})

/** Maximum number of rows of one source in one run. The longest known list has 20,000. */
export const MOST_ROWS = 100_000
const leftOut = { ...sourced, reason: z.string().min(1).max(200), count: z.int().positive().max(MOST_ROWS) }

const SkippedRow = z.object({ ...leftOut, kind: z.literal('skipped') })

const RejectedRow = z.object({ ...leftOut, kind: z.literal('rejected') })

export const CurrencyRow = z.object({
  ...sourced,
  kind: z.literal('currency'),
  /** As in the venue's quotes, in upper case. */
  symbol: line(200),
  /** The full name; null if the list has none, or only the symbol again. */
  name: line(400).nullable(),
  /** Empty for the native coin of a chain, and if the list has none. */
  contracts: z.array(Contract).max(500),
})

const optional = z.number().nullable().exactOptional()

/** `[start in ms, close, volume in base, volume in quote, open, high, low]`; the last three may be left out. */
export const PastBar = z.tuple([
  Instant,
  z.number(),
  z.number().nullable(),
  z.number().nullable(),
  optional,
  optional,
  optional,
])
export type PastBar = z.infer<typeof PastBar>

export const PastRow = z.object({
  ...sourced,
  kind: z.literal('past'),
  slug: z.string().max(64),
  days: Days.or(z.literal('all')).describe('Range of the series; `all`: the daily bars since the listing.'),
  interval: GridInterval,
  market: Id,
  quote: line(80),
  asked: z.tuple([Instant, Instant]).exactOptional().describe('First and last bar that were requested of `all`.'),
  bars: z.array(PastBar).max(20_000),
})

const DayRatesRow = z.object({
  ...sourced,
  kind: z.literal('day-rates'),
  day: z.iso.date(),
  rates_usd: z.record(z.string().regex(/^[A-Z0-9]{2,12}$/), z.number().min(1e-30).max(LARGEST)),
})
export type DayRatesRow = z.infer<typeof DayRatesRow>

export const ObservationRow = z.discriminatedUnion('kind', [
  SightingRow,
  ProfileRow,
  QuoteRow,
  PoolRow,
  ReferenceRow,
  SkippedRow,
  RejectedRow,
  CurrencyRow,
  PastRow,
  DayRatesRow,
])
export type ObservationRow = z.infer<typeof ObservationRow>
export type PastRow = z.infer<typeof PastRow>
export type CurrencyRow = z.infer<typeof CurrencyRow>
export type LeftOutRow = z.infer<typeof SkippedRow> | z.infer<typeof RejectedRow>

/** A value that is shared, so that nothing in it may be changed. */
export type Frozen<T> = T extends object ? { readonly [Name in keyof T]: Frozen<T[Name]> } : T
type Own<Row extends z.ZodType> = Frozen<Omit<z.infer<Row>, 'source_id'>>

export type ContractSighting = Frozen<z.infer<typeof Contract>>
export type Sighting = Own<typeof SightingRow>
export type Profile = Own<typeof ProfileRow>
export type Quote = Own<typeof QuoteRow>
export type Pool = Own<typeof PoolRow>
export type Reference = Own<typeof ReferenceRow>
export type ReportedCurrency = Omit<Own<typeof CurrencyRow>, 'kind'>

/** Several times what a first collection asks of one source. A bundle that claims more would use up its quota. */
const MOST_REQUESTS = 2000

export const BundleSource = z.object({
  ...sourced,
  rights: RightsClass,
  clock: Instant.describe('Time of its collection, in ms since 1970.'),
  listed: z.boolean().describe('Whether its lists were requested; false: past prices alone.'),
  error: z
    .object({ code: SourceErrorCode, message: z.string().max(600) })
    .nullable()
    .describe('Why the source gave nothing; null: it answered.'),
  requests: Count.max(MOST_REQUESTS).describe('Requests that count against its quota.'),
  pace: z.object({ requests: z.number().positive(), perSeconds: z.number().positive() }),
  rows: z.int().nonnegative().describe('Number of its lines.'),
  currencies: z.boolean().describe('Whether its list of currencies was requested and is among the rows.'),
  profiles_missing: z.array(Id).max(1000).describe('Profiles that were requested and not given.'),
})
export type BundleSource = z.infer<typeof BundleSource>

export const BundleHeader = z
  .object({
    format: z.literal(BUNDLE_FORMAT),
    version: z.literal(BUNDLE_VERSION),
    run: z.string().min(1).max(100).describe('Name of the run that the collection is part of.'),
    kind: z.enum(['live', 'sample']),
    commit: z.string().max(100).nullable().describe('Commit of the program that collected.'),
    clock: Instant.describe('Time of the collection, in ms since 1970.'),
    cadence_ms: z.int().positive().max(DAY_MS).describe('Time between runs.'),
    region: z.string().max(100).nullable().describe('Where it was collected; null: not stated.'),
    expected: z.array(z.string()).max(1000).describe('Ids of all sources of the run, those of other recordings too.'),
    sources: z.array(BundleSource).max(1000),
  })
  .refine(({ clock, sources }) => sources.every((source) => source.clock <= clock), {
    path: ['sources'],
    error: 'must not be collected after the clock of the recording',
  })
export type BundleHeader = z.infer<typeof BundleHeader>
