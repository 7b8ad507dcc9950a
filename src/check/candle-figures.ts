import { group } from 'd3-array'
import { INTERVAL_MS } from '../contract/time.ts'
import { type CandleRow, candleFile } from '../contract/candles.ts'
import type { Days } from '../contract/history.ts'
import { type CandleSeries, parseCandles, recomputedRow } from '../history/candle-series.ts'
import { bucketOf, timeOf, timestampOf } from '../history/grid.ts'
import type { TreeReader } from '../tree/reader.ts'
import type { Comparison } from './deviation.ts'
import { comparedRanges } from './range-figures.ts'

/**
 * Compares the candles of an asset with their grids, the bars with themselves and with the shorter bars that they cover, bars
 * of several venues with those of the venues, and bars of four hours with their hours, where both are of one venue. Nothing
 * is compared for an asset without candles.
 */
export async function compareCandles(slug: string, read: TreeReader, comparison: Comparison): Promise<void> {
  const fileOf = (days: Days) => candleFile(slug, days)
  const ranges = await comparedRanges({ fileOf, parse: parseCandles, read }, true, comparison)
  for (const range of ranges.values()) {
    const { days, rows, interval } = range
    const newest = rows.at(-1)
    const asOf = newest ? timestampOf(timeOf(newest.timestamp) + INTERVAL_MS[interval]) : null
    const compare = comparison.membersOf(fileOf(days), range)
    compare({ to: newest?.timestamp ?? null, asOf }, 'start and end of the newest bar')
    const shorter = SHORTER.flatMap((other) => (other < days && days !== 90 ? (ranges.get(other)?.rows ?? []) : []))
    compareRows(range, shorter, comparison)
  }
  const [hours, fourHours] = [ranges.get(7), ranges.get(30)]
  if (hours && fourHours) compareHours(hours, fourHours, comparison)
}

/** The ranges of shorter bars that the bars of a longer one cover. */
const SHORTER: readonly Days[] = [1, 7, 30]

/** Compares each bar with its own prices, with the shorter bars of its time, and with those of its venues. */
function compareRows(
  { slug, days, interval, rows }: CandleSeries,
  shorter: readonly CandleRow[],
  comparison: Comparison,
): void {
  const covered = group(shorter, ({ timestamp }) => timestampOf(bucketOf(timeOf(timestamp), interval)))
  for (const [index, row] of rows.entries()) {
    const { timestamp, open_usd, high_usd, low_usd, close_usd, inputs } = row
    const parts = covered.get(timestamp) ?? []
    const compare = comparison.membersOf(candleFile(slug, days), row, `rows[${index}]`)
    compare(
      {
        high_usd: Math.max(high_usd, open_usd, close_usd, ...parts.map((part) => part.high_usd)),
        low_usd: Math.min(low_usd, open_usd, close_usd, ...parts.map((part) => part.low_usd)),
      },
      'no price of its time, or of a shorter bar of it, is above the high or below the low',
    )
    if (inputs.length === 0) continue
    const own = recomputedRow(row)
    const high = Math.max(high_usd, own?.high_usd ?? Infinity)
    const low = Math.min(low_usd, own?.low_usd ?? 0)
    compare({ ...own, high_usd: high, low_usd: low }, 'the rule of bars over those of the venues')
  }
}

/** Compares bars of four hours with their hours where both are of the same single venue. */
function compareHours(hours: CandleSeries, fourHours: CandleSeries, comparison: Comparison): void {
  if (new Set([...hours.sources, ...fourHours.sources]).size !== 1) return
  const byTime = new Map(hours.rows.map((row) => [row.timestamp, row]))
  for (const [index, row] of fourHours.rows.entries()) {
    const start = timeOf(row.timestamp)
    const parts = [0, 1, 2, 3].flatMap((hour) => byTime.get(timestampOf(start + hour * INTERVAL_MS['1h'])) ?? [])
    const [first, last] = [parts[0], parts[3]]
    if (!first || !last) continue
    const compare = comparison.membersOf(candleFile(fourHours.slug, 30), row, `rows[${index}]`)
    compare(
      {
        open_usd: first.open_usd,
        high_usd: Math.max(...parts.map(({ high_usd }) => high_usd)),
        low_usd: Math.min(...parts.map(({ low_usd }) => low_usd)),
        close_usd: last.close_usd,
      },
      'the four hours of the venue',
    )
  }
}
