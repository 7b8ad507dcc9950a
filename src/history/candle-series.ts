import * as z from 'zod'
import { INTERVAL_MS } from '../contract/time.ts'
import { by } from '../contract/order.ts'
import { type CandleInput, CandleMembers, CandleRow } from '../contract/candles.ts'
import { DAYS, type Days, type Grid, type GridInterval } from '../contract/history.ts'
import { decimal, roundCoins, roundPrice } from '../contract/numbers.ts'
import { readJson } from '../contract/read-json.ts'
import { type RightsClass, narrowestOf } from '../contract/rights.ts'
import { printValue } from '../contract/text.ts'
import { type CombinedBar, combinedBar } from './bar-consensus.ts'
import { bucketOf, timeOf, timestampOf, windowOf } from './grid.ts'
import { type VenueBar, type VenueBars, barsIn } from './venue-bars.ts'

/** One range of an asset's candles, as published. It is the only stored state of the candles. */
export type CandleSeries = Readonly<z.infer<z.ZodObject<typeof CandleMembers>>> & {
  readonly count: number
  readonly rows: readonly CandleRow[]
}

const Published = z.object({ ...CandleMembers, count: z.number(), rows: z.array(CandleRow) })

/** Returns the candles of a range in a document; null if it is missing or damaged. */
export const parseCandles = (text: string | null, days: Days): CandleSeries | null => {
  const series = readJson(text, Published)
  return series?.days === days ? series : null
}

export interface RatedBars {
  readonly bars: VenueBars
  readonly rights: RightsClass
}

/** Arguments of {@link extendCandles}. */
interface CandleExtension {
  readonly slug: string
  /** Reads a published range of the asset; null if there is none. */
  readonly read: (days: Days) => CandleSeries | null
  readonly answers: readonly RatedBars[]
  readonly grid: Grid
  readonly all?: boolean
  /** Why the asset has no bars; null if it has some. */
  readonly notice?: string | null
}

// The 90 days are the tail of the 365: the same grid, so the same rows.
const RANGES = [1, 7, 30, 365] as const

/**
 * Extends the ranges of an asset's candles by bars of venues, and returns those that changed, or all. A published bar
 * stays, unless there is one of more venues. A bar covers the shorter bars of its time, whichever venues made them. A range
 * ends with its newest bar, so that it changes only with its bars.
 */
export function extendCandles(extension: CandleExtension): ReadonlyMap<Days, CandleSeries> {
  const changed = new Map<Days, CandleSeries>()
  const { read, grid, notice = null } = extension
  const rowsOf = (days: Days): readonly CandleRow[] => changed.get(days)?.rows ?? ofGrid(read(days), grid).rows
  for (const [index, days] of RANGES.entries()) {
    const shorter = RANGES.slice(0, index)
    const isCovered = !shorter.some((range) => changed.has(range))
    const range = extendedRange(extension, days, { isCovered, rows: () => shorter.flatMap(rowsOf) })
    if (range === null) continue
    changed.set(days, rangeOf(days, range, notice))
    if (days === 365) changed.set(90, rangeOf(90, range, notice))
  }
  return changed
}

/**
 * Returns a range with the new bars; null if it is unchanged and not asked for all the same. `isCovered`: none of the
 * shorter ranges changed, so that the published bars cover theirs.
 */
function extendedRange(
  { slug, read, answers, grid, all = false }: CandleExtension,
  days: Days,
  shorter: { readonly isCovered: boolean; readonly rows: () => readonly CandleRow[] },
) {
  const own = answers.filter(({ bars }) => bars.interval === grid[days])
  if (own.length === 0 && !all && shorter.isCovered) return null
  const before = ofGrid(read(days), grid)
  const merged = mergedRows(before.rows, own)
  const rows = coveringRows(merged ?? before.rows, shorter.rows(), grid[days]) ?? merged
  if (rows === null && !all) return null
  const sources = new Set([...before.sources, ...own.map(({ bars }) => bars.source_id)])
  const rights = narrowestOf([...before.rights, ...own.map((one) => one.rights)])
  return { slug, sources: [...sources].toSorted(), rights, grid, rows: rows ?? before.rows }
}

