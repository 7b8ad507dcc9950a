import type { Point } from '../client/answers.ts'
import { svg } from './dom.ts'
import { tone } from './format.ts'

const [WIDTH, HEIGHT] = [112, 32]
/** More points are indistinguishable in so few pixels. */
const MOST_POINTS = 56

/** Draws a sparkline of prices. Returns null for fewer than two values. */
export function spark(points: readonly Point[]): SVGSVGElement | null {
  const step = Math.max(1, Math.ceil(points.length / MOST_POINTS))
  // Sampled from the end, so that the last price is always included.
  const shown = points.filter((_, at) => (points.length - 1 - at) % step === 0)
  const [first, last] = [shown[0], shown.at(-1)]
  if (!first || !last || shown.length < 2) return null
  const prices = shown.map(({ price_usd }) => price_usd)
  const [low, high] = [Math.min(...prices), Math.max(...prices)]
  const [begin, end] = [Date.parse(first.timestamp), Date.parse(last.timestamp)]
  const place = ({ timestamp, price_usd }: Point): string => {
    const x = 1 + ((Date.parse(timestamp) - begin) / (end - begin)) * (WIDTH - 2)
    const y = high === low ? HEIGHT / 2 : 2 + (1 - (price_usd - low) / (high - low)) * (HEIGHT - 4)
    return `${x.toFixed(1)} ${y.toFixed(1)}`
  }
  return svg(
    'svg',
    {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      width: WIDTH,
      height: HEIGHT,
      class: `spark ${tone((last.price_usd / first.price_usd - 1) * 100)}`,
      'aria-hidden': 'true',
    },
    svg('path', { d: `M${shown.map(place).join('L')}` }),
  )
}
