import { isDeepStrictEqual } from 'node:util'
import { gunzipSync, gzipSync } from 'node:zlib'
import { range, sort } from 'd3-array'
import * as z from 'zod'
import { Asset } from '../contract/asset.ts'
import { ChangeEvent } from '../contract/changes.ts'
import { ReferenceRate, SourceRow } from '../contract/collector.ts'
import { declaredMembers } from '../contract/declared-members.ts'
import { sha256Of } from '../contract/digest.ts'
import { DexPair } from '../contract/ecosystem.ts'
import { GridInterval, gridOf } from '../contract/history.ts'
import { RequestsMembers } from '../contract/listing-request.ts'
import { ManifestRow } from '../contract/manifest.ts'
import { Market, StockRow } from '../contract/market.ts'
import { by, byKey, ensured, groupBy } from '../contract/order.ts'
import { isRecord } from '../contract/read-json.ts'
import { TABLE_LIST } from '../contract/paths.ts'
import { PegRow } from '../contract/pegs.ts'
import { RatesOfSource } from '../contract/rates.ts'
import { type Ms, INTERVAL_MS, dayIn, dayOf } from '../contract/time.ts'
import { TotalsGroup, TotalsRow } from '../contract/whole-market.ts'
import { Count, Day, STATE_VERSION, Sha256, Slug, StateVersion, Timestamp } from '../contract/words.ts'
import { addSources, barsOf, keepBarWindows, reportedOf } from '../history/bars.ts'
import type { Columns } from '../history/columns.ts'
import { timestampOf } from '../history/grid.ts'
import {
  CHANGES,
  type ListingPast,
  PAST_TABLES,
  type PastTable,
  type PastSeries,
  noPast,
  pointsOf,
  pastSeries,
} from '../history/past.ts'
import { keepWindows } from '../history/points.ts'
import { NO_ROWS, ListingPastRow, type Rows, RunRow, RunsRow, SiteRow } from '../history/rows.ts'

/** The tables that are written as a whole: the schema of a row of each, and what of the rows it has. */
const WHOLE = {
  site: table(SiteRow, ({ site }) => (site === null ? [] : [site])),
  run: table(RunRow, ({ run }) => (run === null ? [] : [run])),
  runs: table(RunsRow, ({ runs }) => runs.values()),
  sources: table(SourceRow, ({ sources }) => sources.values()),
  current_rates: table(ReferenceRate, ({ rates }) => rates.values()),
  pairs: table(DexPair, ({ pairs }) => pairs),
  pegs: table(PegRow, ({ pegs }) => pegs.values()),
  stocks: table(StockRow, ({ stocks }) => stocks),
  listings: table(z.object({ asset: Asset, markets: z.array(Market) }), ({ listings }) => listings.values()),
  pasts: table(ListingPastRow, ({ past }) =>
    [...past].map(([slug, { labels, asked, bars }]) => {
      const own = [...bars].toSorted(by(([, { columns }]) => columns.width))
      return { slug, labels, asked, bars: own.map(([interval, series]) => ({ interval, ...series })) }
    }),
  ),
  rates: table(RatesOfSource, ({ pastRates }) => [...pastRates.values()].flat()),
  totals: table(TotalsRow.extend({ group: TotalsGroup }), ({ totals }) =>
    [...totals].flatMap(([group, own]) => own.map((one) => ({ group, ...one }))),
  ),
  events: table(ChangeEvent, ({ events }) => [...events.values()].flat()),
  requests: table(z.object(RequestsMembers), ({ requests }) => [requests]),
  documents: table(ManifestRow, ({ documents }) => documents.values()),
} as const

/** Whether rows have the same tables. Those of the past and of documents are not compared. */
export const areSame = (before: Rows, after: Rows): boolean =>
  Object.entries(WHOLE).every(
    ([name, { lines }]) =>
      name === 'documents' || isDeepStrictEqual(lines(before).map(printed), lines(after).map(printed)),
  )

/** Returns a table whose rows are printed with their members in the order of the schema, so that equal rows have equal bytes. */
function table<Schema extends z.ZodObject>(schema: Schema, rowsOf: (rows: Rows) => Iterable<object>) {
  const declared = declaredMembers(schema)
  const toLine = (row: object) => ({ print: () => JSON.stringify(declared({ ...row })) })
  return { schema, lines: (rows: Rows) => Array.from(rowsOf(rows), toLine) }
}

/** Values are checked where they are set: a schema that looks at each of a million takes a second more. */
const isColumns = (columns: unknown): boolean =>
  isRecord(columns) && Object.values(columns).every((values) => Array.isArray(values) || typeof values === 'number')

