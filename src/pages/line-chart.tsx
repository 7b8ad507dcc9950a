import type { HistoryAnswer, Point } from '../client/answers.ts'
import { LEAST_SPAN } from './axis.ts'
import { change, day, price } from './format.ts'

const [WIDTH, HEIGHT] = [600, 200]
/** A gap of more than this many intervals breaks the line. */
const GAP = 3

type Series = Pick<HistoryAnswer, 'slug' | 'days'> & {
  readonly rows: readonly Pick<Point, 'timestamp' | 'price_usd'>[]
}

/** Draws a series of prices as a line with its ends and its range in words. The line breaks where points are missing. */
export function LineChart({ slug, days, rows }: Series) {
  const points = rows.map(({ timestamp, price_usd }) => ({ at: Date.parse(timestamp), price: price_usd }))
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last || first === last)
    return (
      <figure>
        <figcaption>{`No line yet: ${points.length} price in ${days} days.`}</figcaption>
      </figure>
    )
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
  const words = `${slug}: ${price(first.price)} to ${price(last.price)}${moved}, low ${price(low)}, high ${price(high)}`
  return (
    <figure role="img" aria-label={words}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none">
        <path d={path.join('')} />
      </svg>
      <figcaption>
        <span>{day(rows[0]?.timestamp ?? '')}</span>
        <span>{`${price(low)} – ${price(high)}`}</span>
        <span>{day(rows.at(-1)?.timestamp ?? '')}</span>
      </figcaption>
    </figure>
  )
}
