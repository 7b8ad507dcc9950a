import { range } from 'd3-array'
import { type Ms, INTERVAL_MS } from '../contract/time.ts'
import { byKey } from '../contract/order.ts'
import type { GridInterval } from '../contract/history.ts'
import type { PastBar, PastRow } from '../contract/observations.ts'
import type { RightsClass } from '../contract/rights.ts'
import { Columns } from './columns.ts'
import { barsFor, bucketOf } from './grid.ts'
import { VENUE_BAR_COLUMNS } from './past.ts'

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

const VENUE_FIGURES = [...VENUE_BAR_COLUMNS, 'volume_usd'] as const

/** Bars of one venue in dollars; `volume_usd` is what was traded in the quote currency. A volume that is not reported is NaN. */
export type VenueBars = Columns<(typeof VENUE_FIGURES)[number]>

/** Whether bars of a width are made for a grid: an hourly answer reaches as far back as the range of four hours. */
const isFor = (interval: GridInterval, grid: GridInterval): boolean =>
  grid === interval || (grid === '4h' && interval === '1h')

/**
 * Returns the closed bars of an answer for a grid, none where it has none for that. A bar of several narrower ones is left out
 * if one of them cannot be read, or if the answer may begin or end within it.
 */
export function venueBars({ bars, interval, width, rateAt }: PastAnswer, grid: GridInterval, now: Ms): VenueBars {
  const [length, size] = [INTERVAL_MS[barsFor(interval)], INTERVAL_MS[grid]]
  const joined: VenueBars = new Columns(size, VENUE_FIGURES)
  const isClosed = (place: number) => valueAt(bars, place) % length === 0 && valueAt(bars, place) + length <= now
  const places = width === 2 || !isFor(interval, grid) ? [] : range(0, bars.length, width).filter(isClosed)
  const [first, last] = [places[0], places.at(-1)]
  if (first === undefined || last === undefined) return joined
  const [begin, end] = [valueAt(bars, first), valueAt(bars, last) + length]
  const from = bucketOf(begin, grid)
  const columnOf = (name: (typeof VENUE_FIGURES)[number]) => joined.room(name, from, bucketOf(end - length, grid))
  const [opens, highs, lows] = [columnOf('open_usd'), columnOf('high_usd'), columnOf('low_usd')]
  const [closes, volumes, quoted] = [columnOf('close_usd'), columnOf('volume_base'), columnOf('volume_usd')]
  let unreadable = Number.NaN
  for (const place of places) {
    const start = valueAt(bars, place)
    const bucket = bucketOf(start, grid)
    if (bucket < begin || bucket + size > end || bucket === unreadable) continue
    const rate = (isReadable(bars, place) ? rateAt(start + length - 1) : null) ?? Number.NaN
    if (Number.isNaN(rate)) unreadable = bucket
    const at = (bucket - from) / size
    if (Number.isNaN(valueAt(closes, at))) {
      opens[at] = valueAt(bars, place + 4) * rate
      highs[at] = volumes[at] = quoted[at] = 0
      lows[at] = Infinity
    }
    highs[at] = Math.max(valueAt(highs, at), valueAt(bars, place + 5) * rate)
    lows[at] = Math.min(valueAt(lows, at), valueAt(bars, place + 6) * rate)
    closes[at] = valueAt(bars, place + 1) * rate
    volumes[at] = valueAt(volumes, at) + valueAt(bars, place + 2)
    quoted[at] = valueAt(quoted, at) + valueAt(bars, place + 3) * rate
  }
  return joined
}

const valueAt = (values: Float32Array | Float64Array, place: number): number => values[place] ?? Number.NaN

/** What is unknown is NaN, of which no comparison is true. @param place where its values begin */
function isReadable(bars: Float64Array, place: number): boolean {
  const [open, close] = [valueAt(bars, place + 4), valueAt(bars, place + 1)]
  const [high, low] = [valueAt(bars, place + 5), valueAt(bars, place + 6)]
  return low > 0 && low <= Math.min(open, close) && high >= Math.max(open, close)
}
