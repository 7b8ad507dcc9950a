import * as z from 'zod'
import { readJson } from '../src/contract/read-json.ts'
import { TABLES_FILE } from '../src/contract/tables.ts'
import { Timestamp } from '../src/contract/words.ts'
import { publishTables } from '../src/exports/publish-tables.ts'
import { writeTables } from '../src/exports/tables.ts'
import { LAYOUT } from '../src/tree/layout.ts'
import type { Tree } from '../src/tree/tree.ts'
import { environment } from './environment.ts'
import type { Output } from './command.ts'
import { UsageError } from './usage.ts'

/** Writes the tables of a tree beside it, and publishes their list in it. @throws UsageError if it has no snapshot */
export async function tablesOf(tree: Tree, output: Output) {
  const index = readJson(tree.read(LAYOUT.index), z.object({ generatedAt: Timestamp }))
  if (index === null) throw new UsageError(`${tree.root} has no snapshot. Run npm run snapshot first.`)
  const documents = [...tree.files, ...tree.documents('history'), ...tree.documents('assets')]
  const tables = await writeTables(
    { root: tree.root, files: [...new Set(documents)], read: (file) => tree.read(file) },
    index.generatedAt,
  )
  await publishTables(tree, tables, environment().MKT_LOG_KEY)
  if (tree.read(TABLES_FILE) === null)
    output.line('The tree does not have /tables yet. Run npm run snapshot, then npm run publish -- --tables again.')
  return tables.rows
}
