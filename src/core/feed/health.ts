import { max } from 'd3-array'
import type * as z from 'zod'
import { compare, groupBy } from '../contract/order.ts'
import { type Ms, hoursSince, isoOf, HOUR_MS } from '../contract/time.ts'
import type { SourceRow } from '../contract/collector.ts'
import { roundShare } from '../contract/numbers.ts'
import { type Envelope, HEALTHY } from '../contract/envelope.ts'
import type { SourceErrorCode, SourceStatus } from '../contract/words.ts'
import { type Report, countOf } from '../sources/collect.ts'
import { STOCK } from '../sources/venue.ts'
import type { Listing, Previous } from './listing.ts'
import { LIMITS } from './methodology.ts'
import { sum } from './statistics.ts'

/** How the sources that feed one document are. `sourceError` is null exactly when the status is `ok`. */
export type Health = z.infer<z.ZodObject<Pick<typeof Envelope, 'sourceStatus' | 'sourceError'>>>

export const HEALTH = { exchanges_share: 2 / 3, degraded_rejected_share: 0.2 } as const

/** Counts of the rows of one source, and by which factor it is off if it is not believed. */
interface Tally extends VenueCounts, Pick<SourceRow, 'used_count' | 'unmatched_count' | 'dead_count' | 'price_factor'> {
  readonly duplicate_count: number
}

type VenueCounts = Pick<SourceRow, 'asset_count' | 'market_count' | 'outlier_count' | 'needed_count'>

/** Why a source that answered is not used all the same: its newest row is older than a live answer can be. */
function staleAnswer(report: Report): { code: SourceErrorCode; message: string } | null {
  const { source, quotes, attemptedAt } = report
  const newest = max(quotes, ({ at }) => at)
  if (newest === undefined || attemptedAt - newest <= LIMITS.venue_hours * HOUR_MS) return null
  return { code: 'source_stale', message: `${source.id}: its newest row is of ${isoOf(newest)}` }
}

/** Whether a source answered in this run, and not with what is too old. */
export const hasAnswered = (report: Report): boolean => report.error === null && staleAnswer(report) === null

/** Returns one source's row in `collector`. Its failures are counted on from the last publication. */
export function sourceRow(report: Report, tally: Tally, previous: Previous): SourceRow {
  const { source } = report
  const { duplicate_count: _, price_factor, ...counts } = tally
  const before = previous.sources.get(source.id)
  const reasons = quarantineReasons(report, tally)
  return {
    source_id: source.id,
    source_label: source.label,
    source_type: source.type,
    ...attemptOf(report, before),
    ...counts,
    quarantined_count: reasons.reduce((sum, { count }) => sum + count, 0),
    terms_url: source.rights.terms_url,
    rights: source.rights,
    unavailable_from: [...(source.unavailableFrom?.countries ?? [])],
    quota: before?.quota ?? null,
    row_count: report.rows,
    price_factor: price_factor === null ? null : roundShare(price_factor),
    quarantine_reasons: reasons.slice(0, 10),
  }
}

/** Returns the row of a source that was not asked in this run, with the counts of what is carried of it. */
export function sparedRow(row: SourceRow, counts: VenueCounts, now: Ms): SourceRow {
  const carried = row.source_type === 'exchange' ? counts : {}
  const status = isUseful(row.last_success, now) ? row.status : 'down'
  return { ...row, ...carried, asked: false, status, price_factor: null }
}

function attemptOf(report: Report, before: SourceRow | undefined) {
  const at = isoOf(report.attemptedAt)
  const error = report.error ? { code: report.error.code, message: report.error.message } : staleAnswer(report)
  const failed = error !== null
  const last_success = failed ? (before?.last_success ?? null) : at
  return {
    status: statusOf(report, failed, last_success),
    last_attempt: at,
    asked: true,
    last_success,
    consecutive_failures: failed ? (before?.consecutive_failures ?? 0) + Number(before?.last_attempt !== at) : 0,
    failing_since: failed ? (before?.failing_since ?? at) : null,
    error,
  }
}

function quarantineReasons(report: Report, { duplicate_count }: Tally): { reason: string; count: number }[] {
  const own = [
    { reason: 'listed twice', count: duplicate_count },
    { reason: STOCK, count: report.stocks.length },
    { reason: 'of an answer that is too old', count: staleAnswer(report) ? report.quotes.length : 0 },
  ]
  const all = [...report.rejected, ...report.skipped, ...own].filter(({ count }) => count > 0)
  return [...groupBy(all, ({ reason }) => reason)]
    .map(([reason, rows]) => ({ reason, count: sum(rows.map(({ count }) => count)) }))
    .toSorted((a, b) => b.count - a.count || compare(a.reason, b.reason))
}

function statusOf({ rejected, rows, attemptedAt }: Report, failed: boolean, last_success: string | null): SourceStatus {
  if (!failed) return countOf(rejected) > rows * HEALTH.degraded_rejected_share ? 'degraded' : 'ok'
  return isUseful(last_success, attemptedAt) ? 'stale' : 'down'
}

const isUseful = (last_success: string | null, now: Ms): boolean =>
  last_success !== null && hoursSince(last_success, now) <= LIMITS.carry_hours

/**
 * How these sources are for a document that they feed. The text names who is silent and nothing that changes while it
 * stays so, or a silent venue would rewrite its documents with every run.
 */
export function healthFrom(rows: readonly SourceRow[], carried: boolean): Health {
  const answers = ({ status }: SourceRow) => status === 'ok' || status === 'degraded'
  const ofType = (type: SourceRow['source_type']) => rows.filter(({ source_type }) => source_type === type)
  const [aggregators, exchanges] = [ofType('aggregator'), ofType('exchange')]
  const silent = rows.filter((row) => !answers(row))
  const enough =
    (aggregators.length === 0 || aggregators.some(answers)) &&
    exchanges.filter(answers).length >= exchanges.length * HEALTH.exchanges_share
  const [first] = silent
  if (!first || (enough && silent.length < rows.length)) return HEALTHY

  const sourceStatus = silent.length < rows.length ? 'degraded' : carried ? 'stale' : 'down'
  const codes = new Set(silent.map(({ error }) => error?.code ?? 'source_unreachable'))
  const since = silent.map(({ failing_since, last_attempt }) => failing_since ?? last_attempt ?? '').toSorted()
  return {
    sourceStatus,
    sourceError: {
      code:
        sourceStatus === 'degraded' || codes.size > 1 ? 'quorum_not_met' : (first.error?.code ?? 'source_unreachable'),
      message: `No usable answer from ${silent.map(({ source_label }) => source_label).join(', ')}.`,
      sources: silent.map(({ source_id }) => source_id),
      since: since[0] ?? '',
    },
  }
}

/** The health of each listing's own documents, by slug: that of its aggregators and of the sources of its markets. */
export function healthOf(listings: readonly Listing[], sources: readonly SourceRow[]): ReadonlyMap<string, Health> {
  const byId = new Map(sources.map((row) => [row.source_id, row]))
  // The market of a pool has the id of its exchange, which is no source.
  const idOf = new Map(sources.map(({ source_id, source_label }) => [source_label, source_id]))
  return new Map(
    listings.map(({ asset, markets }) => {
      const ids = new Set(Object.keys(asset.external_ids))
      for (const { exchange_id, source_label } of markets) ids.add(idOf.get(source_label) ?? exchange_id)
      const rows = [...ids].flatMap((id) => byId.get(id) ?? [])
      return [asset.slug, healthFrom(rows, true)] as const
    }),
  )
}
