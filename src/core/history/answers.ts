import { type Ms, INTERVAL_MS } from '../contract/time.ts'
import { byKey, groupBy } from '../contract/order.ts'
import type { GridInterval } from '../contract/history.ts'
import type { PastBar, PastRow } from '../contract/observations.ts'
import type { RightsClass } from '../contract/rights.ts'
import { barsFor, bucketOf } from './grid.ts'

/** What is believed of an answer about the past of a listing, and what it takes to read it. */
export interface PastAnswer extends PastRow {
  /** Name of the source in `sourceLabel`, without a comma or a semicolon. */
  readonly label: string
  readonly rights: RightsClass
  /** Whether these are prices at an instant, as an aggregator has them, and not bars. */
  readonly isRolling: boolean
  /** Whether candles are made of its bars. */
  readonly isFollowed: boolean
  /** Returns the price in US dollars of the quote currency at a time; null if it is unknown. */
  readonly rateAt: (ms: Ms) => number | null
}

/** Returns bars in the order of their times; of several with the same time the last. Those of most answers are in order. */
function inOrder(bars: readonly PastBar[]): readonly PastBar[] {
  const isInOrder = bars.every(([at], index) => at > (bars[index - 1]?.[0] ?? -Infinity))
  return isInOrder ? bars : [...new Map(bars.map((bar) => [bar[0], bar])).values()].toSorted(byKey)
}

/**
 * Returns the price of each bucket, from bars in any order. A close is the price at the end of its bar, so it belongs to the
 * bucket of the bar's last millisecond. The last price of a bucket counts. The volume is dropped, because it is that of one
 * venue.
 *
 * @param now time of the run: a bar that is still open then has no close
 */
export function pointsFrom(
  { bars, interval, isRolling, rateAt }: Pick<PastAnswer, 'bars' | 'interval' | 'isRolling' | 'rateAt'>,
  now: Ms,
): ReadonlyMap<Ms, number> {
  const length = isRolling ? 0 : INTERVAL_MS[barsFor(interval)]
  const prices = new Map<Ms, number>()
  for (const [start, close] of inOrder(bars)) {
    // Some venues write 0 as the close of a bar without trades.
    if (close <= 0 || start + length > now) continue
    const at = isRolling ? start : start + length - 1
    const rate = rateAt(at)
    if (rate !== null) prices.set(bucketOf(at, interval), close * rate)
  }
  return prices
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

/**
 * Returns the closed bars of an answer for a grid, by the start of their bucket. Hourly ones serve that of four hours too. A
 * bar of several narrower ones is left out if one of them cannot be read, or if the answer may begin or end within it.
 */
export function venueBars(
  { interval, bars, rateAt }: Pick<PastAnswer, 'bars' | 'interval' | 'rateAt'>,
  grid: GridInterval,
  now: Ms,
): ReadonlyMap<Ms, VenueBar> {
  const joined = new Map<Ms, VenueBar>()
  if (grid !== interval && !(grid === '4h' && interval === '1h')) return joined
  const length = INTERVAL_MS[barsFor(interval)]
  const closed = inOrder(bars)
    .filter(([at]) => at % length === 0 && at + length <= now)
    .map((bar) => ({ at: bar[0], bar: inDollars(bar, rateAt(bar[0] + length - 1)) }))
  const [first, end] = [closed[0]?.at ?? 0, (closed.at(-1)?.at ?? 0) + length]
  for (const [bucket, parts] of groupBy(closed, ({ at }) => bucketOf(at, grid))) {
    const isWhole = first <= bucket && end >= bucket + INTERVAL_MS[grid]
    const bar = isWhole ? joinedBar(parts.map((part) => part.bar)) : null
    if (bar) joined.set(bucket, bar)
  }
  return joined
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
