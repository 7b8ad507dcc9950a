import { type Ms, INTERVAL_MS } from '../contract/time.ts'
import { byKey } from '../contract/order.ts'
import type { GridInterval } from '../contract/history.ts'
import type { PastBar, PastRow } from '../contract/observations.ts'
import type { RightsClass } from '../contract/rights.ts'
import { barsFor, bucketOf } from './grid.ts'
import type { VenueBarColumn } from './past.ts'

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

/** One bar of one venue; `volume_usd` is what was traded in the quote currency. A volume that is not reported is NaN. */
export type VenueBar = Readonly<Record<VenueBarColumn | 'volume_usd', number>>

/** Grids that bars of a width are made for: an hourly answer reaches as far back as the range of four hours. */
const gridsFor = (interval: GridInterval): readonly GridInterval[] => (interval === '1h' ? ['1h', '4h'] : [interval])

/**
 * Returns the closed bars of an answer for each of its grids, by the start of their bucket. A bar of several narrower ones is
 * left out if one of them cannot be read, or if the answer may begin or end within it.
 */
export function venueBars(answer: PastAnswer, now: Ms): ReadonlyMap<GridInterval, ReadonlyMap<Ms, VenueBar>> {
  const { bars, interval, width, rateAt } = answer
  if (width === 2) return new Map()
  const length = INTERVAL_MS[barsFor(interval)]
  const starts: Ms[] = []
  const closed: (VenueBar | null)[] = []
  for (let place = 0; place < bars.length; place += width) {
    const at = bars[place] ?? 0
    if (at % length !== 0 || at + length > now) continue
    starts.push(at)
    closed.push(inDollars(bars, place, rateAt(at + length - 1)))
  }
  const [first, end] = [starts[0] ?? 0, (starts.at(-1) ?? 0) + length]
  const joinedFor = (grid: GridInterval) => {
    const joined = new Map<Ms, VenueBar>()
    for (let place = 0; place < starts.length;) {
      const bucket = bucketOf(starts[place] ?? 0, grid)
      const next = bucket + INTERVAL_MS[grid]
      let whole = closed[place++] ?? null
      while ((starts[place] ?? Infinity) < next) whole = joinedBar(whole, closed[place++] ?? null)
      if (whole && first <= bucket && end >= next) joined.set(bucket, whole)
    }
    return [grid, joined] as const
  }
  return new Map(gridsFor(interval).map(joinedFor))
}

/** @param place where its values begin */
function inDollars(bars: Float64Array, place: number, rate: number | null): VenueBar | null {
  const valueAt = (at: number): number => bars[place + at] ?? Number.NaN
  const [close, volume, quoted] = [valueAt(1), valueAt(2), valueAt(3)]
  const [open, high, low] = [valueAt(4), valueAt(5), valueAt(6)]
  // What is unknown is NaN, of which no comparison is true.
  if (rate === null || !(low > 0 && low <= Math.min(open, close) && high >= Math.max(open, close))) return null
  return {
    open_usd: open * rate,
    high_usd: high * rate,
    low_usd: low * rate,
    close_usd: close * rate,
    volume_base: volume,
    volume_usd: quoted * rate,
  }
}

/** Returns two consecutive bars as one; null if one of them is. */
const joinedBar = (one: VenueBar | null, next: VenueBar | null): VenueBar | null =>
  one &&
  next && {
    open_usd: one.open_usd,
    high_usd: Math.max(one.high_usd, next.high_usd),
    low_usd: Math.min(one.low_usd, next.low_usd),
    close_usd: next.close_usd,
    volume_base: one.volume_base + next.volume_base,
    volume_usd: one.volume_usd + next.volume_usd,
  }
