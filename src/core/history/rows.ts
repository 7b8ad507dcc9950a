import type * as z from 'zod'
import type { ChangeEvent } from '../contract/changes.ts'
import type { RequestsMembers } from '../contract/listing-request.ts'
import type { ManifestRow } from '../contract/manifest.ts'
import type { PegRow } from '../contract/pegs.ts'
import type { StockRow } from '../contract/market.ts'
import { NO_REQUESTS } from '../contract/listing-request.ts'
import { NOTHING_BEFORE, type Previous } from '../feed/listing.ts'
import type { ListingPast } from './past.ts'
import type { RateHistory } from './past-rates.ts'
import type { RunRow, RunsRow, SiteRow } from './row-schemas.ts'
import type { PastTotals } from './totals.ts'

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
  readonly pastRates: RateHistory
  readonly totals: PastTotals
  /** Events by day, newest first, and the newest day first. */
  readonly events: ReadonlyMap<string, readonly ChangeEvent[]>
  readonly requests: z.infer<z.ZodObject<typeof RequestsMembers>>
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
