import * as z from 'zod'
import { CandleRow, candleFile } from '../contract/candles.ts'
import { CLOSES_FILE, type CloseRow, ClosesList, ClosesOfDay, closesDay } from '../contract/closes.ts'
import { type DayRange, dailyBetween, dailyFile, dailySlug } from '../contract/daily.ts'
import { Point, seriesFile } from '../contract/history.ts'
import { byKey } from '../contract/order.ts'
import { API_FOLDER } from '../contract/prefix.ts'
import { readJson } from '../contract/read-json.ts'
import { RightsClass } from '../contract/rights.ts'
import { dayIn } from '../contract/time.ts'
import { daysOf as barsOf } from '../history/daily-series.ts'
import { timestampOf } from '../history/grid.ts'
import type { Cell, Column, Table } from './parquet-file.ts'

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
const Candles = z.object({ rights: RightsClass, rows: z.array(CandleRow.omit({ inputs: true })) })
const HISTORY = new RegExp(`^${API_FOLDER}/history/([a-z0-9-]+)/days=365\\.json$`)

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
  readonly days: readonly Pick<ClosesOfDay, 'day' | 'basis'>[]
  readonly rights: readonly string[]
  readonly bySlug: ReadonlyMap<string, readonly number[]>
}
const WIDTH = NUMBERS.length + 2

const isIn = (day: string, { from, to }: DayRange): boolean => day >= from && day <= to

/**
 * Returns the days of every listing, by slug, then day: the closes, and where there is none, the bars of venues, or else what
 * the year of history has.
 *
 * @param isOfYear whether days are of the last year, which history and candles have
 */
export const dailyTable = (documents: TableDocuments, range: DayRange, isOfYear: boolean): Table => ({
  columns: COLUMNS,
  groups: groupsOf(documents, range, isOfYear),
})

function* groupsOf(
  { files, read }: TableDocuments,
  range: DayRange,
  isOfYear: boolean,
): Generator<readonly (readonly Cell[])[]> {
  const closes = packedCloses({ files, read }, range)
  const histories = new Set(isOfYear ? files.flatMap((file) => HISTORY.exec(file)?.[1] ?? []) : [])
  const slugs = new Set([...closes.bySlug.keys(), ...histories, ...files.flatMap((file) => dailySlug(file) ?? [])])
  const dates = new Map<string, Date>()
  const dateOf = (day: string) => {
    const date = dates.get(day) ?? new Date(day)
    dates.set(day, date)
    return date
  }
  let group: Cell[][] = []
  for (const slug of [...slugs].toSorted()) {
    const days = new Map<string, DayCells>()
    addHistory(days, histories.has(slug) ? read(seriesFile(slug, 365)) : null)
    addCandles(days, isOfYear ? read(candleFile(slug, 365)) : null)
    addBars(days, read(dailyFile(slug)), range)
    addCloses(days, closes, slug)
    for (const [day, { values, volumes }] of [...days].toSorted(byKey))
      if (isIn(day, range)) group.push([slug, dateOf(day), ...values, ...volumes])
    if (group.length < GROUP_ROWS) continue
    yield group
    group = []
  }
  if (group.length > 0) yield group
}

/** The cells of a day: {@link NUMBERS}, basis and rights, and those of the bar of its venues. */
interface DayCells {
  readonly values: readonly Cell[]
  readonly volumes: readonly Cell[]
}
const NO_BAR: readonly Cell[] = [null, null, null]

function addHistory(days: Map<string, DayCells>, text: string | null): void {
  for (const { timestamp, price_usd, volume_24h_usd } of readJson(text, History)?.rows ?? []) {
    const values = [price_usd, null, null, null, volume_24h_usd, null, null, 'history', null]
    days.set(dayIn(timestamp), { values, volumes: NO_BAR })
  }
}

/** Adds a bar. Only what our own runs saw of the history has a volume, and stays: its other rows are the close of one venue. */
function addBar(days: Map<string, DayCells>, day: string, { values, volumes }: DayCells): void {
  const { values: known } = days.get(day) ?? {}
  days.set(day, { values: known?.[7] === 'history' && known[4] !== null ? known : values, volumes })
}

/** The cells of a bar after its prices. */
const ofBar = (rights: RightsClass = 'unknown'): readonly Cell[] => [null, null, null, 'candles', rights]

function addCandles(days: Map<string, DayCells>, text: string | null): void {
  const candles = readJson(text, Candles)
  for (const { timestamp, close_usd, open_usd, high_usd, low_usd, volume_base, venues } of candles?.rows ?? []) {
    const values = [close_usd, open_usd, high_usd, low_usd, ...ofBar(candles?.rights)]
    addBar(days, dayIn(timestamp), { values, volumes: [volume_base, null, venues] })
  }
}

function addBars(days: Map<string, DayCells>, text: string | null, range: DayRange): void {
  const daily = text === null ? null : dailyBetween(text, range)
  for (const [start, bar] of barsOf(daily)) {
    const values = [bar.close_usd, bar.open_usd, bar.high_usd, bar.low_usd, ...ofBar(daily?.rights)]
    addBar(days, dayIn(timestampOf(start)), {
      values,
      volumes: [bar.venue_volume_base, bar.venue_volume_usd, bar.venues],
    })
  }
}

function addCloses(days: Map<string, DayCells>, closes: PackedCloses, slug: string): void {
  const packed = closes.bySlug.get(slug) ?? []
  for (let row = 0; row < packed.length; row += WIDTH) {
    const { day, basis } = closes.days[packed[row] ?? 0] ?? { day: '', basis: null }
    const numbers = packed.slice(row + 1, row + WIDTH - 1).map((value) => (Number.isNaN(value) ? null : value))
    const rights = closes.rights[packed[row + WIDTH - 1] ?? 0] ?? null
    days.set(day, { values: [...numbers, basis, rights], volumes: days.get(day)?.volumes ?? NO_BAR })
  }
}

/** Reads the closes since the first run: those before it are the bars of `/daily`. */
function packedCloses({ files, read }: TableDocuments, range: DayRange): PackedCloses {
  const list = readJson(read(CLOSES_FILE), ClosesList)
  const since = list?.olderFrom == null ? '' : (list.rows.at(-1)?.day ?? '')
  const days: PackedCloses['days'][number][] = []
  const rights: string[] = []
  const bySlug = new Map<string, number[]>()
  for (const file of files.toSorted()) {
    const day = closesDay(file)
    const closes = day === null || day < since || !isIn(day, range) ? null : readJson(read(file), ClosesOfDay)
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
