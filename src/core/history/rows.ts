import * as z from 'zod'
import type { ChangeEvent } from '../contract/changes.ts'
import { CollectorMembers, RunDay } from '../contract/collector.ts'
import { DailySource } from '../contract/daily.ts'
import { EcosystemRow } from '../contract/ecosystem.ts'
import { GridInterval } from '../contract/history.ts'
import { NO_REQUESTS } from '../contract/listing-request.ts'
import type { ManifestRow } from '../contract/manifest.ts'
import type { StockRow } from '../contract/market.ts'
import type { PegRow } from '../contract/pegs.ts'
import type { RatesOfSource } from '../contract/rates.ts'
import { RightsClass } from '../contract/rights.ts'
import type { TotalsRow } from '../contract/whole-market.ts'
import { Count, SiteAddress, Slug, Timestamp } from '../contract/words.ts'
import { NOTHING_BEFORE, type Previous } from '../feed/listing.ts'
import type { ListingPast } from './past.ts'

/** The publisher, as documents and pages show it. */
export const SiteRow = z.object({
  product: z.string(),
  ecosystem: z.object({ name: z.string(), title: z.string() }),
  /** Reviewed assets of the ecosystem, in order. */
  members: z.array(z.object({ slug: Slug, ...EcosystemRow.pick({ role: true, protocol: true }).shape })),
  address: SiteAddress.nullable().describe('Address of the site; null: not known.'),
  brand: z.object({
    logo: z.object({ path: z.string(), text: z.string() }).nullable(),
    colours: z.record(z.string(), z.union([z.string(), z.object({ light: z.string(), dark: z.string() })]).optional()),
    currencies: z.array(z.string()).nullable(),
  }),
  /** Whether the publisher names its listings: then pages and files of single listings are left out. */
  names: z.boolean(),
  pages: z.boolean().describe('Whether the tree has pages.'),
  program: z.string().describe('Version of the program that wrote the tree.'),
})
export type SiteRow = z.infer<typeof SiteRow>

/** The last published run. */
export const RunRow = z.object({
  at: Timestamp,
  next_at: Timestamp.describe('When the run after it is due.'),
  cadence_ms: z.int().positive(),
  label: z.string().describe('Kind of data.'),
  latest: Timestamp.describe('The latest time of any run, which the windows of the past end at.'),
  methodology: CollectorMembers.methodology,
  inputs: z.string().describe('SHA-256 of the source data.'),
  token_list: z
    .object({ major: Count, minor: Count, patch: Count, timestamp: Timestamp })
    .describe('Version of the token list, and when its tokens last changed.'),
  commit: z.string().nullable().describe('Commit of the program; null: unknown.'),
})
export type RunRow = z.infer<typeof RunRow>

/** One day of runs: how many there were, and the half hours of the closes, which no run counts on a day that was over. */
export const RunsRow = z.object({
  ...RunDay.shape,
  half_hours: Count.describe('Half hours in which a run published; 0: none did.'),
  as_of: Timestamp.nullable().describe('Start of the newest of them; null: there is none.'),
})
export type RunsRow = z.infer<typeof RunsRow>

/** What is known of the past of a listing besides its values: see {@link ListingPast}. */
export const ListingPastRow = z.object({
  slug: Slug,
  labels: z.array(z.string()),
  asked: z.array(DailySource),
  bars: z.array(z.object({ interval: GridInterval, sources: z.array(z.string()), rights: z.array(RightsClass) })),
})

/**
 * Everything that is known: the only state. A run reads it once, makes the next one of it, and writes that once; every
 * published document is a view of it.
 */
export interface Rows extends Previous {
  /** The publisher, and the program that wrote this; null before the first publication. */
  readonly site: SiteRow | null
  /** The last published run; null before the first. */
  readonly run: RunRow | null
  /** Runs by day, oldest first. */
  readonly runs: ReadonlyMap<string, RunsRow>
  /** Stablecoins by slug, largest first. */
  readonly pegs: ReadonlyMap<string, PegRow>
  readonly stocks: readonly StockRow[]
  readonly past: ReadonlyMap<string, ListingPast>
  /** The rates of past days by year, in order. A rate that is published never changes. */
  readonly pastRates: ReadonlyMap<string, readonly RatesOfSource[]>
  /** The totals of the market, of each category and of each chain by day, oldest first. */
  readonly totals: ReadonlyMap<string, readonly TotalsRow[]>
  /** Events by day, newest first, and the newest day first. */
  readonly events: ReadonlyMap<string, readonly ChangeEvent[]>
  readonly requests: typeof NO_REQUESTS
  /** Every published file, by its path. */
  readonly documents: ReadonlyMap<string, ManifestRow>
}

/** The rows before the first publication. */
export const NO_ROWS: Rows = {
  ...NOTHING_BEFORE,
  site: null,
  run: null,
  runs: new Map(),
  pegs: new Map(),
  stocks: [],
  past: new Map(),
  pastRates: new Map(),
  totals: new Map(),
  events: new Map(),
  requests: NO_REQUESTS,
  documents: new Map(),
}