/** What a range has so far: nothing if it is missing or of another grid, as after a change of the cadence. */
function ofGrid(series: CandleSeries | null, grid: Grid) {
  if (series === null || series.count === 0 || series.interval !== grid[series.days])
    return { rows: [], sources: [], rights: [] }
  return { rows: series.rows, sources: series.sources, rights: [series.rights] }
}

type Range = NonNullable<ReturnType<typeof extendedRange>>

/** Notice of a range without bars where the asset has bars of other widths. */
export const NO_BAR_OF_WIDTH = 'No venue reported a bar of this width.'

/** Returns the last `days` days of rows as a range. `notice`: why the asset has no bars; null if it has some. */
function rangeOf(days: Days, { slug, sources, rights, grid, rows }: Range, notice: string | null): CandleSeries {
  const interval = grid[days]
  const newest = rows.at(-1)
  const head = { slug, days, interval, sources: [...sources], rights, replacedBy: null }
  const missing = windowOf(days, interval, 0).buckets
  if (!newest)
    return { ...head, from: null, to: null, asOf: null, missing, notice: notice ?? NO_BAR_OF_WIDTH, count: 0, rows: [] }
  const to = timeOf(newest.timestamp)
  const window = windowOf(days, interval, to)
  const from = timestampOf(window.from)
  const own = rows.filter(({ timestamp }) => timestamp >= from)
  return {
    ...head,
    from,
    to: newest.timestamp,
    asOf: timestampOf(to + INTERVAL_MS[interval]),
    missing: window.buckets - own.length,
    notice: null,
    count: own.length,
    rows: own,
  }
}

/** Returns the five ranges of a retired slug, which only name its successor. */
export const retiredCandles = (slug: string, replacedBy: string, grid: Grid): ReadonlyMap<Days, CandleSeries> =>
  new Map(
    DAYS.map((days) => [
      days,
      {
        ...rangeOf(days, { slug, sources: [], rights: narrowestOf([]), grid, rows: [] }, null),
        replacedBy,
        notice: null,
      },
    ]),
  )

/** The bars of venues for one bucket, each venue once. */
interface Bucket {
  readonly venues: string[]
  readonly bars: VenueBar[]
}

/** Returns the bars by bucket, in the order of the ids of their venues, whoever answered first. */
function byBucket(answers: readonly RatedBars[]): ReadonlyMap<number, Bucket> {
  const buckets = new Map<number, Bucket>()
  for (const { bars } of answers.toSorted(by((row) => row.bars.source_id)))
    for (const [start, bar] of barsIn(bars)) {
      const known = buckets.get(start)
      if (known === undefined) buckets.set(start, { venues: [bars.source_id], bars: [bar] })
      else if (known.venues.at(-1) === bars.source_id) known.bars[known.bars.length - 1] = bar
      else {
        known.venues.push(bars.source_id)
        known.bars.push(bar)
      }
    }
  return buckets
}

/** Returns the rows with the bars of some venues; null if they change nothing. */
function mergedRows(before: readonly CandleRow[], answers: readonly RatedBars[]): CandleRow[] | null {
  const rows = new Map(before.map((row) => [row.timestamp, row]))
  let isChanged = false
  for (const [start, { venues, bars }] of byBucket(answers)) {
    const timestamp = timestampOf(start)
    const standing = rows.get(timestamp)
    if (standing && standing.venues >= bars.length) continue
    const inputs = bars.length === 1 ? [] : bars.map((bar, at) => inputOf(venues[at] ?? '', bar))
    // Of the bars as they are published, so that the row can be computed again.
    const bar = combinedBar(inputs.length === 0 ? bars : inputs.map(barOfInput))
    if (!bar || (standing && standing.venues >= bar.venues)) continue
    rows.set(timestamp, { ...rowOf(timestamp, bar), inputs })
    isChanged = true
  }
  return isChanged ? [...rows.values()].toSorted(by((row) => row.timestamp)) : null
}

