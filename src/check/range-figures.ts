import { INTERVAL_MS } from '../contract/time.ts'
import { DAYS, type Days, type GridInterval } from '../contract/history.ts'
import { bucketOf, timeOf, timestampOf, windowOf } from '../history/grid.ts'
import { isWidthOf, usualWidthOf } from '../history/series.ts'
import type { TreeReader } from '../tree/reader.ts'
import type { Comparison } from './deviation.ts'

/** A range of history or of candles. */
interface Range {
  readonly interval: GridInterval
  readonly from: string | null
  readonly to: string | null
  readonly missing: number
  readonly rows: readonly { readonly timestamp: string }[]
}

/** How the ranges of an asset are read. */
interface Reading<R extends Range> {
  readonly fileOf: (days: Days) => string
  readonly parse: (text: string | null, days: Days) => R | null
  readonly read: TreeReader
}

/**
 * Reads the ranges of an asset and compares the head of each with its rows, its rows with the grid, and the 90 days with
 * the same days of the 365. Records each range that cannot be read, unless the asset has none and need not.
 */
export async function comparedRanges<R extends Range>(
  { fileOf, parse, read }: Reading<R>,
  isOptional: boolean,
  comparison: Comparison,
): Promise<ReadonlyMap<Days, R>> {
  const ranges = new Map<Days, R>()
  const texts = await Promise.all(DAYS.map(async (days) => [days, await read(fileOf(days))] as const))
  if (isOptional && texts.every(([, text]) => text === null)) return ranges
  for (const [days, text] of texts) {
    const range = parse(text, days)
    const published = range ? 'a range' : 'none that can be read'
    comparison.same(fileOf(days), '', { published, recomputed: 'a range', rule: 'an asset has one of each length' })
    if (!range) continue
    ranges.set(days, range)
    compareRange(fileOf(days), days, range, comparison)
  }
  const [short, year] = [ranges.get(90), ranges.get(365)]
  const { from = null } = short ?? {}
  const recomputed = year?.rows.filter(({ timestamp }) => from !== null && timestamp >= from)
  if (short && year)
    comparison.deep(fileOf(90), 'rows', {
      published: short.rows,
      recomputed,
      rule: 'the 90 days are the last of the 365',
    })
  return ranges
}

/** Compares the head of a range with the window that ends with `to`, and the rows with its grid and the order of time. */
function compareRange(document: string, days: Days, range: Range, comparison: Comparison): void {
  const { rows, to } = range
  const interval = isWidthOf(days, range.interval) ? range.interval : usualWidthOf(days)
  const compare = comparison.membersOf(document, range)
  const window = windowOf(days, interval, to === null ? 0 : timeOf(to))
  compare({ interval }, 'the grid of the range')
  compare({ missing: window.buckets - rows.length }, 'buckets of the range less rows')
  const [from, last] = [window.from, window.to].map(timestampOf)
  if (to === null) compare({ from: null }, 'no observation, no window')
  else compare({ from, to: last }, 'the buckets that end with `to`')
  let earliest = window.from
  for (const [index, { timestamp }] of to === null ? [] : rows.entries()) {
    const start = timeOf(timestamp)
    if (start < earliest || start > window.to || bucketOf(start, interval) !== start) {
      const recomputed = `from ${timestampOf(earliest)} on`
      comparison.same(document, `rows[${index}].timestamp`, {
        published: timestamp,
        recomputed,
        rule: 'rows in order on the grid',
      })
      return
    }
    earliest = start + INTERVAL_MS[interval]
  }
}
