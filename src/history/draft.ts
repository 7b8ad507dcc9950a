import type { Days, GridInterval, Point } from '../contract/history.ts'
import { bucketOf, timeOf, timestampOf, windowOf } from './grid.ts'
import { backfillsOf, labelOf, namesOwn } from './label.ts'
import { Row } from './row.ts'
import { type Series, firstFrom } from './series.ts'

/** Price and volume of an asset at a time. `volume_24h_usd` is that of all its markets. */
export interface Value {
  readonly price_usd: number
  readonly volume_24h_usd: number | null
}

export type Draft = ReturnType<typeof openDraft>

/** Arguments of {@link openDraft}. */
interface Opening {
  readonly days: Days
  readonly interval: GridInterval
  readonly previous: Series | null
  /** Time of the run in ms since 1970. */
  readonly now: number
  readonly observed: boolean
  readonly waits?: boolean
}

/** Opens the published series, if any, for extension. Drops rows that are older than its window at `now`. */
export function openDraft({ days, interval, previous, now, observed, waits = false }: Opening) {
  const window = windowOf(days, interval, now)
  const from = previous === null ? 0 : firstFrom(previous.rows, timestampOf(window.from))
  return {
    days,
    interval,
    window,
    /** Whether the asset has ever been observed. Until then its series has no window. */
    begun: observed || (previous !== null && previous.to !== null),
    rows: previous?.rows.slice(from) ?? [],
    backfills: new Set(previous === null ? [] : backfillsOf(previous.sourceLabel)),
    /** Whether the label says that the series has rows of our own runs. */
    own: previous !== null && namesOwn(previous.sourceLabel),
    /** Whether a row changed, apart from the value of the open bucket of a draft that `waits`. */
    changed: false,
    /** Whether a new value of the open bucket is only published with the next bucket. */
    waits,
    /** Starts of the buckets that this run backfilled. */
    filled: new Set<number>(),
  }
}

/** Sets the value of a bucket of the window unless it has one. Returns whether it set it. */
function putWhereEmpty({ rows, window }: Draft, bucket: number, { price_usd, volume_24h_usd }: Value): boolean {
  if (bucket < window.from || bucket > window.to) return false
  const timestamp = timestampOf(bucket)
  const index = firstFrom(rows, timestamp)
  if (rows[index]?.timestamp === timestamp) return false
  rows.splice(index, 0, new Row(timestamp, price_usd, volume_24h_usd))
  return true
}

/** Sets the value of the bucket of `at`, replacing the previous value. */
export function observe(draft: Draft, at: number, value: Value): void {
  const bucket = bucketOf(at, draft.interval)
  const timestamp = timestampOf(bucket)
  const index = firstFrom(draft.rows, timestamp)
  const standing = draft.rows[index]
  if (standing?.timestamp !== timestamp) return observeLate(draft, at, value)
  const { price_usd, volume_24h_usd } = value
  if (standing.price_usd === price_usd && standing.volume_24h_usd === volume_24h_usd) return
  draft.rows[index] = new Row(timestamp, price_usd, volume_24h_usd)
  draft.own = true
  draft.changed ||= !(draft.waits && bucket === draft.window.to)
}

/** Sets the value of the bucket of `at` unless it has one. */
export function observeLate(draft: Draft, at: number, value: Value): void {
  if (!putWhereEmpty(draft, bucketOf(at, draft.interval), value)) return
  draft.own = true
  draft.changed = true
}

/** Sets the price of a closed bucket without a value. Its volume is unknown. Returns whether it set it. */
export function backfill(draft: Draft, bucket: number, price_usd: number): boolean {
  if (bucket >= draft.window.to || !putWhereEmpty(draft, bucket, { price_usd, volume_24h_usd: null })) return false
  draft.filled.add(bucket)
  draft.changed = true
  return true
}

/** Sets each empty bucket to the last value of a finer series in it. Values of our own runs precede backfilled ones. */
export function derive(finer: Draft, coarser: Draft): void {
  const last = new Map<number, Point>()
  for (const row of finer.rows) {
    const bucket = bucketOf(timeOf(row.timestamp), coarser.interval)
    const known = last.get(bucket)
    if (row.volume_24h_usd !== null || known === undefined || known.volume_24h_usd === null) last.set(bucket, row)
  }
  let isNew = false
  for (const [bucket, row] of last) isNew = putWhereEmpty(coarser, bucket, row) || isNew
  if (!isNew) return
  coarser.changed = true
  coarser.own ||= finer.own
  for (const name of finer.backfills) coarser.backfills.add(name)
}

/** Returns the last `days` days of a draft as a series. */
export function closeDraft(draft: Draft, slug: string, label: string, days: Days = draft.days): Series {
  const window = windowOf(days, draft.interval, draft.window.to)
  const begun = draft.begun || draft.rows.length > 0
  const rows = draft.rows.slice(firstFrom(draft.rows, timestampOf(window.from)))
  // Only backfilled rows have no volume, so the label names their sources as long as there is one.
  const isBackfilled = rows.some(({ volume_24h_usd }) => volume_24h_usd === null)
  return {
    slug,
    days,
    interval: draft.interval,
    from: begun ? timestampOf(window.from) : null,
    to: begun ? timestampOf(window.to) : null,
    missing: window.buckets - rows.length,
    sourceLabel: labelOf(draft.own && rows.length > 0 ? label : null, isBackfilled ? draft.backfills : []),
    replacedBy: null,
    count: rows.length,
    rows,
  }
}
