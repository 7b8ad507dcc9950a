import { INTERVAL_MS, type Ms } from '../core/contract/time.ts'

type Size = Readonly<Record<'width' | 'height', number>>
export const viewBoxOf = ({ width, height }: Size): string => `0 0 ${width} ${height}`
const WIDE: Size = { width: 600, height: 200 }
export const VIEW_BOX = viewBoxOf(WIDE)
/** Least height of a drawing, as a share of its largest price: what moves less, such as a stablecoin, looks calm. */
export const LEAST_SPAN = 0.02
const ROOM_PX = 2
/** A line breaks where more than this many steps are between two points. */
const GAP = 3

export interface ChartGrid<Row> {
  readonly rows: readonly Row[]
  readonly interval: keyof typeof INTERVAL_MS
  readonly to: string | null
}

/**
 * Returns the steps of a range from its first row on with the row of each; null: it has none, which leaves a gap in the line.
 * What precedes the first row would be an empty frame.
 */
export function chartGridOf<Row extends { readonly timestamp: string }>({ rows, interval, to }: ChartGrid<Row>) {
  const known = new Map(rows.map((row) => [Date.parse(row.timestamp), row]))
  const times: Ms[] = []
  if (rows[0] && to !== null)
    for (let at = Date.parse(rows[0].timestamp); at <= Date.parse(to); at += INTERVAL_MS[interval]) times.push(at)
  return { times, at: times.map((time) => known.get(time) ?? null) }
}

/** Returns prices at equal distances as the path of a line, which breaks where many are missing; null: fewer than two. */
export function pathOf(prices: readonly (number | null)[], { width, height } = WIDE, leastSpan = LEAST_SPAN) {
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
