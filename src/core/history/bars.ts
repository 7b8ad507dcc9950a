import { extent, max, min } from 'd3-array'
import type { Days, Grid, GridInterval } from '../contract/history.ts'
import { roundCoins, roundPrice } from '../contract/numbers.ts'
import { by, byKey, ensured } from '../contract/order.ts'
import { narrowestOf } from '../contract/rights.ts'
import { type Ms, DAY_MS, INTERVAL_MS } from '../contract/time.ts'
import { combinedBar } from './bar-consensus.ts'
import { Columns } from './columns.ts'
import { type Moment, timestampOf, windowOf } from './grid.ts'
import {
  BAR_COLUMNS,
  type BarColumn,
  type BarSeries,
  INPUT_DAYS,
  type ListingPast,
  VENUE_BAR_COLUMNS,
  type VenueBarColumn,
  rangesByWidth,
} from './past.ts'
import { type PastAnswer, type VenueBars, venueBars } from './answers.ts'

/** The ranges that have bars of their own, from the finest on: that of 90 days is the end of that of 365. */
const BAR_RANGES = [1, 7, 30, 365] as const

/**
 * Extends the bars of a listing by those of venues. A bar stays, unless there is one of more venues. A bar covers the
 * shorter bars of its time, whichever venues made them.
 */
export function extendBars(past: ListingPast, answers: readonly PastAnswer[], { grid, now }: Moment): void {
  const ranges = answers.filter(({ days }) => days !== 'all').toSorted(by(({ source_id }) => source_id))
  for (const days of BAR_RANGES) {
    const interval = grid[days]
    const own = ranges
      .map((answer) => ({ ...answer, bars: rounded(venueBars(answer, interval, now)) }))
      .filter(({ bars }) => bars.first('close_usd') !== null)
    if (own.length === 0) continue
    const series = barsOf(past, interval)
    // A venue whose bars say nothing new is no source of those that stand.
    if (!merge(series, own, oldestReport(now))) continue
    addSources(series, { sources: own.map(({ source_id }) => source_id), rights: own.map(({ rights }) => rights) })
  }
  keepBarWindows(past, { grid, now })
  for (const [place, days] of BAR_RANGES.entries()) {
    const shorter = BAR_RANGES.slice(0, place).flatMap((range) => past.bars.get(grid[range]) ?? [])
    const series = past.bars.get(grid[days])
    if (series) cover(series.columns, shorter)
  }
}

/** Drops bars outside of their windows, those of another grid, and what venues reported of bars that are older than a week. */
export function keepBarWindows({ bars }: ListingPast, { grid, now }: Moment): void {
  const widths = rangesByWidth(BAR_RANGES, grid)
  for (const [interval, { columns, inputs }] of bars) {
    const days = widths.get(interval)
    const to = columns.last('close_usd')
    if (days === undefined || to === null) {
      bars.delete(interval)
      continue
    }
    const { from } = windowOf(days, interval, to)
    columns.clip(from, to)
    for (const own of inputs.values()) own.clip(Math.max(oldestReport(now), from), to)
  }
}

/** The time from which on it is kept what venues reported of bars. */
const oldestReport = (now: Ms): Ms => now - INPUT_DAYS * DAY_MS

/** Returns the bars of a width; empty ones are added if there are none. */
export const barsOf = ({ bars }: ListingPast, interval: GridInterval): BarSeries =>
  ensured(bars, interval, () => ({
    columns: new Columns(INTERVAL_MS[interval], BAR_COLUMNS),
    inputs: new Map(),
    sources: [],
    rights: [],
  }))

/** Adds the venues that bars are made of, and the rights of their data. */
export function addSources(series: BarSeries, { sources, rights }: Pick<BarSeries, 'sources' | 'rights'>): void {
  series.sources = [...new Set([...series.sources, ...sources])].toSorted()
  series.rights = [...new Set([...series.rights, ...rights])].toSorted()
}

/** Returns what a venue reported of the bars of a series; empty columns are added if it reported none so far. */
export const reportedOf = ({ columns, inputs }: BarSeries, source_id: string): Columns<VenueBarColumn> =>
  ensured(inputs, source_id, () => new Columns(columns.width, VENUE_BAR_COLUMNS))

const roundingOf = (name: VenueBarColumn) => (name === 'volume_base' ? roundCoins : roundPrice)

/** Rounds bars as they are published, so that the bar of all venues can be computed again from those of each. */
function rounded(bars: VenueBars): VenueBars {
  const [first, last] = [bars.first('close_usd'), bars.last('close_usd')]
  if (first === null || last === null) return bars
  for (const name of VENUE_BAR_COLUMNS) {
    const values = bars.room(name, first, last)
    values.set(values.map(roundingOf(name)))
  }
  return bars
}

type Reported = Readonly<{ source_id: string; bars: VenueBars }>

