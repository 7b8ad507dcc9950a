import { UNKNOWN } from './format.ts'
import { type Prices, VIEW_BOX, directionOf, lineOf, noLineOf, pathOf } from './line.ts'

/** Prices as a line with its ends and its range in words. */
export function LineChart(prices: Prices) {
  const line = lineOf(prices)
  return line === null ? (
    <figure>
      <figcaption>{noLineOf(prices)}</figcaption>
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
/** Least height of a sparkline, as a share of its largest price: a stablecoin looks calm. */
const LEAST_SPARK = 0.01

interface SparkProps {
  /** Prices at equal distances; null: unknown. */
  readonly prices: readonly (number | null)[]
  /** The published change over these days, which gives the colour. */
  readonly percent: number | null
}

/** A line of the last days without words. */
export function Spark({ prices, percent }: SparkProps) {
  const path = pathOf(prices, SPARK, LEAST_SPARK)
  if (path === null) return <>{UNKNOWN}</>
  const [width, height] = SPARK
  return (
    <svg
      viewBox={`0 0 ${SPARK.join(' ')}`}
      width={width}
      height={height}
      class="spark"
      data-tone={directionOf(percent)}
      aria-hidden="true"
    >
      <path d={path} />
    </svg>
  )
}