/** Returns bars whose highs and lows cover the shorter bars of their time; null if they do so already. */
function coveringRows(
  rows: readonly CandleRow[],
  shorter: readonly CandleRow[],
  interval: GridInterval,
): CandleRow[] | null {
  const extremes = new Map<number, { high: number; low: number }>()
  for (const { timestamp, high_usd, low_usd } of shorter) {
    const bucket = bucketOf(timeOf(timestamp), interval)
    const known = extremes.get(bucket)
    if (!known) extremes.set(bucket, { high: high_usd, low: low_usd })
    else {
      known.high = Math.max(known.high, high_usd)
      known.low = Math.min(known.low, low_usd)
    }
  }
  let isChanged = false
  const covering = rows.map((row) => {
    const { high = 0, low = Infinity } = extremes.get(timeOf(row.timestamp)) ?? {}
    if (high <= row.high_usd && low >= row.low_usd) return row
    isChanged = true
    return { ...row, high_usd: Math.max(high, row.high_usd), low_usd: Math.min(low, row.low_usd) }
  })
  return isChanged ? covering : null
}

const inputOf = (source_id: string, { open, high, low, close, volume }: VenueBar): CandleInput => [
  source_id,
  roundPrice(open),
  roundPrice(high),
  roundPrice(low),
  roundPrice(close),
  volume === null ? null : roundCoins(volume),
]

const barOfInput = ([, open, high, low, close, volume]: CandleInput): VenueBar => ({
  open,
  high,
  low,
  close,
  volume,
  // Candles are published without it.
  volume_usd: null,
})

/** Returns the row that follows from the published bars of several venues; null if none of them counts. */
export function recomputedRow({ timestamp, inputs }: CandleRow): CandleRow | null {
  const bar = combinedBar(inputs.map(barOfInput))
  return bar && { ...rowOf(timestamp, bar), inputs }
}

const rowOf = (
  timestamp: string,
  { open, high, low, close, volume, venues }: CombinedBar,
): Omit<CandleRow, 'inputs'> => ({
  timestamp,
  open_usd: roundPrice(open),
  high_usd: roundPrice(high),
  low_usd: roundPrice(low),
  close_usd: roundPrice(close),
  volume_base: volume === null ? null : roundCoins(volume),
  venues,
})

/** Returns a row as it is published. @throws ZodError if it breaks its contract */
export function candleLine(row: CandleRow): string {
  const { timestamp, open_usd, high_usd, low_usd, close_usd, volume_base, venues, inputs } = row
  const isValid = isSound(low_usd, high_usd, volume_base) && inputs.every((one) => isSound(one[3], one[2], one[5]))
  if (!isValid) return printValue(CandleRow.parse(row))
  // A first build prints 200,000 rows, and checking and printing each by its schema takes three times as long.
  const volume = volume_base === null ? 'null' : decimal(volume_base)
  return (
    `{"timestamp":"${timestamp}","open_usd":${decimal(open_usd)},"high_usd":${decimal(high_usd)},` +
    `"low_usd":${decimal(low_usd)},"close_usd":${decimal(close_usd)},"volume_base":${volume},"venues":${venues},` +
    `"inputs":[${inputs.map(printInput).join(',')}]}`
  )
}

const isSound = (low: number, high: number, volume: number | null): boolean =>
  low > 0 && high < Infinity && (volume ?? 0) >= 0 && (volume ?? 0) < Infinity

const printInput = ([source_id, ...figures]: CandleInput): string =>
  `["${source_id}",${figures.map((figure) => (figure === null ? 'null' : decimal(figure))).join(',')}]`
