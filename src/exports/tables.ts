import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { TABLES_FILE, TABLES_FOLDER, type TableRow, type Tables, tablesIn } from '../contract/tables.ts'
import { type TableDocuments, dailyTable } from './daily-table.ts'
import { assetTable, quoteTable } from './market-tables.ts'
import { type Table, writeParquet } from './parquet-file.ts'

/** Number of days whose quotes are kept. */
const QUOTE_DAYS = 31

/** A tree that tables are written from and into. */
export interface TabledTree extends TableDocuments {
  readonly root: string
}

/**
 * Writes the tables of a published tree as Parquet beside it: every listing, the markets of the day, and every past day of
 * every listing. Returns the list to publish, with the quotes of past days.
 *
 * @param generatedAt of the snapshot
 */
export async function writeTables(tree: TabledTree, generatedAt: string): Promise<Tables> {
  const today = generatedAt.slice(0, 10)
  const { root } = tree
  const written = async (table: TableRow['table'], path: string, content: Table): Promise<TableRow> => ({
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
  const kept = tablesIn(tree.read(TABLES_FILE))
    .rows.filter(({ table, path }) => table === 'quotes' && path !== quotes && existsSync(join(root, path)))
    .toSorted((a, b) => (a.path < b.path ? 1 : -1))
    .slice(0, QUOTE_DAYS - 1)
  const rows = [...own, ...kept]
  const named = new Set(rows.map(({ path }) => path))
  for (const name of readdirSync(join(root, TABLES_FOLDER)))
    if (/^quotes-.*\.parquet$/.test(name) && !named.has(`${TABLES_FOLDER}/${name}`))
      rmSync(join(root, TABLES_FOLDER, name))
  return { generatedAt, count: rows.length, rows }
}