/** Sets the bars that more venues made than those that stand. Returns whether it set any. */
function merge(series: BarSeries, answers: readonly Reported[], reportsFrom: Ms): boolean {
  const { columns, inputs } = series
  // Without a bar it is NaN, and every comparison with NaN is false.
  const starts = [...new Set(answers.flatMap(({ bars }) => bars.buckets('close_usd')))].filter(
    (start) => !(columns.at('venues', start) >= answers.length),
  )
  const [first, last] = extent(starts)
  // One by one, they would copy the columns again and again.
  if (first !== undefined) for (const name of columns.names) columns.room(name, first, last)
  let isChanged = false
  for (const start of starts) {
    const standing = columns.at('venues', start)
    const all = answers.filter(({ bars }) => bars.has('close_usd', start))
    // Of two answers of one venue, the later one counts.
    const venues = all.filter(({ source_id }, place) => all[place + 1]?.source_id !== source_id)
    if (standing >= venues.length) continue
    const reported = venues.map(({ bars }) => bars)
    const bar = combinedBar(reported, start)
    if (!bar || standing >= bar.venues) continue
    for (const name of VENUE_BAR_COLUMNS) columns.set(name, start, roundingOf(name)(bar[name]))
    columns.set('venues', start, bar.venues)
    if (standing > 0) for (const own of inputs.values()) for (const name of own.names) own.set(name, start, Number.NaN)
    if (venues.length > 1 && start >= reportsFrom)
      for (const { source_id, bars } of venues) reportedOf(series, source_id).assign(start, bars.row(start))
    isChanged = true
  }
  return isChanged
}

function cover(columns: Columns<BarColumn>, shorter: readonly BarSeries[]): void {
  for (const { columns: own } of shorter)
    for (const start of own.buckets('close_usd')) {
      const bucket = start - (start % columns.width)
      if (!columns.has('close_usd', bucket)) continue
      columns.set('high_usd', bucket, Math.max(columns.at('high_usd', bucket), own.at('high_usd', start)))
      columns.set('low_usd', bucket, Math.min(columns.at('low_usd', bucket), own.at('low_usd', start)))
    }
}

/** Returns the bars that do not follow from what the venues reported of them. */
export function misfits({ columns, inputs }: BarSeries) {
  const starts = new Set([...inputs.values()].flatMap((own) => own.buckets('close_usd')))
  return [...starts].flatMap((start) => {
    const venues = [...inputs].toSorted(byKey).filter(([, own]) => own.has('close_usd', start))
    const bar = combinedBar(
      venues.map(([, own]) => own),
      start,
    )
    const isSame =
      bar !== null &&
      roundPrice(bar.close_usd) === columns.at('close_usd', start) &&
      roundPrice(bar.open_usd) === columns.at('open_usd', start) &&
      roundPrice(bar.high_usd) <= columns.at('high_usd', start) &&
      roundPrice(bar.low_usd) >= columns.at('low_usd', start) &&
      bar.venues === columns.at('venues', start)
    return isSame ? [] : [{ start, reported: venues.map(([source_id, own]) => [source_id, own.row(start)]) }]
  })
}

/** Returns a range of the candles of a listing; null if there is no bar of its width. */
export function candleRange(past: ListingPast, slug: string, days: Days, grid: Grid) {
  const interval = grid[days]
  const series = past.bars.get(interval)
  const to = series?.columns.last('close_usd') ?? null
  if (series === undefined || to === null) return null
  const { columns, sources, rights } = series
  const { from, buckets } = windowOf(days, interval, to)
  const starts = columns.buckets('close_usd', from, to)
  return {
    slug,
    days,
    interval,
    from: timestampOf(from),
    to: timestampOf(to),
    asOf: timestampOf(to + INTERVAL_MS[interval]),
    missing: buckets - starts.length,
    sources: [...sources],
    rights: narrowestOf(rights),
    count: starts.length,
    rows: starts.map((start) => ({
      timestamp: timestampOf(start),
      open_usd: columns.at('open_usd', start),
      high_usd: columns.at('high_usd', start),
      low_usd: columns.at('low_usd', start),
      close_usd: columns.at('close_usd', start),
      volume_base: columns.value('volume_base', start),
      venues: columns.at('venues', start),
    })),
  }
}

/** The first and last time of the bars of a listing, of all widths; null if it has none. */
export function spanOfBars({ bars }: ListingPast): { readonly from: number; readonly to: number } | null {
  const all = [...bars.values()].map(({ columns }) => columns)
  const from = min(all, (columns) => columns.first('close_usd'))
  const to = max(all, (columns) => (columns.last('close_usd') ?? Number.NaN) + columns.width)
  return from === undefined || to === undefined ? null : { from, to }
}

/** The start of the newest bar of a range, in ms since 1970; null if there is none. */
export const newestBar = (past: ListingPast | undefined, days: Days, grid: Grid): number | null =>
  past?.bars.get(grid[days])?.columns.last('close_usd') ?? null
