import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { readJson } from '../contract/read-json.ts'
import { Count, Timestamp } from '../contract/words.ts'
import { textAt } from '../tree/reader.ts'
import { syncFiles } from '../tree/sync-files.ts'
import { type TableDocuments, dailyTable } from './daily-table.ts'
import { assetTable, quoteTable } from './market-tables.ts'
import { type Table, writeParquet } from './parquet-file.ts'

/** Folder of the tables, relative to the tree's root. */
export const TABLES_FOLDER = 'tables'
/** The list of the tables, relative to the tree's root. */
export const TABLES_INDEX = `${TABLES_FOLDER}/index.json`

export const TableEntry = z.object({
  table: z.enum(['assets', 'quotes', 'daily']),
  path: z.string().regex(/^tables\/[a-z0-9-]+\.parquet$/),
  rows: Count,
  bytes: Count,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  metadataBytes: Count.describe('Length of the metadata at the end of the file.'),
  generatedAt: Timestamp.describe('Of the snapshot that it was written from.'),
  schema: z.array(z.object({ name: z.string(), type: z.string(), description: z.string() })),
})
export type TableEntry = z.infer<typeof TableEntry>

export const TablesIndex = z.object({ generatedAt: Timestamp, count: Count, rows: z.array(TableEntry) })
export type TablesIndex = z.infer<typeof TablesIndex>

/** Number of days whose quotes are kept. */
const QUOTE_DAYS = 31

/** A tree that tables are written from and into. */
export interface TabledTree extends TableDocuments {
  readonly root: string
}

/**
 * Writes the tables of a published tree as Parquet beside it, and the list that names them last: every listing, the markets
 * of the day, and every past day of every listing.
 *
 * @param generatedAt of the snapshot
 */
export async function writeTables(tree: TabledTree, generatedAt: string): Promise<TablesIndex> {
  const today = generatedAt.slice(0, 10)
  const { root } = tree
  const written = async (table: TableEntry['table'], path: string, content: Table): Promise<TableEntry> => ({
    table,
    path,
    ...(await writeParquet(root, path, content)),
    generatedAt,
    schema: [...content.columns],
  })
  const quotes = `${TABLES_FOLDER}/quotes-${today}.parquet`
  const own = [
    await written('assets', `${TABLES_FOLDER}/assets.parquet`, assetTable(tree)),
    await written('quotes', quotes, quoteTable(tree)),
    await written('daily', `${TABLES_FOLDER}/daily.parquet`, dailyTable(tree, today)),
  ]
  const before = readJson(textAt(join(root, TABLES_INDEX)), TablesIndex)?.rows ?? []
  const kept = before
    .filter(({ table, path }) => table === 'quotes' && path !== quotes)
    .toSorted((a, b) => (a.path < b.path ? 1 : -1))
    .slice(0, QUOTE_DAYS - 1)
  const rows = [...own, ...kept]
  const index = { generatedAt, count: rows.length, rows }
  writeFileSync(join(root, `${TABLES_INDEX}.new`), `${JSON.stringify(index, null, 1)}\n`)
  syncFiles(root, [`${TABLES_INDEX}.new`])
  renameSync(join(root, `${TABLES_INDEX}.new`), join(root, TABLES_INDEX))
  const named = new Set(rows.map(({ path }) => path))
  for (const name of readdirSync(join(root, TABLES_FOLDER)))
    if (/^quotes-.*\.parquet$/.test(name) && !named.has(`${TABLES_FOLDER}/${name}`))
      rmSync(join(root, TABLES_FOLDER, name))
  return index
}
