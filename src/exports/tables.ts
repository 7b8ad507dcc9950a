import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DAY_MS, dayOf, dayIn } from '../contract/time.ts'
import { closesDay } from '../contract/closes.ts'
import { DAILY, type DayRange, dailySlug } from '../contract/daily.ts'
import { TABLES_FILE, TABLES_FOLDER, type TableRow, type Tables, tablesIn } from '../contract/tables.ts'
import { textIn } from '../contract/text.ts'
import { statsAt } from '../tree/reader.ts'
import { type TableDocuments, dailyTable } from './daily-table.ts'
import { assetTable, listingTable, quoteTable } from './market-tables.ts'
import { rateTable } from './rate-table.ts'
import { type Table, writeParquet } from './parquet-file.ts'

/** Number of days whose quotes are kept. */
const QUOTE_DAYS = 31
/** Number of past days of the table that is written again each time. Those before stand in a table a year. */
const RECENT_DAYS = 365

export interface TabledTree extends TableDocuments {
  readonly root: string
  /** Bytes after which a table goes on in another file. */
  readonly mostBytes?: number
}

/**
 * Writes the tables of a published tree as Parquet beside it: every listing, also delisted ones, the markets of the day, and the past days of
 * every listing: the last 365, and each past year, which is written again when older days were added. Returns the list to
 * publish, with the quotes of past days.
 *
 * @param generatedAt of the snapshot
 */
export async function writeTables(tree: TabledTree, generatedAt: string): Promise<Tables> {
  const today = dayIn(generatedAt)
  const before = tablesIn(tree.read(TABLES_FILE)).rows
  const rows: TableRow[] = []
  const write = async (table: TableRow['table'], name: string, content: Table, days: DayRange | null = null) => {
    const fileOf = (part: number) => `${TABLES_FOLDER}/${name}${part === 1 ? '' : `-${part}`}.parquet`
    const { root, mostBytes } = tree
    const files = await writeParquet({ root, fileOf, mostBytes }, content)
    for (const { first, last, ...file } of files) {
      // Only the days are sorted by slug, and long enough to be divided.
      const isDivided = table === 'daily' && typeof first === 'string' && typeof last === 'string'
      const slugs = isDivided ? { from: first, to: last } : null
      rows.push({ table, ...file, generatedAt, days, slugs, schema: [...content.columns] })
    }
  }
  await write('assets', 'assets', assetTable(tree))
  await write('listings', 'listings', listingTable(tree))
  await write('quotes', `quotes-${today}`, quoteTable(tree), { from: today, to: today })
  await write('rates', 'rates', rateTable(tree, today))
  for (const { name, closedOn, from, to } of periodsOf(tree, before, today)) {
    const own = before.filter(({ path }) => yearIn(path) === from.slice(0, 4))
    const isKept = (row: TableRow) => closedOn !== null && row.generatedAt >= closedOn && isThere(tree.root, row)
    if (own.length > 0 && own.every(isKept)) rows.push(...own)
    // eslint-disable-next-line no-await-in-loop -- one at a time, so that memory is that of a year
    else await write('daily', name, dailyTable(tree, { from, to }, to >= dayBefore(today, RECENT_DAYS)), { from, to })
  }
  const written = new Set(rows.map(({ path }) => path))
  const quotes = before
    .filter((row) => row.table === 'quotes' && !written.has(row.path) && isThere(tree.root, row))
    .toSorted((a, b) => (a.path < b.path ? 1 : -1))
    .slice(0, QUOTE_DAYS - 1)
  rows.push(...quotes)
  removeOthers(tree.root, before, rows)
  return { generatedAt, count: rows.length, rows }
}

const isThere = (root: string, { path, bytes }: TableRow): boolean => statsAt(join(root, path))?.size === bytes

const dayBefore = (day: string, days: number): string => dayOf(Date.parse(day) - days * DAY_MS)

/** Returns the year that the name of a table says, as `daily-2025-2.parquet` does. */
const yearIn = (path: string): string | undefined => /\/daily-(\d{4})(?:-\d+)?\.parquet$/.exec(path)?.[1]

/** Days after a year until venues were asked for its last days. */
const LATE_DAYS = DAILY.refresh_days + DAILY.final_days + 3

/** Returns the first day of the bars of each listing, and when it was added. */
const firstBars = ({ files, read }: TabledTree): { readonly from: string; readonly added: string }[] =>
  files.flatMap((file) => {
    const text = dailySlug(file) === null ? null : read(file)
    const [from, added] = text === null ? [] : [textIn(text, 'from'), textIn(text, 'olderAdded')]
    return from && added ? [{ from, added }] : []
  })

/** The tables of days: the last 365, then the past years that the tree has closes, bars or a table of, newest first. */
function periodsOf(tree: TabledTree, before: readonly TableRow[], today: string) {
  const first = firstBars(tree)
  const past = [
    ...tree.files.map((file) => closesDay(file)?.slice(0, 4)),
    ...before.map(({ path }) => yearIn(path)),
  ].flatMap((year) => (year === undefined ? [] : Number(year)))
  const thisYear = Number(today.slice(0, 4))
  const oldest = Math.min(...first.map(({ from }) => Number(from.slice(0, 4))), thisYear)
  const ofBars = Array.from({ length: thisYear - oldest }, (_, at) => oldest + at)
  const years = [...new Set([...past, ...ofBars])].filter((year) => year < thisYear).toSorted((a, b) => b - a)
  /** Returns the day from which the table of a year is not written again. */
  const closedOn = (year: number): string => {
    const added = first.flatMap((one) => (Number(one.from.slice(0, 4)) <= year ? [dayBefore(one.added, -1)] : []))
    return [dayOf(Date.UTC(year + 1, 0, 1) + LATE_DAYS * DAY_MS), ...added].toSorted().at(-1) ?? ''
  }
  return [
    { name: 'daily', from: dayBefore(today, RECENT_DAYS), to: dayBefore(today, 1), closedOn: null },
    ...years.map((year) => ({
      name: `daily-${year}`,
      from: `${year}-01-01`,
      to: `${year}-12-31`,
      closedOn: closedOn(year),
    })),
  ]
}

function removeOthers(root: string, before: readonly TableRow[], rows: readonly TableRow[]): void {
  const listed = new Set(rows.map(({ path }) => path))
  for (const { path } of before) if (!listed.has(path)) rmSync(join(root, path), { force: true })
}