/** A line of a table of the past, whose parts are cut by time: the values of consecutive buckets of a listing. */
const Stretch = z.object({
  slug: Slug,
  interval: GridInterval,
  source_id: z.string().optional().describe('The venue that reported them.'),
  from: Timestamp.describe('Start of the first bucket.'),
  columns: z
    .custom<Readonly<Record<string, readonly unknown[] | number | undefined>>>(
      isColumns,
      'must be numbers or lists of values',
    )
    .describe('The values by column; null: unknown. A number is the value of all buckets.'),
})
type Stretch = z.infer<typeof Stretch>

/** One percent larger than by the usual level, in two thirds of the time. */
const LEVEL = { level: 5 } as const
/** Lines that are compressed together, as one member of a file: those of ten thousand listings would be in memory four times. */
const MEMBER_LINES = 2000

export const STATE = { folder: 'state', list: TABLE_LIST } as const

const Part = z.object({
  table: z.enum([...Object.keys(WHOLE), ...PAST_TABLES]),
  part: z.string().describe('Days, months or years of its rows; `late`: values for parts before it; empty: all rows.'),
  path: z.string().regex(/^state\/[a-z_]+(?:-[a-z0-9-]+)?-[0-9a-f]{16}\.jsonl\.gz$/),
  rows: Count,
  bytes: Count,
  sha256: Sha256,
})
export type TablePart = z.infer<typeof Part>

/** The list of the tables. A part is named by its content, so a reader never sees half of a change. */
export const TableList = z
  .object({
    stateVersion: StateVersion,
    generatedAt: Timestamp.describe('Of the run that wrote it.'),
    parts: z.array(Part).max(4096),
  })
  .refine(({ parts }) => new Set(parts.map(({ path }) => path)).size === parts.length, 'names a part twice')
export type TableList = z.infer<typeof TableList>

/** Returns the name of the part that a bucket is in: that of its year or month, of its day if it is short, or the open one. */
export function partOf(bucket: Ms, width: number, today: string): string {
  const day = dayOf(bucket)
  if (day >= today) return 'open'
  // A line for six buckets of four hours would be mostly names.
  if (width < INTERVAL_MS['4h']) return day
  return day.slice(0, 4) < today.slice(0, 4) ? day.slice(0, 4) : day.slice(0, 7)
}

function endOf(part: string, today: string): Ms {
  if (part === 'open') return Infinity
  const [year = 0, month = 12, day] = part.split('-').map(Number)
  return Math.min(Date.parse(today), day === undefined ? Date.UTC(year, month) : Date.UTC(year, month - 1, day + 1))
}

/** Parts of late values begin with this, so that they are after the others. */
const LATE = 'late-'
const isLate = (part: string): boolean => part.startsWith(LATE)

/** With this many parts of late values a table is cut again. */
const MOST_LATE = 256

/** Name of a part that rows came to when a day ended: it is written again. */
export const closedPart = (table: PastTable, part: string): string => `part/${table}/${part}`

/** Name of a table of which rows left closed parts: it is cut again. */
export const rowsLeft = (table: PastTable): string => `left/${table}`

/**
 * Returns the list of the tables. A closed part of a table of the past is that of the last list: what a run changed in closed
 * buckets is in a part of its own, of late values. The table is cut again, without such parts, when there are many, and when
 * rows left it, which late values would bring back.
 *
 * @param changed see {@link closedPart} and {@link rowsLeft}; null: all are written again
 * @param put takes each part that is not in the last list with its content: together they take much memory
 */
export function encodeTables(
  rows: Rows,
  last: TableList | null,
  changed: ReadonlySet<string> | null,
  put: (file: ManifestRow, content: Uint8Array) => void,
): TableList {
  const at = rows.run?.at ?? timestampOf(0)
  const parts: TablePart[] = []
  const known = new Set(last?.parts.map(({ path }) => path))
  const add = ({ table, part, lines }: NewPart): void => {
    if (lines.length === 0) return
    const groups = range(0, lines.length, MEMBER_LINES).map((from) => lines.slice(from, from + MEMBER_LINES))
    const content = Buffer.concat(groups.map((own) => gzipSync(`${own.map(printed).join('\n')}\n`, LEVEL)))
    const sha256 = sha256Of(content)
    const path = `${STATE.folder}/${table}${part === '' ? '' : `-${part}`}-${sha256.slice(0, 16)}.jsonl.gz`
    const bytes = content.length
    parts.push({ table, part, path, rows: lines.length, bytes, sha256 })
    if (!known.has(path)) put({ path, bytes, sha256, timestamp: at }, content)
  }
  for (const [name, { lines }] of Object.entries(WHOLE)) add({ table: name, part: '', lines: lines(rows) })
  for (const table of PAST_TABLES)
    for (const one of partsOfPast(table, rows, last, changed))
      if ('path' in one) parts.push(one)
      else add(one)
  return { stateVersion: STATE_VERSION, generatedAt: at, parts }
}

