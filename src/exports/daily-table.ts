import * as z from 'zod'
import { CandleRow, candleFile } from '../contract/candles.ts'
import { Daily, dailyFile, dailySlug } from '../contract/daily.ts'
import { byKey } from '../contract/order.ts'
import { RightsClass } from '../contract/rights.ts'
import { dayIn, dayOf } from '../contract/time.ts'
import { type CloseRow, ClosesOfDay, type DayBasis, closesDay } from '../contract/closes.ts'
import { Point } from '../contract/history.ts'
import { readJson } from '../contract/read-json.ts'
import { API_FOLDER } from '../contract/prefix.ts'
import { daysOf as barsOf } from '../history/daily-series.ts'
import type { Cell, Column, Table } from './parquet-file.ts'

/** What a table needs of a tree. */
export interface TableDocuments {
  readonly files: readonly string[]
  read(this: void, file: string): string | null
}

const COLUMNS = [
  { name: 'slug', type: 'text', description: 'Listing.' },
  { name: 'day', type: 'date', description: 'Day in UTC.' },
  { name: 'close_usd', type: 'number', description: 'Last price of the day.' },
  { name: 'open_usd', type: 'number', description: 'First price of the day.' },
  { name: 'high_usd', type: 'number', description: 'Highest price of the day.' },
  { name: 'low_usd', type: 'number', description: 'Lowest price of the day.' },
  { name: 'volume_24h_usd', type: 'number', description: 'Rolling 24h volume at the close.' },
  { name: 'market_cap_usd', type: 'number', description: 'Market cap at the close.' },
  { name: 'runs', type: 'count', description: 'Half hours of the day in which a run saw the price.' },
  {
    name: 'basis',
    type: 'text',
    description:
      '`runs` or `candles` as in /closes; `candles` also for days of /daily and /candles; `history`: a daily value of /history.',
  },
  { name: 'rights', type: 'text', description: 'Narrowest rights of the sources of the prices.' },
  {
    name: 'venue_volume_base',
    type: 'number',
    description: 'Units that the venues of the bar of /daily or /candles traded, not the whole market.',
  },
  { name: 'venue_volume_usd', type: 'number', description: 'The same in US dollars, where /daily has it.' },
  { name: 'venues', type: 'count', description: 'Number of these venues; null: no venue has the day.' },
] as const satisfies readonly Column[]

/** Rows of a group: ten listings of a year, of which a reader takes all. A listing is in one group. */
const GROUP_ROWS = 4000

const History = z.object({ rows: z.array(Point) })
const Candles = z.object({ rights: RightsClass, rows: z.array(CandleRow) })
const HISTORY = new RegExp(`^${API_FOLDER}/history/([a-z0-9-]+)/days=365\\.json$`)

/** The numbers of a close. */
const NUMBERS = [
  'close_usd',
  'open_usd',
  'high_usd',
  'low_usd',
  'volume_24h_usd',
  'market_cap_usd',
  'runs',
] as const satisfies readonly (keyof CloseRow)[]

/**
 * The closes of all listings. Objects of a year of 5,000 listings would take 2 GB, so a row is nine numbers: the place of
 * its day, {@link NUMBERS} with NaN for null, and the place of its rights.
 */
interface PackedCloses {
  readonly days: readonly { readonly day: string; readonly basis: DayBasis }[]
  readonly rights: readonly string[]
  readonly bySlug: ReadonlyMap<string, readonly number[]>
}
const WIDTH = NUMBERS.length + 2

/** Days from the first to the last, both of them included. */
export interface DayRange {
  readonly from: string
  readonly to: string
}

const isIn = (day: string, { from, to }: DayRange): boolean => day >= from && day <= to

/**
 * Returns the days of every listing, by slug, then day: the closes, and where there is none, the bars of venues, or else what
 * the year of history has.
 */
export function dailyTable(documents: TableDocuments, range: DayRange): Table {
  return { columns: COLUMNS, groups: groupsOf(documents, range) }
}

function* groupsOf(documents: TableDocuments, range: DayRange): Generator<readonly (readonly Cell[])[]> {
  const closes = packedCloses(documents, range)
  const histories = new Map(documents.files.map((file) => [HISTORY.exec(file)?.[1], file] as const))
  const known = [...closes.bySlug.keys(), ...histories.keys(), ...documents.files.map(dailySlug)]
  const slugs = [...new Set(known)].flatMap((slug) => slug ?? []).toSorted()
  const dates = new Map<string, Date>()
  const dateOf = (day: string) => {
    const date = dates.get(day) ?? new Date(day)
    dates.set(day, date)
    return date
  }
  let group = COLUMNS.map((): Cell[] => [])
  for (const slug of slugs) {
    const bars = barsIn(documents, slug, range)
    const days = daysOf(closedDays(closes, slug), bars, documents.read(histories.get(slug) ?? ''), range)
    for (const [day, ...values] of days)
      for (const [at, value] of [slug, dateOf(day), ...values].entries()) group[at]?.push(value)
    if ((group[0]?.length ?? 0) < GROUP_ROWS) continue
    yield group
    group = COLUMNS.map((): Cell[] => [])
  }
  if ((group[0]?.length ?? 0) > 0) yield group
}

