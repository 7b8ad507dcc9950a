import { type Days, INTERVAL_OF, type Interval, type Point } from '../contract/history.ts'
import { roundMoney, roundPrice } from '../contract/numbers.ts'
import { type Draft, type Value, backfill, closeDraft, observe, openDraft } from './draft.ts'
import { bucketOf, timestampOf } from './grid.ts'
import { type Series, firstFrom, isSound } from './series.ts'

/** What a run saw of an asset. `at` in ms since 1970. */
export interface Observed extends Value {
  readonly at: number
}

/** Past prices from a source, for buckets that no run of ours saw. */
export interface Backfill {
  readonly interval: Interval
  /** Names the source in `source_label`; without a comma or a semicolon. */
  readonly label: string
  readonly points: readonly (Value & { /** Start of the bucket in ms since 1970. */ readonly bucket: number })[]
}

export interface Extension {
  readonly slug: string
  /** The published series of the asset, null where there is none that can be read. Asked for only what is needed. */
  readonly read: (days: Days) => Series | null
  /** In any order; those older than a window are not for it. */
  readonly observations: readonly Observed[]
  readonly backfills?: readonly Backfill[]
  /** Clock of the run, in ms since 1970. */
  readonly now: number
  /** Label of our own observations, without a comma or a semicolon. */
  readonly label: string
  /** Give all five series, those that did not change among them. */
  readonly all?: boolean
}

// 90 days are the tail of 365: the same grid, so the same rows.
const CHAIN = [1, 7, 30, 365] as const

/**
 * Extends the five series of an asset and gives those that changed, or all.
 *
 * The value of a bucket is the last one seen in it. Observations enter the finest series whose window reaches them;
 * each coarser series takes, for every bucket that the finer one changed, the last value the finer one has there. So
 * the result depends on what was observed and on the latest clock, not on how many runs it came in or in which order.
 * One thing is given up for files that stay as they are: a value that is seen again in its bucket leaves no trace, so
 * an observation that comes late, from between its first and its last sight, replaces it.
 *
 * No window ever moves back, whatever the clock does. A series that is damaged or missing is taken up again from the
 * finer ones as far as they reach; the rest stays missing. Backfilled values fill closed buckets without a value and
 * give way to any observation.
 */
export function extend(extension: Extension): ReadonlyMap<Days, Series> {
  const { slug, read, observations, backfills = [], now, label, all = false } = extension
  const changed = new Map<Days, Series>()
  let waiting = observations.map(rounded).toSorted((a, b) => a.at - b.at)
  let latest = now
  let finer: Draft | null = null

  for (const [index, days] of CHAIN.entries()) {
    const own = sound(read, days)
    const previous = own ?? (days === 365 ? sound(read, 90) : null)
    const before = previous === null || previous.to === null ? null : Date.parse(previous.to)
    latest = Math.max(latest, before ?? latest)
    const draft = openDraft(days, previous, latest, observations.length > 0)

    for (const value of waiting) observe(draft, value.at, value)
    if (finer !== null) {
      const news = [...finer.touched, ...waiting.map(({ at }) => at)]
      deriveFrom(finer, draft, own === null ? finer.rows.map(startOf) : news)
    }
    for (const source of backfills) {
      if (source.interval === INTERVAL_OF[days]) fill(draft, source)
    }

    const moved = draft.begun && before !== draft.window.to
    if (all || own === null || moved || draft.touched.size > 0) {
      changed.set(days, closeDraft(draft, slug, label))
      if (days === 365) changed.set(90, closeDraft(draft, slug, label, 90))
    }
    waiting = waiting.filter(({ at }) => at < draft.window.from)
    const next = CHAIN[index + 1] ?? days
    const quiet = draft.touched.size === 0 && waiting.length === 0 && backfills.length === 0
    if (!all && quiet && before !== null && bucketOf(before, INTERVAL_OF[next]) === bucketOf(latest, INTERVAL_OF[next]))
      break
    finer = draft
  }
  return changed
}

const rounded = <V extends Value>(value: V): V => ({
  ...value,
  price_usd: roundPrice(value.price_usd),
  volume_24h_usd: value.volume_24h_usd === null ? null : roundMoney(value.volume_24h_usd),
})

const startOf = ({ timestamp }: Point): number => Date.parse(timestamp)

function sound(read: Extension['read'], days: Days): Series | null {
  const series = read(days)
  return series !== null && isSound(series, days) ? series : null
}

/** Gives each bucket of `coarser` that holds one of `moments` the last value `finer` has there, our own first. */
function deriveFrom(finer: Draft, coarser: Draft, moments: readonly number[]): void {
  const interval = INTERVAL_OF[coarser.days]
  for (const bucket of new Set(moments.map((ms) => bucketOf(ms, interval)))) {
    const start = firstFrom(finer.rows, timestampOf(bucket))
    const end = firstFrom(finer.rows, timestampOf(bucket + coarser.length))
    const own = finer.seen.slice(start, end).findLastIndex((seconds) => seconds !== null)
    const last = own < 0 ? end - 1 : start + own
    const row = last < start ? undefined : finer.rows[last]
    const seconds = finer.seen[last] ?? null
    if (row === undefined) continue
    if (seconds !== null) observe(coarser, startOf(row) + seconds * 1000, row)
    else if (backfill(coarser, bucket, row)) for (const name of finer.backfills) coarser.backfills.add(name)
  }
}

function fill(draft: Draft, { label, points }: Backfill): void {
  for (const point of points) {
    if (backfill(draft, point.bucket, rounded(point))) draft.backfills.add(label)
  }
}