type NewPart = Pick<TablePart, 'table' | 'part'> & { readonly lines: readonly { readonly print: () => string }[] }

const printed = ({ print }: NewPart['lines'][number]): string => print()

/** Returns the parts of a table of the past in order: those of the last list that stay, and the lines of others. */
function partsOfPast(
  table: PastTable,
  { past, run }: Rows,
  last: TableList | null,
  changed: ReadonlySet<string> | null,
): (TablePart | NewPart)[] {
  const today = dayIn(run?.latest ?? timestampOf(0))
  const all = [...past].flatMap(([slug, own]) =>
    pastSeries(own).flatMap((one) => (one.table === table ? [{ slug, ...one }] : [])),
  )
  const closed = last?.parts.filter((one) => one.table === table && one.part !== 'open') ?? []
  const lates = closed.filter(({ part }) => isLate(part))
  const isCut = changed === null || lates.length >= MOST_LATE || changed.has(rowsLeft(table))
  const isAgain = (part: string) => isCut || changed.has(closedPart(table, part))
  // A part of which all rows left their windows is dropped when the next day begins.
  const isWhole = isCut || changed.has(CHANGES.bucket('1d'))
  const cut = all.flatMap((one) => [...piecesOf(one, today, isWhole ? -Infinity : Date.parse(today))])
  const pieces = groupBy(cut, ({ part }) => part)
  const again = [...pieces]
    .filter(([part]) => part === 'open' || isAgain(part))
    .map(([part, own]) => ({ table, part, lines: own }))
  const standing = closed.filter(({ part }) => !isAgain(part) && (!isWhole || pieces.has(part) || isLate(part)))
  // A part that is written again has the values, but an earlier late one would replace them.
  const isNeeded = ({ parts }: { readonly parts: readonly string[] }) => lates.length > 0 || !parts.every(isAgain)
  const lines = isCut ? [] : all.flatMap((one) => lateIn(one, today)).filter(isNeeded)
  const late = { table, part: `${LATE}${String(lates.length).padStart(3, '0')}`, lines }
  return [...again, ...standing, late].toSorted(by(({ part }) => part))
}

type OwnSeries = PastSeries & { readonly slug: string }

/** Cuts columns from a bucket on into the pieces of parts, each from its first to its last bucket with a value in the column `key`. */
function* piecesOf(series: OwnSeries, today: string, onFrom: Ms) {
  const { key, columns: own } = series
  for (let start = own.first(key, onFrom); start !== null;) {
    const from = start
    const part = partOf(from, own.width, today)
    const end = endOf(part, today)
    const to = own.last(key, end - 1) ?? from
    yield { part, print: () => lineOf(series, from, to) }
    start = own.first(key, end)
  }
}

/** Returns a line of the closed buckets of a series of which a value was set, and those between them; none if there are none. */
function lateIn(series: OwnSeries, today: string) {
  const { key, columns } = series
  const late = sort([...(columns.touched ?? columns.buckets(key))].filter((bucket) => dayOf(bucket) < today))
  const [from, to] = [late[0], late.at(-1)]
  if (from === undefined || to === undefined) return []
  return [{ parts: late.map((bucket) => partOf(bucket, columns.width, today)), print: () => lineOf(series, from, to) }]
}

const lineOf = ({ slug, interval, source_id, key, columns }: OwnSeries, from: Ms, to: Ms): string =>
  JSON.stringify({ slug, interval, source_id, from: timestampOf(from), columns: valuesOf(columns, key, from, to) })

/** Returns the values of a range as a line has them. One that is unknown is NaN, which JSON prints as null. */
function valuesOf(own: Columns<string>, key: string, from: Ms, to: Ms): Stretch['columns'] {
  const columns = own.names.flatMap((name): (readonly [string, readonly number[] | number])[] => {
    const values = own.values(name, from, to)
    const [first = Number.NaN] = values
    if (name === key || values.some((value) => !Object.is(value, first))) return [[name, values]]
    return Number.isNaN(first) ? [] : [[name, first]]
  })
  return Object.fromEntries(columns)
}

export class TableError extends Error {
  override readonly name = 'TableError'
}

