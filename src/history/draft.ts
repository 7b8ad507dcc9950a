import type { Days, GridInterval, Point } from '../contract/history.ts'
import { LENGTH_OF, type Window, bucketOf, timestampOf, windowOf } from './grid.ts'
import { backfillsOf, labelOf, namesOwn } from './label.ts'
import { type Series, firstFrom } from './series.ts'

/** The value of an asset at a moment. `volume_24h_usd` is that of all its markets. */
export interface Value {
  readonly price_usd: number
  readonly volume_24h_usd: number | null
}

/** A series being extended. */
export interface Draft {
  readonly days: Days
  readonly interval: GridInterval
  readonly length: number
  readonly window: Window
  /** Set once the asset has been observed; until then its series has no window to publish. */
  readonly begun: boolean
  readonly rows: Point[]
  readonly backfills: Set<string>
  /** Whether a row is of our own runs, as far as the label tells. */
  own: boolean
  /** Whether a row changed. */
  changed: boolean
  /** Starts of the buckets that were filled from past prices, in ms. */
  readonly filled: Set<number>
}

/** What a series is opened with. */
export interface Opening {
  readonly days: Days
  readonly interval: GridInterval
  readonly previous: Series | null
  /** Clock in ms since 1970. */
  readonly now: number
  readonly observed: boolean
}

/** Takes up a series where it was left; rows that have fallen out of the window at `now` are gone. */
export function openDraft({ days, interval, previous, now, observed }: Opening): Draft {
  const window = windowOf(days, interval, now)
  const from = previous === null ? 0 : firstFrom(previous.rows, timestampOf(window.from))
  return {
    days,
    interval,
    length: LENGTH_OF[interval],
    window,
    begun: observed || (previous !== null && previous.to !== null),
    rows: previous?.rows.slice(from) ?? [],
    backfills: new Set(previous === null ? [] : backfillsOf(previous.sourceLabel)),
    own: previous !== null && namesOwn(previous.sourceLabel),
    changed: false,
    filled: new Set(),
  }
}

/** Gives a bucket of the window a value if it has none. True if it did. */
function putWhereEmpty({ rows, window }: Draft, bucket: number, { price_usd, volume_24h_usd }: Value): boolean {
  if (bucket < window.from || bucket > window.to) return false
  const timestamp = timestampOf(bucket)
  const index = firstFrom(rows, timestamp)
  if (rows[index]?.timestamp === timestamp) return false
  rows.splice(index, 0, { timestamp, price_usd, volume_24h_usd })
  return true
}

/** Gives the bucket that `at` lies in the value seen then, in place of what stands there. An equal value changes nothing. */
export function observe(draft: Draft, at: number, value: Value): void {
  const bucket = bucketOf(at, draft.interval)
  const timestamp = timestampOf(bucket)
  const index = firstFrom(draft.rows, timestamp)
  const standing = draft.rows[index]
  if (standing?.timestamp !== timestamp) return observeLate(draft, at, value)
  const { price_usd, volume_24h_usd } = value
  if (standing.price_usd === price_usd && standing.volume_24h_usd === volume_24h_usd) return
  draft.rows[index] = { timestamp, price_usd, volume_24h_usd }
  draft.own = true
  draft.changed = true
}

/** Gives the bucket that `at` lies in the value seen then, unless one stands there. */
export function observeLate(draft: Draft, at: number, value: Value): void {
  if (!putWhereEmpty(draft, bucketOf(at, draft.interval), value)) return
  draft.own = true
  draft.changed = true
}

/** Gives a closed bucket without a value a price from the past. Nobody knows what all markets traded then. True if it did. */
export function backfill(draft: Draft, bucket: number, price_usd: number): boolean {
  if (bucket >= draft.window.to || !putWhereEmpty(draft, bucket, { price_usd, volume_24h_usd: null })) return false
  draft.filled.add(bucket)
  draft.changed = true
  return true
}

/** Gives each bucket without a value the last one that a finer series has there, one of our own runs before others. */
export function derive(finer: Draft, coarser: Draft): void {
  const last = new Map<number, Point>()
  for (const row of finer.rows) {
    const bucket = bucketOf(Date.parse(row.timestamp), coarser.interval)
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

/** The draft as a series of `days` days; fewer than its own give its tail. */
export function closeDraft(draft: Draft, slug: string, label: string, days: Days = draft.days): Series {
  const window = windowOf(days, draft.interval, draft.window.to)
  const begun = draft.begun || draft.rows.length > 0
  const rows = draft.rows.slice(firstFrom(draft.rows, timestampOf(window.from)))
  // A backfilled row has no volume, so a source is named as long as there is such a row.
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
