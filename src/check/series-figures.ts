import { group } from 'd3-array'
import { type CandleRow, candleFile } from '../contract/candles.ts'
import { Daily, dailyFile } from '../contract/daily.ts'
import { DAYS, type Days, type GridInterval } from '../contract/history.ts'
import { RatesOfYear, ratesYear } from '../contract/rates.ts'
import { readJson } from '../contract/read-json.ts'
import { INTERVAL_MS } from '../contract/time.ts'
import { type CandleSeries, parseCandles, recomputedRow } from '../history/candle-series.ts'
import { bucketOf, timeOf, timestampOf, windowOf } from '../history/grid.ts'
import { ofYear } from '../history/past-rates.ts'
import { isWidthOf, usualWidthOf } from '../history/series.ts'
import type { TreeReader } from '../tree/reader.ts'
import type { Comparison } from './deviation.ts'

interface Range {
  readonly interval: GridInterval
  readonly from: string | null
  readonly to: string | null
  readonly missing: number
  readonly rows: readonly { readonly timestamp: string }[]
}

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

/** Compares the daily bars of a listing with themselves: each day has a whole bar or none. */
export async function compareDaily(slug: string, read: TreeReader, comparison: Comparison): Promise<void> {
  const file = dailyFile(slug)
  const daily = readJson(await read(file), Daily)
  if (daily === null) return
  const { columns } = daily
  const { open_usd, close_usd, venues } = columns
  const bounded = (column: readonly (number | null)[], bound: (...prices: readonly number[]) => number) =>
    column.map((price, at) =>
      venues[at] === 0 || price === null ? null : bound(price, open_usd[at] ?? price, close_usd[at] ?? price),
    )
  const compare = comparison.membersOf(file, columns, 'columns')
  compare({ close_usd: bounded(close_usd, (price) => price) }, 'a day that no venue has is null')
  compare({ high_usd: bounded(columns.high_usd, Math.max) }, 'no price of the day is above the high')
  compare({ low_usd: bounded(columns.low_usd, Math.min) }, 'no price of the day is below the low')
  const missing = venues.filter((count) => count === 0).length
  comparison.membersOf(file, daily)({ slug, missing }, 'the days without a venue')
}

/** Compares the rates of past days with their own order, days and spans. A tree without rates has nothing to compare. */
export async function comparePastRates(
  files: readonly string[],
  read: TreeReader,
  comparison: Comparison,
): Promise<void> {
  for (const file of files) {
    const year = ratesYear(file)
    if (year === null) continue
    // eslint-disable-next-line no-await-in-loop -- a year may be a megabyte, and one at a time is all that is held
    const published = readJson(await read(file), RatesOfYear)
    if (published === null) continue
    const own = published.rows.filter(({ day }) => day.startsWith(year))
    comparison.membersOf(file, published)({ ...ofYear(year, own) }, 'the rows of the year, in order')
  }
}
