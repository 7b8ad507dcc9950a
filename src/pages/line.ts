import type { HistoryAnswer, Point } from '../client/answers.ts'
import { change, day, price } from './format.ts'

const SIZE = [600, 200] as const
export const VIEW_BOX = `0 0 ${SIZE.join(' ')}`
/** Least height of a drawing, as a share of its largest price: what moves less, such as a stablecoin, looks calm. */
export const LEAST_SPAN = 0.02
/** Room above and below a line, in pixels of the drawing. */
const ROOM_PX = 2
/** A line breaks where more than this many steps are between two points. */
const GAP = 3

/** Steps of published series, and that of a sparkline, in seconds. */
export const STEP_SECONDS = { '15m': 900, '30m': 1800, '1h': 3600, '4h': 14_400, '6h': 21_600, '1d': 86_400 } as const

/** Rows at the steps of a range, some of which may be missing. */
export interface Grid<Row> {
  readonly rows: readonly Row[]
  readonly interval: keyof typeof STEP_SECONDS
  readonly to: string | null
}

/**
 * Returns the steps of a range from its first row on, in seconds since 1970, with the row of each; null: it has none, which
 * leaves a gap in the line. What precedes the first row would be an empty frame.
 */
export function gridOf<Row extends { readonly timestamp: string }>({
  rows,
  interval,
  to,
}: Grid<Row>): { readonly times: number[]; readonly at: readonly (Row | null)[] } {
  const [first] = rows
  const times: number[] = []
  if (first === undefined || to === null) return { times, at: [] }
  const known = new Map(rows.map((row) => [Date.parse(row.timestamp) / 1000, row]))
  for (let at = Date.parse(first.timestamp) / 1000; at <= Date.parse(to) / 1000; at += STEP_SECONDS[interval])
    times.push(at)
  return { times, at: times.map((time) => known.get(time) ?? null) }
}

/** Returns prices at equal distances as the path of a line, which breaks where many are missing; null: fewer than two. */
export function pathOf(
  prices: readonly (number | null)[],
  [width, height]: readonly [number, number],
  leastSpan = LEAST_SPAN,
): string | null {
  const points = prices.flatMap((price, at) => (price === null ? [] : [{ at, price }]))
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last || first === last) return null
  const [low, high] = [Math.min(...points.map(({ price }) => price)), Math.max(...points.map(({ price }) => price))]
  const [middle, range] = [(low + high) / 2, Math.max(high - low, high * leastSpan)]
  const stops = points.map(({ at, price }, index) => {
    const x = ((at - first.at) / (last.at - first.at)) * width
    const y = height / 2 - ((price - middle) / range) * (height - 2 * ROOM_PX)
    const isBroken = at - (points[index - 1]?.at ?? -Infinity) > GAP
    return `${isBroken ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`
  })
  return stops.join('')
}

/** What a line is drawn from. */
export type Prices = Pick<HistoryAnswer, 'slug' | 'days'> & Grid<Pick<Point, 'timestamp' | 'price_usd'>>

/** A line, what it shows in words, and what is below it: its begin, its range and its end. */
interface Line {
  readonly path: string
  readonly words: string
  readonly captions: readonly string[]
}

/** Returns prices as a line; null: fewer than two. */
export function lineOf({ slug, ...grid }: Prices): Line | null {
  const { rows } = grid
  const path = pathOf(
    gridOf(grid).at.map((row) => row?.price_usd ?? null),
    SIZE,
  )
  const [first, last] = [rows[0], rows.at(-1)]
  if (path === null || !first || !last) return null
  const prices = rows.map(({ price_usd }) => price_usd)
  const range = [price(Math.min(...prices)), price(Math.max(...prices))] as const
  const moved = ` (${change((last.price_usd / first.price_usd - 1) * 100)})`
  return {
    path,
    words: `${slug}: ${price(first.price_usd)} to ${price(last.price_usd)}${moved}, low ${range[0]}, high ${range[1]}`,
    captions: [day(first.timestamp), range.join(' – '), day(last.timestamp)],
  }
}

/** Says why there is no line. */
export const noLineOf = ({ days, rows }: Prices): string =>
  `No line yet: ${rows.length === 1 ? 'one price' : 'no price'} in ${days === 1 ? 'a day' : `${days} days`}.`
