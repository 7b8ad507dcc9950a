import * as z from 'zod'
import { SourceRights } from './rights.ts'
import { Amount, Count, Percent, Price, SourceErrorCode, SourceStatus, SourceType, Timestamp } from './words.ts'

export const SourceRow = z
  .object({
    source_id: z.string(),
    source_label: z.string(),
    source_type: SourceType,
    status: SourceStatus,
    last_attempt: Timestamp.nullable().describe('When it was last asked.'),
    last_success: Timestamp.nullable().describe('When it last answered; null: never.'),
    consecutive_failures: Count,
    failing_since: Timestamp.nullable().describe('First of the consecutive failures.'),
    asset_count: Count.describe('Listings it knows.'),
    market_count: Count.describe('Markets it supplies to the feed.'),
    quarantined_count: Count.describe(
      'Rows left out by themselves: unreadable, or no spot market. The reasons follow.',
    ),
    error: z
      .object({ code: SourceErrorCode, message: z.string() })
      .nullable()
      .describe('What went wrong last; null: nothing.'),
    terms_url: z.string().nullable().describe('Its terms of use.'),
    rights: SourceRights.describe('What its terms allow; `rights` has the rule.'),
    unavailable_from: z.array(z.string()).describe('Countries whose addresses it is known to refuse (ISO 3166-1).'),
    row_count: Count.describe('Rows it sent in the last run.'),
    used_count: Count.describe('Of these, rows that stand in the feed.'),
    unmatched_count: Count.describe('Of these, rows of no asset in the feed.'),
    dead_count: Count.describe('Of these, markets without a price or a trade.'),
    price_factor: z
      .number()
      .nullable()
      .default(null)
      .describe('Its typical price over that of the others, where it is not believed in this run; null: it is.'),
    outlier_count: Count.describe('Markets in the feed whose price disagrees with the other venues.'),
    quarantine_reasons: z.array(z.object({ reason: z.string(), count: Count })),
  })
  .meta({
    id: 'SourceRow',
    description: 'Health of one source. The counts of the rows of an exchange add up to `row_count`.',
  })
export type SourceRow = z.infer<typeof SourceRow>

export const ReferenceRate = z
  .object({
    symbol: z.string(),
    price_usd: Price,
    method: z.enum(['definition', 'exchanges', 'crosses', 'aggregators', 'carried']),
    quotes: Count.describe('How many venues it is measured at.'),
    as_of: Timestamp,
    inputs: z
      .array(
        z.object({
          source_id: z.string().describe('A venue, an aggregator, a central bank, or `previous`: the last rate.'),
          pair: z.string().describe('With the currency on either side; the other side is converted by its own rate.'),
          price: Price,
          volume_24h_usd: Amount.nullable().describe('Null: not a venue.'),
          weight: z.number().min(0).max(1),
        }),
      )
      .default([])
      .describe('What it is made of: the rate is the mean of the middle fifth of the weight.'),
  })
  .meta({
    id: 'ReferenceRate',
    description: 'US dollars for one unit of a currency that markets are quoted in, as measured in the run.',
  })
export type ReferenceRate = z.infer<typeof ReferenceRate>

export const CollectorMembers = {
  coverage: z.object({
    listings: Count.describe('Listings in the whole feed.'),
    priced: Count.describe('Of these, with a price.'),
    priced_percent: Percent.describe('Share of the priced, in percent.'),
    with_two_sources: Count.describe('Of these, known to two sources or more.'),
    with_history: Count.describe('Of these, with a value on at least half of the last 365 days.'),
  }),
  freshness: z.object({
    collectedAt: Timestamp.describe('When the sources were asked.'),
    oldestValueAt: Timestamp.nullable().describe('Time of the oldest price in the feed.'),
    staleAfter: Timestamp.describe('From then on the whole publication is to be taken as stale.'),
    carriedForward: Count.describe('Values that no source told in this run and that stand from an earlier one.'),
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