/** @throws TableError if a part is no table, or has rows that break their schema */
export function decodeTables(list: TableList, read: (part: TablePart) => Uint8Array): Rows {
  const past = new Map<string, ListingPast>()
  const until = Date.parse(list.generatedAt)
  const pastOf = (slug: string): ListingPast => ensured(past, slug, noPast)
  const rowsOf = <Schema extends z.ZodType>(table: string, { schema }: { readonly schema: Schema }) =>
    list.parts.flatMap((part) => (part.table === table ? [...parsedLines(schema, part, read(part))] : []))
  for (const { slug, labels, asked, bars } of rowsOf('pasts', WHOLE.pasts)) {
    const own = pastOf(slug)
    own.labels.push(...labels)
    own.asked = asked
    for (const { interval, ...rest } of bars) addSources(barsOf(own, interval), rest)
  }
  for (const part of list.parts) {
    const table = PAST_TABLES.find((one) => one === part.table)
    for (const row of table ? parsedLines(Stretch, part, read(part)) : [])
      if (table) addStretch(columnsOf(pastOf(row.slug), table, row), row, until, isLate(part.part))
  }
  const run = rowsOf('run', WHOLE.run)[0] ?? null
  const totals = groupBy(rowsOf('totals', WHOLE.totals), ({ group }) => group)
  const listings = new Map(rowsOf('listings', WHOLE.listings).map((row) => [row.asset.slug, row]))
  for (const [slug, own] of past) {
    if (run !== null && listings.get(slug)?.asset.listing_status !== 'delisted') keepRetained(own, run)
    for (const { columns } of pastSeries(own)) columns.settle()
  }
  return {
    site: rowsOf('site', WHOLE.site)[0] ?? null,
    run,
    runs: new Map(rowsOf('runs', WHOLE.runs).map((row) => [row.day, row])),
    sources: new Map(rowsOf('sources', WHOLE.sources).map((row) => [row.source_id, row])),
    rates: new Map(rowsOf('current_rates', WHOLE.current_rates).map((row) => [row.symbol, row])),
    pairs: rowsOf('pairs', WHOLE.pairs),
    stocks: rowsOf('stocks', WHOLE.stocks),
    pegs: new Map(rowsOf('pegs', WHOLE.pegs).map((row) => [row.slug, row])),
    listings,
    past: new Map([...past].toSorted(byKey)),
    pastRates: groupBy(rowsOf('rates', WHOLE.rates), ({ day }) => day.slice(0, 4)),
    totals: new Map([...totals].map(([group, own]) => [group, own.map(({ group: _, ...row }) => row)])),
    events: groupBy(rowsOf('events', WHOLE.events), ({ at }) => Day.parse(dayIn(at))),
    requests: rowsOf('requests', WHOLE.requests)[0] ?? NO_ROWS.requests,
    documents: new Map(rowsOf('documents', WHOLE.documents).map((row) => [row.path, row])),
  }
}

/** Drops what has left its window since its part was closed: a closed part is not written again for that. */
function keepRetained(past: ListingPast, { at, latest, cadence_ms }: RunRow): void {
  const grid = gridOf(cadence_ms)
  keepWindows(past, { grid, latest: Date.parse(latest) })
  keepBarWindows(past, { grid, now: Date.parse(at) })
  past.days.clip(-Infinity, Infinity)
}

/** A line has at most this many times the bytes of its part: a bomb is refused before it is unpacked. */
const MOST_INFLATED = 512 * 2 ** 20

function* parsedLines<Schema extends z.ZodType>(schema: Schema, { path }: TablePart, content: Uint8Array) {
  try {
    const text = gunzipSync(content, { maxOutputLength: MOST_INFLATED, chunkSize: 2 ** 20 })
    // Line by line: as one string the text would be in memory twice.
    for (let start = 0; start < text.length;) {
      const next = text.indexOf('\n', start)
      const end = next < 0 ? text.length : next
      yield schema.parse(JSON.parse(text.toString('utf8', start, end)))
      start = end + 1
    }
  } catch (cause) {
    throw new TableError(`${path} has rows that this program cannot read`, { cause })
  }
}

/** Returns the columns that a line is of; empty ones are added if there are none. */
function columnsOf(past: ListingPast, table: PastTable, { interval, source_id = '' }: Stretch): Columns<string> {
  if (table === 'points') return pointsOf(past, interval)
  if (table === 'days') return past.days
  const series = barsOf(past, interval)
  return table === 'bars' ? series.columns : reportedOf(series, source_id)
}

/** Sets the values of a line; its unknown ones take the place of others in a line of late values. @throws TableError if one is no number */
function addStretch(own: Columns<string>, { from, columns: given }: Stretch, until: Ms, late = false): void {
  const first = Date.parse(from)
  const lengths = own.names.map((name) => given[name]).map((values) => (typeof values === 'object' ? values.length : 0))
  const length = Math.max(0, ...lengths)
  if (length === 0 || first % own.width !== 0) return
  const to = Math.max(first + (length - 1) * own.width, until)
  for (const name of own.names) {
    const known = given[name] ?? (late && own.first(name) !== null ? Number.NaN : undefined)
    if (known === undefined) continue
    const room = own.room(name, first, to)
    if (typeof known === 'number') room.fill(known, 0, length)
    else
      for (let place = 0; place < known.length; place++) {
        const value = known[place] ?? Number.NaN
        if (typeof value !== 'number') throw new TableError(`A column ${name} has a value that is no number`)
        room[place] = value
      }
  }
}
