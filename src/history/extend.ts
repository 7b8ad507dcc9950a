import { INTERVAL_MS } from '../contract/time.ts'
import { by } from '../contract/order.ts'
import type { Days, Grid, GridInterval } from '../contract/history.ts'
import { roundMoney, roundPrice } from '../contract/numbers.ts'
import { type Draft, type Value, backfill, closeDraft, derive, observe, observeLate, openDraft } from './draft.ts'
import { bucketOf, timeOf, timestampOf } from './grid.ts'
import { Row } from './row.ts'
import { type Series, isSound, onGrid } from './series.ts'

/** The value of an asset in a run. `at` in ms since 1970. */
export interface Observed extends Value {
  readonly at: number
}

/** Past prices from a source, for buckets without a value of our own runs. */
export interface Backfill {
  readonly interval: GridInterval
  /** Name of the source in `sourceLabel`, without a comma or a semicolon. */
  readonly label: string
  readonly points: Points
}

/** Prices by bucket, in columns: an object for each point would take five times the memory. */
export interface Points {
  /** Starts of the buckets in ms since 1970. */
  readonly buckets: readonly number[]
  /** As many prices, each that of the bucket at its index. */
  readonly prices_usd: readonly number[]
}

/** Arguments of {@link extend}. */
export interface Extension {
  readonly slug: string
  /** Reads a published series of the asset; null if there is none. Called only for the ranges that are needed. */
  readonly read: (days: Days) => Series | null
  /** In any order. Those older than a window are ignored for it. */
  readonly observations: readonly Observed[]
  readonly backfills?: readonly Backfill[]
  /** Time of the run in ms since 1970. */
  readonly now: number
  readonly grid: Grid
  /** Label of our own observations, without a comma or a semicolon. */
  readonly label: string
  /** Return all five series, including unchanged ones. */
  readonly all?: boolean
}

/** Ranges with buckets of hours and days, whose open bucket is not rewritten by every run. */
const WAITING: ReadonlySet<Days> = new Set<Days>([30, 90, 365])

// The 90-day series is the tail of the 365-day series: the same grid, so the same rows.
const CHAIN = [1, 7, 30, 365] as const

/**
 * Extends the five series of an asset and returns those that changed, or all.
 *
 * The value of a bucket is the last one observed in it, in the order of the runs. The long ranges are not published for a
 * new value of their open bucket alone, because that would rewrite every file with every run: it is taken from the finest
 * series when the bucket is closed, see {@link withLastSeen}. An observation from before the last
 * published bucket of the finest series is late: it fills an empty bucket and never replaces a value. So the series are
 * the only state, and observing the same value again changes nothing.
 *
 * A window never moves back, whatever the clock does. A damaged or missing series is restored from the finer ones as far
 * as they reach. Past prices fill empty closed buckets, also of the coarser series, and have no volume.
 */
export function extend(extension: Extension): ReadonlyMap<Days, Series> {
  const { slug, observations, backfills = [], now, grid, label, all = false } = extension
  const changed = new Map<Days, Series>()
  const values = observations.map(rounded).toSorted(by((row) => row.at))
  let clock: Clock = { latest: now, lateBefore: -Infinity }
  let finer: Draft | null = null
  const finest = sound(extension.read, 1, grid[1])

  for (const [index, days] of CHAIN.entries()) {
    const range = openRange({ ...extension, finest }, days, clock)
    const { draft, before } = range
    clock = range.clock
    fillRange(range, finer, { values, backfills })
    if (all || isChanged(range)) {
      const shown = isChanged(range) ? draft : range.asPublished()
      changed.set(days, closeDraft(shown, slug, label))
      if (days === 365) changed.set(90, closeDraft(shown, slug, label, 90))
    }
    const isQuiet = !draft.changed && backfills.length === 0 && values.every(({ at }) => at >= draft.window.from)
    if (!all && isQuiet && isSameBucket(before, clock.latest, grid[CHAIN[index + 1] ?? days])) break
    finer = draft
  }
  return changed
}

