import type { Days, Grid, GridInterval } from '../contract/history.ts'
import { roundMoney, roundPrice } from '../contract/numbers.ts'
import { type Draft, type Value, backfill, closeDraft, derive, observe, observeLate, openDraft } from './draft.ts'
import { bucketOf } from './grid.ts'
import { type Series, isSound, onGrid } from './series.ts'

/** What a run saw of an asset. `at` in ms since 1970. */
export interface Observed extends Value {
  readonly at: number
}

/** Past prices from a source, for buckets that no run of ours saw. */
export interface Backfill {
  readonly interval: GridInterval
  /** Names the source in `sourceLabel`; without a comma or a semicolon. */
  readonly label: string
  readonly points: readonly {
    /** Start of the bucket in ms since 1970. */ readonly bucket: number
    readonly price_usd: number
  }[]
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
  readonly grid: Grid
  /** Label of our own observations, without a comma or a semicolon. */
  readonly label: string
  /** Give all five series, those that did not change among them. */
  readonly all?: boolean
}

// 90 days are the tail of 365: the same grid, so the same rows.
const CHAIN = [1, 7, 30, 365] as const

/**
 * Extends the five series of an asset and returns those that changed, or all.
 *
 * The value of a bucket is the last one seen in it, in the order in which runs saw them. An observation from before the
 * last published bucket of the finest series comes late: it fills a bucket without a value and replaces none. So the
 * series are all that has to be kept, and a value that is seen again changes nothing.
 *
 * No window ever moves back, whatever the clock does. A series that is damaged or missing is taken up again from the
 * finer ones as far as they reach; the rest stays missing. Past prices fill closed buckets without a value, and the
 * coarser buckets that these lie in, and have no volume.
 */
export function extend(extension: Extension): ReadonlyMap<Days, Series> {
  const { slug, read, observations, backfills = [], now, grid, label, all = false } = extension
  const changed = new Map<Days, Series>()
  const values = observations.map(rounded).toSorted((a, b) => a.at - b.at)
  let [latest, lateBefore] = [now, -Infinity]
  let finer: Draft | null = null

  for (const [index, days] of CHAIN.entries()) {
    const interval = grid[days]
    const own = sound(read, days, interval)
    const previous = own ?? (days === 365 ? sound(read, 90, interval) : null)
    const before = previous === null || previous.to === null ? null : Date.parse(previous.to)
    latest = Math.max(latest, before ?? latest)
    lateBefore = Math.max(lateBefore, before ?? lateBefore)
    const draft = openDraft({ days, interval, previous, now: latest, observed: values.length > 0 })

    for (const value of values) (value.at < lateBefore ? observeLate : observe)(draft, value.at, value)
    if (finer !== null) {
      if (own === null) derive(finer, draft)
      else fillFrom(finer, draft)
    }
    for (const source of backfills) if (source.interval === interval) fill(draft, source)

    const moved = draft.begun && before !== draft.window.to
    if (all || own === null || moved || draft.changed) {
      changed.set(days, closeDraft(draft, slug, label))
      if (days === 365) changed.set(90, closeDraft(draft, slug, label, 90))
    }
    const next = grid[CHAIN[index + 1] ?? days]
    const isQuiet = !draft.changed && backfills.length === 0 && values.every(({ at }) => at >= draft.window.from)
    if (!all && isQuiet && before !== null && bucketOf(before, next) === bucketOf(latest, next)) break
    finer = draft
  }
  return changed
}

const rounded = <V extends Value>(value: V): V => ({
  ...value,
  price_usd: roundPrice(value.price_usd),
  volume_24h_usd: value.volume_24h_usd === null ? null : roundMoney(value.volume_24h_usd),
})

function sound(read: Extension['read'], days: Days, interval: GridInterval): Series | null {
  const series = read(days)
  return series !== null && isSound(series, days) ? onGrid(series, interval) : null
}

/** Gives each closed bucket without a value the last past price that the finer series took in there. */
function fillFrom(finer: Draft, coarser: Draft): void {
  const last = new Map<number, number>()
  for (const { timestamp, price_usd } of finer.rows) {
    const start = Date.parse(timestamp)
    if (finer.filled.has(start)) last.set(bucketOf(start, coarser.interval), price_usd)
  }
  for (const [bucket, price] of last)
    if (backfill(coarser, bucket, price)) for (const name of finer.backfills) coarser.backfills.add(name)
}

function fill(draft: Draft, { label, points }: Backfill): void {
  for (const { bucket, price_usd } of points)
    if (backfill(draft, bucket, roundPrice(price_usd))) draft.backfills.add(label)
}
