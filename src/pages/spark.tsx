import { tone } from './format.ts'

const [WIDTH, HEIGHT] = [112, 32]
/** Least height of the drawing in prices: what moves less than 1 %, such as a stablecoin, looks calm. */
const LEAST_RANGE = 0.01

interface SparkProps {
  /** Prices at equal distances; null: unknown. */
  readonly prices: readonly (number | null)[]
  /** The published change over these days, which gives the colour. */
  readonly percent: number | null
}

/** Returns the path of a sparkline; null for fewer than two prices. */
export function sparkPath(prices: readonly (number | null)[]): string | null {
  const known = prices.flatMap((price, at) => (price === null ? [] : [{ price, at }]))
  const [first, last] = [known[0], known.at(-1)]
  if (!first || !last || first === last) return null
  const [low, high] = [Math.min(...known.map(({ price }) => price)), Math.max(...known.map(({ price }) => price))]
  const [middle, range] = [(low + high) / 2, Math.max(high - low, high * LEAST_RANGE)]
  const points = known.map(({ price, at }) => {
    const x = 1 + ((at - first.at) / (last.at - first.at)) * (WIDTH - 2)
    const y = HEIGHT / 2 - ((price - middle) / range) * (HEIGHT - 4)
    return `${x.toFixed(1)} ${y.toFixed(1)}`
  })
  return `M${points.join('L')}`
}

/** A change below this share of the price has a neutral colour, such as that of a stablecoin. */
const LEAST_MOVE_PERCENT = 0.5

/** A line of the last days without words. */
export function Spark({ prices, percent }: SparkProps) {
  const path = sparkPath(prices)
  if (path === null) return <>–</>
  const kind = Math.abs(percent ?? 0) < LEAST_MOVE_PERCENT ? 'flat' : tone(percent)
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} class={`spark ${kind}`} aria-hidden="true">
      <path d={path} />
    </svg>
  )
}
