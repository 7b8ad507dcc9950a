import { type Series, VIEW_BOX, lineOf, noLineOf } from './line.ts'

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
