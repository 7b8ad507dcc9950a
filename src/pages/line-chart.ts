import type { HistoryAnswer, Point } from '../client/answers.ts'
import { el, svg } from './dom.ts'
import { change, day, price } from './format.ts'

const [WIDTH, HEIGHT] = [600, 200]
/** A gap of more than this many intervals breaks the line. */
const GAP = 3

/** Draws a series of prices as a line with its ends and its range in words. The line breaks where points are missing. */
export function lineChart({
  slug,
  days,
  rows,
}: Pick<HistoryAnswer, 'slug' | 'days'> & {
  readonly rows: readonly Pick<Point, 'timestamp' | 'price_usd'>[]
}): HTMLElement {
  const points = rows.map(({ timestamp, price_usd }) => ({ at: Date.parse(timestamp), price: price_usd }))
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last || first === last)
    return el('figure', {}, el('figcaption', {}, `No line yet: ${points.length} price in ${days} days.`))
  const [low, high] = [Math.min(...points.map(({ price }) => price)), Math.max(...points.map(({ price }) => price))]
  const steps = points.slice(1).map(({ at }, index) => at - (points[index]?.at ?? at))
  const usual = steps.toSorted((a, b) => a - b)[Math.floor(steps.length / 2)] ?? 0
  const path = points.map(({ at, price }, index) => {
    const x = ((at - first.at) / (last.at - first.at)) * WIDTH
    const y = high === low ? HEIGHT / 2 : 4 + (1 - (price - low) / (high - low)) * (HEIGHT - 8)
    const isBroken = index === 0 || (steps[index - 1] ?? 0) > GAP * usual
    return `${isBroken ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`
  })
  const moved = change((last.price / first.price - 1) * 100)
  const words = `${slug}: ${price(first.price)} to ${price(last.price)} (${moved}), low ${price(low)}, high ${price(high)}`
  return el(
    'figure',
    { role: 'img', 'aria-label': words },
    svg('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none' }, svg('path', { d: path.join('') })),
    el(
      'figcaption',
      {},
      el('span', {}, day(rows[0]?.timestamp ?? '')),
      el('span', {}, `${price(low)} – ${price(high)}`),
      el('span', {}, day(rows.at(-1)?.timestamp ?? '')),
    ),
  )
}
