import { type Ms, INTERVAL_MS } from '../contract/time.ts'
import { byKey, groupBy } from '../contract/order.ts'
import type { GridInterval } from '../contract/history.ts'
import type { PastBar, PastRow } from '../contract/observations.ts'
import { barsFor, bucketOf } from './grid.ts'
import type { Points } from './points.ts'

interface Conversion {
  /** Time of the run. A bar that is still open then has no close. */
  readonly now: Ms
  /** Returns the price in US dollars of the quote currency at a time, or null if it is unknown. */
  readonly rateAt: (ms: Ms) => number | null
}

/** Returns bars in the order of their times; of several with the same time the last. Those of most answers are in order. */
function inOrder(bars: readonly PastBar[]): readonly PastBar[] {
  const isInOrder = bars.every(([at], index) => at > (bars[index - 1]?.[0] ?? -Infinity))
  return isInOrder ? bars : [...new Map(bars.map((bar) => [bar[0], bar])).values()].toSorted(byKey)
}

/**
 * Converts bars of a market, in any order, to points. A close is the price at the end of its bar, so it belongs to the bucket
 * of the bar's last millisecond. The last price of a bucket counts. The volume is dropped, because it is that of one venue.
 *
 * @param isRolling whether these are prices at an instant, as an aggregator has them, and not bars
 */
export function pointsFrom(
  { bars, interval }: Pick<PastRow, 'bars' | 'interval'>,
  { now, rateAt }: Conversion,
  isRolling: boolean,
): Points {
  const length = isRolling ? 0 : INTERVAL_MS[barsFor(interval)]
  const buckets: number[] = []
  const prices_usd: number[] = []
  for (const [start, close] of inOrder(bars)) {
    // Some venues write 0 as the close of a bar without trades.
    if (close <= 0 || start + length > now) continue
    const at = isRolling ? start : start + length - 1
    const rate = rateAt(at)
    if (rate === null) continue
    const bucket = bucketOf(at, interval)
    const place = bucket === buckets.at(-1) ? buckets.length - 1 : buckets.length
    buckets[place] = bucket
    prices_usd[place] = close * rate
  }
  return { buckets, prices_usd }
}

/** One bar of one venue, in US dollars. */
export interface VenueBar {
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
  /** In units of the asset; null if the venue does not report it. */
  readonly volume: number | null
  /** In US dollars; null if the venue does not report what was traded in the quote currency. */
  readonly volume_usd: number | null
}

/** Closed bars of one market, in columns: an object for each bar would take three times the memory. */
export interface VenueBars {
  readonly source_id: string
  readonly interval: GridInterval
  /** Start, open, high, low, close and both volumes of each bar, in order. An unknown volume is NaN. */
  readonly columns: Float64Array
}

const COLUMNS = 7

/** Yields each bar with the start of its bucket, in ms since 1970. */
export function* barsIn({ columns }: VenueBars): Generator<readonly [bucket: Ms, bar: VenueBar]> {
  // Destructuring a part of the array took a third of combining bars.
  for (let at = 0; at < columns.length; at += COLUMNS) {
    const bar = {
      open: columns[at + 1] ?? 0,
      high: columns[at + 2] ?? 0,
      low: columns[at + 3] ?? 0,
      close: columns[at + 4] ?? 0,
      volume: known(columns[at + 5]),
      volume_usd: known(columns[at + 6]),
    }
    yield [columns[at] ?? 0, bar]
  }
}

const known = (volume = Number.NaN): number | null => (Number.isNaN(volume) ? null : volume)

/** Grids that bars of a width are made for: an hourly answer reaches as far back as the range of four hours. */
const gridsFor = (interval: GridInterval): readonly GridInterval[] => (interval === '1h' ? ['1h', '4h'] : [interval])

/**
 * Returns the closed bars of an answer for each grid that it serves. A bar of several narrower ones is left out if one
 * of them cannot be read, or if the answer may begin or end within it.
 */
export function venueBars({ source_id, interval, bars }: PastRow, { now, rateAt }: Conversion): VenueBars[] {
  const length = INTERVAL_MS[barsFor(interval)]
  const closed = inOrder(bars)
    .filter(([at]) => at % length === 0 && at + length <= now)
    .map((bar) => ({ at: bar[0], bar: inDollars(bar, rateAt(bar[0] + length - 1)) }))
  const [first, end] = [closed[0]?.at ?? 0, (closed.at(-1)?.at ?? 0) + length]
  return gridsFor(interval).flatMap((grid) => {
    const rows = [...groupBy(closed, ({ at }) => bucketOf(at, grid))].flatMap(([bucket, parts]) => {
      const isWhole = first <= bucket && end >= bucket + INTERVAL_MS[grid]
      const bar = isWhole ? joinedBar(parts.map((part) => part.bar)) : null
      if (bar === null) return []
      const { open, high, low, close, volume, volume_usd } = bar
      return [bucket, open, high, low, close, volume ?? Number.NaN, volume_usd ?? Number.NaN]
    })
    return rows.length === 0 ? [] : [{ source_id, interval: grid, columns: Float64Array.from(rows) }]
  })
}

function inDollars(
  [, close, volume, volumeQuote, open = null, high = null, low = null]: PastRow['bars'][number],
  rate: number | null,
): VenueBar | null {
  if (rate === null || open === null || high === null || low === null) return null
  if (!(low > 0 && low <= Math.min(open, close) && high >= Math.max(open, close))) return null
  const volume_usd = volumeQuote === null ? null : volumeQuote * rate
  return { open: open * rate, high: high * rate, low: low * rate, close: close * rate, volume, volume_usd }
}

function joinedBar(parts: readonly (VenueBar | null)[]): VenueBar | null {
  const [first, ...others] = parts
  if (!first) return null
  let whole = first
  for (const part of others) {
    if (!part) return null
    whole = {
      open: whole.open,
      high: Math.max(whole.high, part.high),
      low: Math.min(whole.low, part.low),
      close: part.close,
      volume: sumOf(whole.volume, part.volume),
      volume_usd: sumOf(whole.volume_usd, part.volume_usd),
    }
  }
  return whole
}

const sumOf = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b)
