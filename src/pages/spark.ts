import { svg } from './dom.ts'
import { tone } from './format.ts'

const [WIDTH, HEIGHT] = [112, 32]
/** Least height of the drawing in prices: what moves less than 1 %, such as a stablecoin, looks calm. */
const LEAST_RANGE = 0.01

/** Draws a sparkline of prices at equal distances; null: unknown. Returns null for fewer than two prices. */
export function spark(prices: readonly (number | null)[]): SVGSVGElement | null {
  const known = prices.flatMap((price, at) => (price === null ? [] : [{ price, at }]))
  const [first, last] = [known[0], known.at(-1)]
  if (!first || !last || first === last) return null
  const [low, high] = [Math.min(...known.map(({ price }) => price)), Math.max(...known.map(({ price }) => price))]
  const [middle, range] = [(low + high) / 2, Math.max(high - low, high * LEAST_RANGE)]
  const place = ({ price, at }: { readonly price: number; readonly at: number }): string => {
    const x = 1 + ((at - first.at) / (last.at - first.at)) * (WIDTH - 2)
    const y = HEIGHT / 2 - ((price - middle) / range) * (HEIGHT - 4)
    return `${x.toFixed(1)} ${y.toFixed(1)}`
  }
  return svg(
    'svg',
    {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      width: WIDTH,
      height: HEIGHT,
      class: `spark ${tone((last.price / first.price - 1) * 100)}`,
      'aria-hidden': 'true',
    },
    svg('path', { d: `M${known.map(place).join('L')}` }),
  )
}
