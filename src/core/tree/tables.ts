import { gunzipSync, gzipSync } from 'node:zlib'
import * as z from 'zod'
import { Asset } from '../contract/asset.ts'
import { ChangeEvent, Day } from '../contract/changes.ts'
import { ReferenceRate, SourceRow } from '../contract/collector.ts'
import { declaredMembers } from '../contract/declared-members.ts'
import { sha256Of } from '../contract/digest.ts'
import { DexPair } from '../contract/ecosystem.ts'
import { GridInterval, gridOf } from '../contract/history.ts'
import { RequestsMembers } from '../contract/listing-request.ts'
import { ManifestRow } from '../contract/manifest.ts'
import { Market, StockRow } from '../contract/market.ts'
import { by, byKey, ensured, groupBy } from '../contract/order.ts'
import { TABLE_LIST } from '../contract/paths.ts'
import { PegRow } from '../contract/pegs.ts'
import { RatesOfSource } from '../contract/rates.ts'
import { RightsClass } from '../contract/rights.ts'
import { type Ms, INTERVAL_MS, dayIn, dayOf } from '../contract/time.ts'
import { TotalsGroup, TotalsRow } from '../contract/whole-market.ts'
import { Count, STATE_VERSION, Sha256, Slug, StateVersion, Timestamp } from '../contract/words.ts'
import { addSources, barsOf, keepBarWindows, reportedOf } from '../history/bars.ts'
import type { Columns } from '../history/columns.ts'
import { timestampOf } from '../history/grid.ts'
import {
  BAR_COLUMNS,
  DAY_COLUMNS,
  INPUT_DAYS,
  type ListingPast,
  POINT_COLUMNS,
  VENUE_BAR_COLUMNS,
  noPast,
  originOf,
  pointsOf,
} from '../history/past.ts'
import { keepWindows } from '../history/points.ts'
import { AskedRow, NO_ROWS, type Rows, RunRow, RunsRow, SiteRow } from '../history/rows.ts'

/** Values are checked where they are set: a schema that looks at each of a million takes a second more. */
const columns = <Name extends string>(names: readonly Name[]) =>
  z
    .partialRecord(
      z.enum(names),
      z.custom<readonly unknown[] | number>(isColumn, 'must be a number or a list of values'),
    )
    .describe('The values of consecutive buckets, by column; null: unknown. A number is the value of all of them.')

const isColumn = (values: unknown): boolean => Array.isArray(values) || typeof values === 'number'

const Stretch = {
  slug: Slug,
  from: Timestamp.describe('Start of the first bucket.'),
  labels: z
    .array(z.string())
    .default([])
    .describe('Sources of backfilled values: an origin of 1 is the first of them.'),
}

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
  asked: table(AskedRow, ({ past }) =>
    [...past].flatMap(([slug, { asked }]) => asked.map((one) => ({ slug, ...one }))),
  ),
  rates: table(RatesOfSource, ({ pastRates }) => [...pastRates.values()].flat()),
  totals: table(TotalsRow.extend({ group: TotalsGroup }), ({ totals }) =>
    [...totals].flatMap(([group, own]) => own.map((one) => ({ group, ...one }))),
  ),
  events: table(ChangeEvent, ({ events }) => [...events.values()].flat()),
  requests: table(z.object(RequestsMembers), ({ requests }) => [requests]),
  documents: table(ManifestRow, ({ documents }) => documents.values()),
} as const

/** Returns a table with its rows printed: members in the order of the schema, so that equal rows have equal bytes. */
function table<Schema extends z.ZodObject>(schema: Schema, rowsOf: (rows: Rows) => Iterable<object>) {
  const declared = declaredMembers(schema)
  return { schema, lines: (rows: Rows) => Array.from(rowsOf(rows), (row) => JSON.stringify(declared({ ...row }))) }
}

/** The tables of the past, whose parts are cut by time: the schema of a line of each. */
const PAST = {
  points: z.object({ ...Stretch, interval: GridInterval, columns: columns(POINT_COLUMNS) }),
  bars: z.object({
    slug: Slug,
    from: Timestamp,
    interval: GridInterval,
    sources: z.array(z.string()),
    rights: z.array(RightsClass),
    columns: columns(BAR_COLUMNS),
    inputs: z
      .array(z.object({ source_id: z.string(), from: Timestamp, columns: columns(VENUE_BAR_COLUMNS) }))
      .describe(`What each venue reported of bars of several, for the last ${INPUT_DAYS} days.`),
  }),
  days: z.object({ ...Stretch, columns: columns(DAY_COLUMNS) }),
} as const
export const PAST_TABLES = ['points', 'bars', 'days'] as const
export type PastTable = keyof typeof PAST
const TABLE_NAMES = z.enum([...Object.keys(WHOLE), ...PAST_TABLES])

