import { type Days, INTERVAL_OF, type Point } from '../contract/history.ts'
import { LENGTH_OF, type Window, bucketOf, timestampOf, windowOf } from './grid.ts'
import { backfillsOf, labelOf } from './label.ts'
import { type Series, firstFrom } from './series.ts'

/** The value of an asset at a moment. */
export interface Value {
  readonly price_usd: number
  readonly volume_24h_usd: number | null
}

/** A series being extended. `rows` and `seen` (seconds after the bucket's start, null: backfilled) go in step. */
export interface Draft {
  readonly days: Days
  readonly length: number
  readonly window: Window
  /** Set once the asset has been observed; until then its series has no window to publish. */
  readonly begun: boolean
  readonly rows: Point[]
  readonly seen: (number | null)[]
  readonly backfills: Set<string>
  /** Starts of the buckets whose value changed, in ms. */
  readonly touched: Set<number>
}

/** Takes up a series where it was left; rows that have fallen out of the window at `now` are gone. */
export function openDraft(days: Days, previous: Series | null, now: number, observed: boolean): Draft {
  const window = windowOf(days, now)
  const from = previous === null ? 0 : firstFrom(previous.rows, timestampOf(window.from))
  return {
    days,
    length: LENGTH_OF[INTERVAL_OF[days]],
    window,
    begun: observed || (previous !== null && previous.to !== null),
    rows: previous?.rows.slice(from) ?? [],
    seen: previous?.seenAfterSeconds.slice(from) ?? [],
    backfills: new Set(previous === null ? [] : backfillsOf(previous.source_label)),
    touched: new Set(),
  }
}

/**
 * Gives a bucket the value seen in it at `at`, unless a later one stands there. Which of two came first therefore does
 * not matter; of two of the same second the one that comes second stays. A value that is seen again keeps the time of
 * its first sight, so that seeing it again changes nothing.
 */
export function observe(draft: Draft, at: number, { price_usd, volume_24h_usd }: Value): void {
  const bucket = bucketOf(at, INTERVAL_OF[draft.days])
  if (bucket < draft.window.from || bucket > draft.window.to) return
  const timestamp = timestampOf(bucket)
  const seconds = Math.floor((at - bucket) / 1000)
  const index = firstFrom(draft.rows, timestamp)
  const standing = draft.rows[index]
  const stands = standing?.timestamp === timestamp
  const since = stands ? (draft.seen[index] ?? null) : null
  if (stands && since !== null) {
    if (since > seconds) return
    if (standing.price_usd === price_usd && standing.volume_24h_usd === volume_24h_usd) return
  }
  draft.rows.splice(index, stands ? 1 : 0, { timestamp, price_usd, volume_24h_usd })
  draft.seen.splice(index, stands ? 1 : 0, seconds)
  draft.touched.add(bucket)
}

/** Gives a closed bucket that has no value one from past prices of a source. True if it did. */
export function backfill(draft: Draft, bucket: number, { price_usd, volume_24h_usd }: Value): boolean {
  if (bucket < draft.window.from || bucket >= draft.window.to) return false
  const timestamp = timestampOf(bucket)
  const index = firstFrom(draft.rows, timestamp)
  if (draft.rows[index]?.timestamp === timestamp) return false
  draft.rows.splice(index, 0, { timestamp, price_usd, volume_24h_usd })
  draft.seen.splice(index, 0, null)
  draft.touched.add(bucket)
  return true
}

/** The draft as a series of `days` days; fewer than its own give its tail. */
export function closeDraft(draft: Draft, slug: string, label: string, days: Days = draft.days): Series {
  const window = windowOf(days, draft.window.to)
  const begun = draft.begun || draft.rows.length > 0
  const start = firstFrom(draft.rows, timestampOf(window.from))
  const rows = draft.rows.slice(start)
  const seenAfterSeconds = draft.seen.slice(start)
  const own = seenAfterSeconds.some((seconds) => seconds !== null)
  return {
    slug,
    days,
    interval: INTERVAL_OF[days],
    from: begun ? timestampOf(window.from) : null,
    to: begun ? timestampOf(window.to) : null,
    missing: window.buckets - rows.length,
    source_label: labelOf(own ? label : null, seenAfterSeconds.includes(null) ? draft.backfills : []),
    seenAfterSeconds,
    count: rows.length,
    rows,
  }
}
