import { UNKNOWN, tone } from './format.ts'
import { type Series, VIEW_BOX, lineOf, noLineOf, pathOf } from './line.ts'

/** A series of prices as a line with its ends and its range in words. */
export function LineChart(series: Series) {
  const line = lineOf(series)
  return line === null ? (
    <figure>
      <figcaption>{noLineOf(series)}</figcaption>
    </figure>
  ) : (
    <figure role="img" aria-label={line.words}>
      <svg viewBox={VIEW_BOX} preserveAspectRatio="none">
        <path d={line.path} />
      </svg>
      <figcaption>
        {line.captions.map((text) => (
          <span>{text}</span>
        ))}
      </figcaption>
    </figure>
  )
}

const SPARK = [112, 32] as const
/** Least height of a sparkline in prices, and least change with a colour: a stablecoin looks calm. */
const [LEAST_SPARK, LEAST_MOVE_PERCENT] = [0.01, 0.5]

interface SparkProps {
  /** Prices at equal distances; null: unknown. */
  readonly prices: readonly (number | null)[]
  /** The published change over these days, which gives the colour. */
  readonly percent: number | null
}

/** A line of the last days without words. */
export function Spark({ prices, percent }: SparkProps) {
  const known = prices.flatMap((price, at) => (price === null ? [] : [{ at, price }]))
  const path = pathOf(known, SPARK, LEAST_SPARK)
  if (path === null) return <>{UNKNOWN}</>
  const kind = Math.abs(percent ?? 0) < LEAST_MOVE_PERCENT ? 'flat' : tone(percent)
  const [width, height] = SPARK
  return (
    <svg viewBox={`0 0 ${SPARK.join(' ')}`} width={width} height={height} class={`spark ${kind}`} aria-hidden="true">
      <path d={path} />
    </svg>
  )
}
