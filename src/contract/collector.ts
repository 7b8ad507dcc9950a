import * as z from 'zod'
import { Count, Percent, Price, SourceErrorCode, SourceStatus, SourceType, Timestamp } from './words.ts'

/** Health of one source. The counts of an exchange's rows add up to `row_count`. */
export const SourceRow = z
  .object({
    source_id: z.string(),
    source_label: z.string(),
    source_type: SourceType,
    status: SourceStatus,
    last_attempt: Timestamp.nullable(),
    last_success: Timestamp.nullable(),
    consecutive_failures: Count,
    failing_since: Timestamp.nullable().describe('First of the consecutive failures.'),
    asset_count: Count.describe('Listings it knows.'),
    market_count: Count.describe('Markets it supplies to the feed.'),
    quarantined_count: Count.describe(
      'Rows left out by themselves: unreadable, or no spot market. The reasons follow.',
    ),
    error: z.object({ code: SourceErrorCode, message: z.string() }).nullable(),
    terms_url: z.string().nullable(),
    row_count: Count.describe('Rows it sent in the last run.'),
    used_count: Count.describe('Of these, rows that stand in the feed.'),
    unmatched_count: Count.describe('Of these, rows of no asset in the feed.'),
    dead_count: Count.describe('Of these, markets without a price or a trade.'),
    outlier_count: Count.describe('Markets in the feed whose price disagrees with the other venues.'),
    quarantine_reasons: z.array(z.object({ reason: z.string(), count: Count })),
  })
  .meta({ id: 'SourceRow' })
export type SourceRow = z.infer<typeof SourceRow>

/** US dollars for one unit of a currency that markets are quoted in, as measured in the run. */
export const ReferenceRate = z
  .object({
    symbol: z.string(),
    price_usd: Price,
    method: z.enum(['definition', 'exchanges', 'crosses', 'aggregators', 'carried']),
    quotes: Count.describe('How many quotes it is the median of.'),
    as_of: Timestamp,
  })
  .meta({ id: 'ReferenceRate' })
export type ReferenceRate = z.infer<typeof ReferenceRate>

export const CollectorMembers = {
  coverage: z.object({
    listings: Count,
    priced: Count,
    priced_percent: Percent,
    with_two_sources: Count,
    with_history: Count,
  }),
  freshness: z.object({
    collectedAt: Timestamp,
    oldestValueAt: Timestamp.nullable(),
    staleAfter: Timestamp,
    carriedForward: Count,
  }),
  referenceRates: z.array(ReferenceRate),
  methodology: z
    .object({
      version: z.string(),
      rules: z.record(z.string(), z.record(z.string(), z.union([z.string(), z.number()]))),
    })
    .describe('Every rule in words, with every number it uses.'),
} as const
export type Methodology = z.infer<(typeof CollectorMembers)['methodology']>