/** The latest time of the run and the published series, and the time before which observations are late. In ms since 1970. */
interface Clock {
  readonly latest: number
  readonly lateBefore: number
}

type Range = ReturnType<typeof openRange>

function openRange(
  { read, grid, observations, finest }: Extension & { readonly finest: Series | null },
  days: Days,
  { latest, lateBefore }: Clock,
) {
  const interval = grid[days]
  const own = days === 1 ? finest : sound(read, days, interval)
  const known = own ?? (days === 365 ? sound(read, 90, interval) : null)
  const waits = WAITING.has(days)
  const previous = known !== null && finest !== null && waits ? withLastSeen(known, finest) : known
  const before = previous === null || previous.to === null ? null : Date.parse(previous.to)
  const clock = { latest: Math.max(latest, before ?? latest), lateBefore: Math.max(lateBefore, before ?? lateBefore) }
  const opening = { days, interval, now: clock.latest, observed: observations.length > 0, waits }
  const draft = openDraft({ ...opening, previous })
  const asPublished = () => openDraft({ ...opening, previous: known })
  return { draft, asPublished, isLost: own === null, before, clock }
}

interface Inputs {
  readonly values: readonly Observed[]
  readonly backfills: readonly Backfill[]
}

function fillRange({ draft, isLost, clock }: Range, finer: Draft | null, { values, backfills }: Inputs): void {
  for (const value of values) (value.at < clock.lateBefore ? observeLate : observe)(draft, value.at, value)
  if (finer !== null) (isLost ? derive : fillFrom)(finer, draft)
  for (const source of backfills) if (source.interval === draft.interval) fill(draft, source)
}

const isChanged = ({ draft, isLost, before }: Range): boolean =>
  isLost || draft.changed || (draft.begun && before !== draft.window.to)

/** Whether the next coarser series is still in the same bucket, so that it and those after it are unchanged. */
const isSameBucket = (before: number | null, latest: number, interval: GridInterval): boolean =>
  before !== null && bucketOf(before, interval) === bucketOf(latest, interval)

const rounded = <V extends Value>(value: V): V => ({
  ...value,
  price_usd: roundPrice(value.price_usd),
  volume_24h_usd: value.volume_24h_usd === null ? null : roundMoney(value.volume_24h_usd),
})

function sound(read: Extension['read'], days: Days, interval: GridInterval): Series | null {
  const series = read(days)
  return series !== null && isSound(series, days) ? onGrid(series, interval) : null
}

/**
 * Returns a long series with the value last seen in its last bucket, which is that of the finest series. The published one
 * may be older, see {@link extend}.
 */
export function withLastSeen(series: Series, finest: Series): Series {
  const [open, last] = [series.rows.at(-1), finest.rows.at(-1)]
  if (!open || !last || open.timestamp !== series.to) return series
  const end = timestampOf(timeOf(open.timestamp) + INTERVAL_MS[series.interval])
  const seen = last.timestamp < end ? last : finest.rows.findLast(({ timestamp }) => timestamp < end)
  if (!seen || seen.timestamp < open.timestamp) return series
  const row = new Row(open.timestamp, seen.price_usd, seen.volume_24h_usd)
  return { ...series, rows: [...series.rows.slice(0, -1), row] }
}

/** Sets each empty closed bucket to the last price that this run backfilled in a finer series. */
function fillFrom(finer: Draft, coarser: Draft): void {
  if (finer.filled.size === 0) return
  const last = new Map<number, number>()
  for (const { timestamp, price_usd } of finer.rows) {
    const start = timeOf(timestamp)
    if (finer.filled.has(start)) last.set(bucketOf(start, coarser.interval), price_usd)
  }
  for (const [bucket, price] of last)
    if (backfill(coarser, bucket, price)) for (const name of finer.backfills) coarser.backfills.add(name)
}

function fill(draft: Draft, { label, points }: Backfill): void {
  for (const [index, price_usd] of points.prices_usd.entries())
    if (backfill(draft, points.buckets[index] ?? 0, roundPrice(price_usd))) draft.backfills.add(label)
}
