import { UNKNOWN, tone } from './format.ts'
import { pathOf } from './line.ts'

interface Week {
  readonly price_usd: number | null
  readonly percent_change_7d: number | null
  /** Prices at equal distances; null: unknown. */
  readonly sparkline_7d: readonly (number | null)[]
}

/**
 * Returns the prices of a week from the one that its published change is measured from to the present one, so that the line
 * and the change agree.
 */
export function weekOf({ price_usd, percent_change_7d: change, sparkline_7d }: Week): readonly (number | null)[] {
  if (price_usd === null) return sparkline_7d
  const from = change === null || change <= -100 ? null : price_usd / (1 + change / 100)
  return [from ?? sparkline_7d[0] ?? null, ...sparkline_7d.slice(1), price_usd]
}

const SIZE = [112, 32] as const
/** Least height of a line, as a share of its largest value: a stablecoin looks calm. */
const LEAST_SPAN = 0.01

interface SparkProps {
  readonly values: readonly (number | null)[]
  /** Its change in percent, which gives the colour; absent: it has none. */
  readonly percent?: number | null
}

/** A small line without words. */
export function Spark({ values, percent = null }: SparkProps) {
  const path = pathOf(values, SIZE, LEAST_SPAN)
  if (path === null) return <>{UNKNOWN}</>
  const [width, height] = SIZE
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      class="spark"
      data-tone={tone(percent)}
      aria-hidden="true"
    >
      <path d={path} />
    </svg>
  )
}

const WIDE = [600, 200] as const

interface LineChartProps {
  readonly values: readonly (number | null)[]
  readonly percent: number | null
  /** What it shows in words. */
  readonly words: string
  /** Its begin, its range and its end. */
  readonly captions: readonly string[]
}

/** A line that needs no script, with its ends and its range; nothing for fewer than two values. */
export function LineChart({ values, percent, words, captions }: LineChartProps) {
  const path = pathOf(values, WIDE)
  return path === null ? null : (
    <figure role="img" aria-label={words}>
      <svg viewBox={`0 0 ${WIDE.join(' ')}`} preserveAspectRatio="none" data-tone={tone(percent)}>
        <path d={path} />
      </svg>
      <figcaption>
        {captions.map((text) => (
          <span>{text}</span>
        ))}
      </figcaption>
    </figure>
  )
}