type DayValues = readonly [day: string, ...values: Cell[]]

/** What a table has of the bar of a day. */
interface TableBar {
  readonly prices: readonly Cell[]
  readonly rights: RightsClass
  readonly volumes: readonly Cell[]
}

/** Returns the days of one listing, oldest first. */
function daysOf(
  own: readonly DayValues[],
  bars: ReadonlyMap<string, TableBar>,
  history: string | null,
  range: DayRange,
): readonly DayValues[] {
  const days = new Map<string, readonly Cell[]>()
  for (const { timestamp, price_usd, volume_24h_usd } of readJson(history, History)?.rows ?? []) {
    const day = dayIn(timestamp)
    if (isIn(day, range)) days.set(day, [price_usd, null, null, null, volume_24h_usd, null, null, 'history', null])
  }
  // Only what our own runs saw has a volume: the other rows of the history are the close of one venue.
  const isOwn = (day: string): boolean => days.get(day)?.[4] != null
  for (const [day, { prices, rights }] of bars)
    if (!isOwn(day)) days.set(day, [...prices, null, null, null, 'candles', rights])
  for (const [day, ...values] of own) days.set(day, values)
  return [...days]
    .map(([day, values]): DayValues => [day, ...values, ...(bars.get(day)?.volumes ?? [null, null, null])])
    .toSorted(byKey)
}

/** Returns the bars of a listing by day: those since its listing, then those of the year. */
function barsIn({ read }: TableDocuments, slug: string, range: DayRange): ReadonlyMap<string, TableBar> {
  const bars = new Map<string, TableBar>()
  const candles = readJson(read(candleFile(slug, 365)), Candles)
  for (const row of candles?.rows ?? []) {
    if (!isIn(dayIn(row.timestamp), range)) continue
    const prices = [row.close_usd, row.open_usd, row.high_usd, row.low_usd]
    const volumes = [row.volume_base, null, row.venues]
    bars.set(dayIn(row.timestamp), { prices, rights: candles?.rights ?? 'unknown', volumes })
  }
  const daily = readJson(read(dailyFile(slug)), Daily)
  const [first, last] = [Date.parse(range.from), Date.parse(range.to)]
  for (const [start, bar] of barsOf(daily)) {
    if (start < first || start > last) continue
    const prices = [bar.close_usd, bar.open_usd, bar.high_usd, bar.low_usd]
    const volumes = [bar.venue_volume_base, bar.venue_volume_usd, bar.venues]
    bars.set(dayOf(start), { prices, rights: daily?.rights ?? 'unknown', volumes })
  }
  return bars
}

/** Returns the closes of a listing. */
function closedDays({ days, rights, bySlug }: PackedCloses, slug: string): DayValues[] {
  const packed = bySlug.get(slug) ?? []
  return Array.from({ length: packed.length / WIDTH }, (_, row): DayValues => {
    const [place = 0, ...rest] = packed.slice(row * WIDTH, (row + 1) * WIDTH)
    const { day = '', basis = null } = days[place] ?? {}
    const numbers = rest.slice(0, -1).map((value) => (Number.isNaN(value) ? null : value))
    return [day, ...numbers, basis, rights[rest.at(-1) ?? 0] ?? null]
  })
}

function packedCloses({ files, read }: TableDocuments, range: DayRange): PackedCloses {
  const days: PackedCloses['days'][number][] = []
  const rights: string[] = []
  const bySlug = new Map<string, number[]>()
  for (const file of files.toSorted()) {
    const day = closesDay(file)
    const closes = day === null || !isIn(day, range) ? null : readJson(read(file), ClosesOfDay)
    if (day === null || closes === null) continue
    const place = days.push({ day, basis: closes.basis }) - 1
    for (const row of closes.rows) {
      if (!rights.includes(row.rights)) rights.push(row.rights)
      const packed = bySlug.get(row.slug) ?? []
      packed.push(place, ...NUMBERS.map((name) => row[name] ?? Number.NaN), rights.indexOf(row.rights))
      bySlug.set(row.slug, packed)
    }
  }
  return { days, rights, bySlug }
}
