import type { HistoryAnswer, Point } from '../client/answers.ts'
import { change, day, price } from './format.ts'

const SIZE = [600, 200] as const
export const VIEW_BOX = `0 0 ${SIZE.join(' ')}`
/** Least height of a drawing, as a share of its largest price: what moves less, such as a stablecoin, looks calm. */
export const LEAST_SPAN = 0.02
/** Room above and below a line, in pixels of the drawing. */
const ROOM_PX = 2
/** A gap of more than this many intervals breaks the line. */
const GAP = 3

/** Returns prices as the path of a line, which breaks where points are missing; null: fewer than two. */
export function pathOf(
  points: readonly { readonly at: number; readonly price: number }[],
  [width, height]: readonly [number, number],
  leastSpan = LEAST_SPAN,
): string | null {
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last || first === last) return null
  const [low, high] = [Math.min(...points.map(({ price }) => price)), Math.max(...points.map(({ price }) => price))]
  const [middle, range] = [(low + high) / 2, Math.max(high - low, high * leastSpan)]
  const steps = points.slice(1).map(({ at }, index) => at - (points[index]?.at ?? at))
  const usual = steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 0
  const stops = points.map(({ at, price }, index) => {
    const x = ((at - first.at) / (last.at - first.at)) * width
    const y = height / 2 - ((price - middle) / range) * (height - 2 * ROOM_PX)
    const isBroken = index === 0 || (steps[index - 1] ?? 0) > GAP * usual
    return `${isBroken ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`
  })
  return stops.join('')
}

/** What a line is drawn from. */
export type Series = Pick<HistoryAnswer, 'slug' | 'days'> & {
  readonly rows: readonly Pick<Point, 'timestamp' | 'price_usd'>[]
}

/** A line, what it shows in words, and what is below it: its begin, its range and its end. */
interface Line {
  readonly path: string
  readonly words: string
  readonly captions: readonly string[]
}

/** Returns a series of prices as a line; null: fewer than two prices. */
export function lineOf({ slug, days, rows }: Series): Line | null {
  const path = pathOf(
    rows.map(({ timestamp, price_usd }) => ({ at: Date.parse(timestamp), price: price_usd })),
    SIZE,
  )
  const [first, last] = [rows[0], rows.at(-1)]
  if (path === null || !first || !last) return null
  const prices = rows.map(({ price_usd }) => price_usd)
  const range = [price(Math.min(...prices)), price(Math.max(...prices))] as const
  // The changes of a day and of a week are figures of the asset, from other times than those of these points.
  const moved = days > 7 ? ` (${change((last.price_usd / first.price_usd - 1) * 100)})` : ''
  return {
    path,
    words: `${slug}: ${price(first.price_usd)} to ${price(last.price_usd)}${moved}, low ${range[0]}, high ${range[1]}`,
    captions: [day(first.timestamp), range.join(' – '), day(last.timestamp)],
  }
}

/** Says why there is no line. */
export const noLineOf = ({ days, rows }: Series): string => `No line yet: ${rows.length} price in ${days} days.`
