import { type Ms, INTERVAL_MS } from '../contract/time.ts'
import { byKey, groupBy } from '../contract/order.ts'
import type { GridInterval } from '../contract/history.ts'
import type { PastBar, PastRow } from '../contract/observations.ts'
import type { RightsClass } from '../contract/rights.ts'
import { barsFor, bucketOf } from './grid.ts'

/** What is believed of an answer about the past of a listing, and what it takes to read it. */
export interface PastAnswer extends Omit<PastRow, 'bars'> {
  /** Its bars in the order of their times, {@link packed}. */
  readonly bars: Float64Array
  /** Number of values of each: all, or the start and the close alone. */
  readonly width: 2 | 7
  /** Name of the source in `sourceLabel`, without a comma or a semicolon. */
  readonly label: string
  readonly rights: RightsClass
  /** Whether these are prices at an instant, as an aggregator has them, and not bars. */
  readonly isRolling: boolean
  /** Returns the price in US dollars of the quote currency at a time; null if it is unknown. */
  readonly rateAt: (ms: Ms) => number | null
}

/**
 * Returns bars in one array, in the order of their times; of several with the same time the last. NaN: unknown. The years of
 * all listings in a first run would take five times the memory as they are.
 */
export function packed(bars: readonly PastBar[], width: PastAnswer['width']): Float64Array {
  const isInOrder = bars.every(([at], index) => at > (bars[index - 1]?.[0] ?? -Infinity))
  const inOrder = isInOrder ? bars : [...new Map(bars.map((bar) => [bar[0], bar])).values()].toSorted(byKey)
  const values = new Float64Array(inOrder.length * width)
  for (const [row, bar] of inOrder.entries())
    for (let place = 0; place < width; place++) values[row * width + place] = bar[place] ?? Number.NaN
  return values
}

export const startsOf = ({ bars, width }: Pick<PastAnswer, 'bars' | 'width'>): Float64Array =>
  bars.filter((_, place) => place % width === 0)

/**
 * Returns the price of each bucket. A close is the price at the end of its bar, so it belongs to the bucket of the bar's last
 * millisecond. The last price of a bucket counts. The volume is dropped, because it is that of one venue.
 *
 * @param now time of the run: a bar that is still open then has no close
 */
export function pointsFrom({ bars, width, interval, isRolling, rateAt }: PastAnswer, now: Ms): ReadonlyMap<Ms, number> {
  const length = isRolling ? 0 : INTERVAL_MS[barsFor(interval)]
  const prices = new Map<Ms, number>()
  for (let place = 0; place < bars.length; place += width) {
    const [start, close] = [bars[place] ?? 0, bars[place + 1] ?? 0]
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

/** Grids that bars of a width are made for: an hourly answer reaches as far back as the range of four hours. */
const gridsFor = (interval: GridInterval): readonly GridInterval[] => (interval === '1h' ? ['1h', '4h'] : [interval])

/**
 * Returns the closed bars of an answer for each of its grids, by the start of their bucket. A bar of several narrower ones is
 * left out if one of them cannot be read, or if the answer may begin or end within it.
 */
export function venueBars(answer: PastAnswer, now: Ms): ReadonlyMap<GridInterval, ReadonlyMap<Ms, VenueBar>> {
  const { interval, width, rateAt } = answer
  if (width === 2) return new Map()
  const length = INTERVAL_MS[barsFor(interval)]
  const closed: { readonly at: Ms; readonly bar: VenueBar | null }[] = []
  for (const [row, at] of startsOf(answer).entries())
    if (at % length === 0 && at + length <= now)
      closed.push({ at, bar: inDollars(answer, row, rateAt(at + length - 1)) })
  const [first, end] = [closed[0]?.at ?? 0, (closed.at(-1)?.at ?? 0) + length]
  const joinedFor = (grid: GridInterval) => {
    const joined = new Map<Ms, VenueBar>()
    for (const [bucket, parts] of groupBy(closed, ({ at }) => bucketOf(at, grid))) {
      const isWhole = first <= bucket && end >= bucket + INTERVAL_MS[grid]
      const bar = isWhole ? joinedBar(parts.map((part) => part.bar)) : null
      if (bar) joined.set(bucket, bar)
    }
    return [grid, joined] as const
  }
  return new Map(gridsFor(interval).map(joinedFor))
}

function inDollars({ bars, width }: PastAnswer, row: number, rate: number | null): VenueBar | null {
  const valueAt = (place: number): number => bars[row * width + place] ?? Number.NaN
  const [close, volume, quoted] = [valueAt(1), valueAt(2), valueAt(3)]
  const [open, high, low] = [valueAt(4), valueAt(5), valueAt(6)]
  // What is unknown is NaN, of which no comparison is true.
  if (rate === null || !(low > 0 && low <= Math.min(open, close) && high >= Math.max(open, close))) return null
  return {
    open: open * rate,
    high: high * rate,
    low: low * rate,
    close: close * rate,
    volume: Number.isNaN(volume) ? null : volume,
    volume_usd: Number.isNaN(quoted) ? null : quoted * rate,
  }
}

/** Returns consecutive bars as one; null if one of them is. */
const joinedBar = (parts: readonly (VenueBar | null)[]): VenueBar | null =>
  parts.reduce(
    (whole, part) =>
      whole &&
      part && {
        open: whole.open,
        high: Math.max(whole.high, part.high),
        low: Math.min(whole.low, part.low),
        close: part.close,
        volume: sumOf(whole.volume, part.volume),
        volume_usd: sumOf(whole.volume_usd, part.volume_usd),
      },
  )

/** The sum of two volumes; null if one of them is unknown. */
export const sumOf = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b)