/** One percent larger than by the usual level, in two thirds of the time. */
const GZIP_LEVEL = 5

export const STATE = { folder: 'state', list: TABLE_LIST } as const

const Part = z.object({
  table: TABLE_NAMES,
  part: z.string().describe('The days, months or years of its rows; empty: all rows.'),
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

/** Name of a part of which a run changed rows of closed buckets. */
export const closedPart = (table: PastTable, part: string): string => `part/${table}/${part}`

/**
 * Returns the list of the tables. A part of closed buckets that is not among the changed ones is that of the last list.
 *
 * @param changed see {@link closedPart}; null: all are written again
 * @param put takes each part that is not in the last list with its content: together they take much memory
 */
export function encodeTables(
  rows: Rows,
  last: TableList | null,
  changed: ReadonlySet<string> | null,
  put: (file: ManifestRow, content: Uint8Array) => void,
): TableList {
  const at = rows.run?.at ?? timestampOf(0)
  const today = dayIn(rows.run?.latest ?? at)
  const parts: TablePart[] = []
  const standing = new Map(last?.parts.map((part) => [`${part.table} ${part.part}`, part]))
  const add = (table: string, part: string, lines: readonly string[]): void => {
    if (lines.length === 0) return
    const content = gzipSync(`${lines.join('\n')}\n`, { level: GZIP_LEVEL })
    const sha256 = sha256Of(content)
    const path = `${STATE.folder}/${table}${part === '' ? '' : `-${part}`}-${sha256.slice(0, 16)}.jsonl.gz`
    const bytes = content.length
    parts.push({ table, part, path, rows: lines.length, bytes, sha256 })
    if (standing.get(`${table} ${part}`)?.sha256 !== sha256) put({ path, bytes, sha256, timestamp: at }, content)
  }
  for (const [name, { lines }] of Object.entries(WHOLE)) add(name, '', lines(rows))
  for (const table of PAST_TABLES) {
    const pieces = [...rows.past].flatMap(([slug, own]) => piecesOf(table, slug, own, today))
    for (const [part, own] of [...groupBy(pieces, (piece) => piece.part)].toSorted(byKey)) {
      const isClosed = part !== 'open' && changed?.has(closedPart(table, part)) === false
      const same = isClosed ? standing.get(`${table} ${part}`) : undefined
      if (same) parts.push(same)
      else add(table, part, printed(own))
    }
  }
  return { stateVersion: STATE_VERSION, generatedAt: at, parts }
}

interface Piece {
  readonly part: string
  readonly print: () => string
}

const printed = (pieces: readonly Piece[]): string[] => pieces.map(({ print }) => print())

function piecesOf(table: PastTable, slug: string, past: ListingPast, today: string): Piece[] {
  const { labels } = past
  if (table === 'days') return cut(past.days, 'close_usd', today, () => ({ slug, labels }))
  if (table === 'points')
    return inOrder(past.points).flatMap(([interval, own]) =>
      cut(own, 'price_usd', today, () => ({ slug, interval, labels })),
    )
  return inOrder(past.bars).flatMap(([interval, { columns: own, inputs, sources, rights }]) =>
    cut(own, 'close_usd', today, (from, to) => ({
      slug,
      interval,
      sources,
      rights,
      inputs: [...inputs].toSorted(byKey).flatMap(([source_id, reported]) => {
        const [first, last] = [reported.first('close_usd', from), reported.last('close_usd', to)]
        const isNone = first === null || last === null || first > last
        return isNone ? [] : [{ source_id, ...stretchOf(reported, 'close_usd', first, last) }]
      }),
    })),
  )
}

const inOrder = <Value>(byWidth: ReadonlyMap<GridInterval, Value>): (readonly [GridInterval, Value])[] =>
  [...byWidth].toSorted(by(([interval]) => INTERVAL_MS[interval]))

/** Cuts columns into the pieces of parts, each from its first to its last bucket with a value in the column `key`. */
function cut<Name extends string>(
  own: Columns<Name>,
  key: Name,
  today: string,
  more: (from: Ms, to: Ms) => object,
): Piece[] {
  const pieces: Piece[] = []
  for (let start = own.first(key); start !== null;) {
    const from = start
    const part = partOf(from, own.width, today)
    const end = endOf(part, today)
    const to = own.last(key, end - 1) ?? from
    pieces.push({ part, print: () => JSON.stringify({ ...more(from, to), ...stretchOf(own, key, from, to) }) })
    start = own.first(key, end)
  }
  return pieces
}

/** Returns the values of a range as a line has them. One that is unknown is NaN, which JSON prints as null. */
function stretchOf<Name extends string>(own: Columns<Name>, key: Name, from: Ms, to: Ms) {
  const columns = own.names.flatMap((name): (readonly [Name, readonly number[] | number])[] => {
    const values = own.values(name, from, to)
    const [first = Number.NaN] = values
    if (name === key || values.some((value) => !Object.is(value, first))) return [[name, values]]
    return Number.isNaN(first) ? [] : [[name, first]]
  })
  return { from: timestampOf(from), columns: Object.fromEntries(columns) }
}

export class TableError extends Error {
  override readonly name = 'TableError'
}

/** @throws TableError if a part is no table, or has rows that break their schema */
export function decodeTables(list: TableList, read: (part: TablePart) => Uint8Array): Rows {
  const past = new Map<string, ListingPast>()
  const until = Date.parse(list.generatedAt)
  const pastOf = (slug: string): ListingPast => ensured(past, slug, noPast)
  function* each<Schema extends z.ZodType>(table: string, schema: Schema): Generator<z.infer<Schema>> {
    for (const part of list.parts) if (part.table === table) yield* parsedLines(schema, part, read(part))
  }
  const rowsOf = <Schema extends z.ZodType>(table: string, { schema }: { readonly schema: Schema }) => [
    ...each(table, schema),
  ]
  for (const row of each('points', PAST.points))
    addStretch(pastOf(row.slug), pointsOf(pastOf(row.slug), row.interval), row, until)
  for (const row of each('days', PAST.days)) addStretch(pastOf(row.slug), pastOf(row.slug).days, row, until)
  for (const row of each('bars', PAST.bars)) {
    const own = pastOf(row.slug)
    const series = barsOf(own, row.interval)
    addStretch(own, series.columns, row, until)
    for (const { source_id, ...stretch } of row.inputs) addStretch(own, reportedOf(series, source_id), stretch, until)
    addSources(series, row)
  }
  for (const [slug, own] of groupBy(rowsOf('asked', WHOLE.asked), (row) => row.slug))
    pastOf(slug).asked = own.map(({ slug: _, ...one }) => one)
  const run = rowsOf('run', WHOLE.run)[0] ?? null
  const listings = new Map(rowsOf('listings', WHOLE.listings).map((row) => [row.asset.slug, row]))
  for (const [slug, own] of past)
    if (run !== null && listings.get(slug)?.asset.listing_status !== 'delisted') keepRetained(own, run)
  return {
    ...NO_ROWS,
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
    totals: new Map(
      [...groupBy(rowsOf('totals', WHOLE.totals), ({ group }) => group)].map(([group, own]) => [
        group,
        own.map(({ group: _, ...row }) => row),
      ]),
    ),
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

function* parsedLines<Schema extends z.ZodType>(
  schema: Schema,
  { path }: TablePart,
  content: Uint8Array,
): Generator<z.infer<Schema>> {
  try {
    const text = gunzipSync(content, { maxOutputLength: MOST_INFLATED }).toString('utf8')
    for (const line of text.split('\n')) if (line !== '') yield schema.parse(JSON.parse(line))
  } catch (cause) {
    throw new TableError(`${path} has rows that this program cannot read`, { cause })
  }
}

interface Stretch<Name extends string> {
  readonly from: string
  readonly labels?: readonly string[]
  readonly columns: { readonly [Column in Name]?: readonly unknown[] | number }
}

/** Sets the values of a line. Codes of sources are those of the listing. @throws TableError if one is no number */
function addStretch<Name extends string>(
  past: ListingPast,
  own: Columns<Name>,
  { from, labels = [], columns: given }: Stretch<Name>,
  until: Ms,
): void {
  const origins = [0, ...labels.map((label) => originOf(past, label))]
  const first = Date.parse(from)
  const lengths = own.names.map((name) => given[name]).map((values) => (typeof values === 'object' ? values.length : 0))
  const length = Math.max(0, ...lengths)
  if (length === 0 || first % own.width !== 0) return
  own.cover(first, first + (length - 1) * own.width, until)
  for (const name of own.names) {
    const known: readonly unknown[] | number = given[name] ?? []
    const values = typeof known === 'number' ? Array<number>(length).fill(known) : known
    if (values.length === 0) continue
    const room = own.room(name, first)
    for (let place = 0; place < values.length; place++) {
      const value = values[place]
      if (value === null) continue
      if (typeof value !== 'number') throw new TableError(`A column ${name} has a value that is no number`)
      room[place] = name === 'origin' ? (origins[value] ?? 0) : value
    }
  }
}
