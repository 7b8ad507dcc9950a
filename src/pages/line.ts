import type { HistoryAnswer, Point } from '../client/answers.ts'
import { change, day, price } from './format.ts'

const [WIDTH, HEIGHT] = [600, 200]
export const VIEW_BOX = `0 0 ${WIDTH} ${HEIGHT}`
/** Least height of a drawing, as a share of its largest price: what moves less, such as a stablecoin, looks calm. */
export const LEAST_SPAN = 0.02
/** A gap of more than this many intervals breaks the line. */
const GAP = 3

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

/** Returns a series of prices as a line, which breaks where points are missing; null: fewer than two prices. */
export function lineOf({ slug, days, rows }: Series): Line | null {
  const points = rows.map(({ timestamp, price_usd }) => ({ at: Date.parse(timestamp), price: price_usd }))
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last || first === last) return null
  const [low, high] = [Math.min(...points.map(({ price }) => price)), Math.max(...points.map(({ price }) => price))]
  const [middle, range] = [(low + high) / 2, Math.max(high - low, high * LEAST_SPAN)]
  const steps = points.slice(1).map(({ at }, index) => at - (points[index]?.at ?? at))
  const usual = steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 0
  const path = points.map(({ at, price }, index) => {
    const x = ((at - first.at) / (last.at - first.at)) * WIDTH
    const y = HEIGHT / 2 - ((price - middle) / range) * (HEIGHT - 8)
    const isBroken = index === 0 || (steps[index - 1] ?? 0) > GAP * usual
    return `${isBroken ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`
  })
  // The changes of a day and of a week are figures of the asset, from other times than those of these points.
  const moved = days > 7 ? ` (${change((last.price / first.price - 1) * 100)})` : ''
  return {
    path: path.join(''),
    words: `${slug}: ${price(first.price)} to ${price(last.price)}${moved}, low ${price(low)}, high ${price(high)}`,
    captions: [day(rows[0]?.timestamp ?? ''), `${price(low)} – ${price(high)}`, day(rows.at(-1)?.timestamp ?? '')],
  }
}

/** Says why there is no line. */
export const noLineOf = ({ days, rows }: Series): string => `No line yet: ${rows.length} price in ${days} days.`
