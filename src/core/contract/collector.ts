import * as z from 'zod'
import { SourceRights } from './rights.ts'
import { Amount, Count, Day, Percent, Price, SourceErrorCode, SourceStatus, SourceType } from './words.ts'
import { Timestamp, laterOrNull } from './words.ts'

export const SourceQuota = z
  .object({
    limit: Count.describe('Requests it allows in a period.'),
    per: z.enum(['day', 'month']).describe('Calendar period, UTC.'),
    used: Count.describe('Requests made in this period.'),
    left: Count,
    resets_at: Timestamp.describe('When the next period begins.'),
    evidence_url: z.string().describe('Where the limit is documented.'),
  })
  .meta({ id: 'SourceQuota', description: 'What is left of the requests that a source allows.' })

export const NeededCount = Count.default(0).describe(
  'Listings with a price of a quorum of venues and no more, of which this is one: without it they would lose the quorum.',
)

export const SourceRow = z
  .object({
    source_id: z.string(),
    source_label: z.string(),
    source_type: SourceType,
    status: SourceStatus,
    last_attempt: Timestamp.nullable().describe('When it was last requested.'),
    last_success: Timestamp.nullable().describe('When it last answered successfully; null: never.'),
    asked: z
      .boolean()
      .default(true)
      .describe(
        'Whether the last run asked it. It does not where a quota must last, a region is refused, the run was of other ' +
          'sources, or a source lists none of the listings that the publisher names.',
      ),
    consecutive_failures: Count,
    failing_since: Timestamp.nullable().describe('Time of the first of the consecutive failures.'),
    asset_count: Count.describe('Number of listings it covers.'),
    market_count: Count.describe('Number of markets it contributes to the feed.'),
    quarantined_count: Count.describe(
      'Rows left out one by one: unreadable, or not a spot market. `quarantine_reasons` counts them by reason.',
    ),
    error: z.object({ code: SourceErrorCode, message: z.string() }).nullable().describe('The last error; null: none.'),
    terms_url: z.string().nullable().describe('Its terms of use.'),
    rights: SourceRights.describe('What its terms allow; the endpoint `rights` has the rule.'),
    unavailable_from: z.array(z.string()).describe('Countries (ISO 3166-1) whose IP addresses it is known to block.'),
    quota: laterOrNull(SourceQuota, 'Null: no quota of it is known.'),
    row_count: Count.describe('Number of rows it sent in the last run.'),
    used_count: Count.describe('Of these, rows used in the feed.'),
    unmatched_count: Count.describe('Of these, rows that match no asset in the feed.'),
    dead_count: Count.describe('Of these, markets without a price or trades.'),
    price_factor: laterOrNull(
      z.number(),
      'Set if its prices are excluded from this run: its typical price divided by that of the others. Null: not excluded.',
    ),
    outlier_count: Count.describe('Number of markets in the feed whose price disagrees with the other venues.'),
    needed_count: NeededCount,
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
    method: z.enum(['definition', 'exchanges', 'crosses', 'aggregators', 'reference', 'carried']),
    quotes: Count.describe('Number of venues it is measured at.'),
    as_of: Timestamp.describe('When the rate was true: for a rate of a central bank alone, the day it was set.'),
    inputs: z
      .array(
        z.object({
          source_id: z
            .string()
            .describe(
              'A venue, an aggregator, a central bank, `previous` (the last rate), or `parity` (what dollar prices imply).',
            ),
          pair: z
            .string()
            .describe('A pair with the currency on either side. The other side is converted at its own rate.'),
          price: Price,
          volume_24h_usd: Amount.nullable().describe('Null if the source is not a venue.'),
          weight: z.number().min(0).max(1).describe('0: a witness that is not heard.'),
        }),
      )
      .default([])
      .describe(
        'All witnesses of the rate, which is the mean of the middle fifth of the weight. Those of a carried rate are of the ' +
          'run that measured it.',
      ),
    cross_check: laterOrNull(
      z.object({ source_id: z.string(), price_usd: Price, as_of: Timestamp }),
      'The daily rate of a central bank that the venues were compared with; null: none is fresh.',
    ),
  })
  .meta({ id: 'ReferenceRate', description: 'US dollars for one unit of a quote currency, as measured in this run.' })
export type ReferenceRate = z.infer<typeof ReferenceRate>

export const RUN_DAYS = 90

export const RunDay = z
  .object({
    day: Day,
    published: Count.describe('Runs that published a snapshot.'),
    refused: Count.describe('Runs that were refused, so that the last snapshot stayed.'),
    failed: Count.describe('Runs that failed or found no usable source, so that the last snapshot stayed.'),
    gap_minutes: Count.describe(
      'Minutes of the day within a gap: a time between two snapshots in which the data became stale and more than one run ' +
        'was missed.',
    ),
  })
  .meta({ id: 'RunDay', description: 'The runs of one day, as far as this publisher counted them.' })
export type RunDay = z.infer<typeof RunDay>

export const CollectorMembers = {
  coverage: z.object({
    listings: Count.describe('Listings in the whole feed.'),
    priced: Count.describe('Of these, with a price.'),
    priced_percent: Percent.describe('Share of listings with a price, in percent.'),
    with_two_sources: Count.describe('Of these, covered by two or more sources.'),
    with_history: Count.describe('Of these, with a value on at least half of the last 365 days.'),
  }),
  freshness: z.object({
    collectedAt: Timestamp.describe('When the sources were requested.'),
    oldestValueAt: Timestamp.nullable().describe('Time of the oldest price in the feed.'),
    staleAfter: Timestamp.describe('When the whole snapshot becomes stale.'),
    carriedForward: Count.describe('Listings whose price no source reported in this run: it is carried forward.'),
  }),
  runs: z
    .array(RunDay)
    .max(RUN_DAYS)
    .default([])
    .describe(
      `Runs by day, of up to ${RUN_DAYS} days, oldest first. The runs of the first day, and of all days before it, may not ` +
        'all be counted. Runs that published nothing are counted by the next snapshot.',
    ),
  referenceRates: z.array(ReferenceRate),
  methodology: z
    .object({
      version: z.string(),
      rules: z.record(z.string(), z.string()),
      constants: z.record(z.string(), z.number()),
    })
    .describe('Every rule in words, and the numbers that the rules name.'),
} as const
export type Methodology = z.infer<(typeof CollectorMembers)['methodology']>
