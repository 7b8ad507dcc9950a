import { resolve } from 'node:path'
import * as z from 'zod'
import { readJson } from '../src/contract/read-json.ts'
import { TABLES_FILE } from '../src/contract/tables.ts'
import { Timestamp } from '../src/contract/words.ts'
import { publishTables } from '../src/exports/publish-tables.ts'
import { writeTables } from '../src/exports/tables.ts'
import { LAYOUT } from '../src/tree/layout.ts'
import { lock } from '../src/tree/lock.ts'
import { refuseForeign } from '../src/tree/own-files.ts'
import { Tree } from '../src/tree/tree.ts'
import { declare } from './command.ts'
import { EXIT, UsageError } from './usage.ts'

export const command = declare({
  options: { tree: { type: 'string', default: 'dist', about: 'published tree; the tables are written beside it' } },
  async run({ tree: folder }, _, output) {
    const root = resolve(folder)
    refuseForeign(root)
    const unlock = lock(root, Date.now())
    try {
      const tree = new Tree(root)
      const index = readJson(tree.read(LAYOUT.index), z.object({ generatedAt: Timestamp }))
      if (index === null) throw new UsageError(`${folder} has no snapshot. Run npm run snapshot first.`)
      const documents = [...tree.files, ...tree.documents('history'), ...tree.documents('assets')]
      const tables = await writeTables(
        { root, files: [...new Set(documents)], read: (file) => tree.read(file) },
        index.generatedAt,
      )
      await publishTables(tree, tables)
      if (tree.read(TABLES_FILE) === null)
        output.line('The tree does not have /tables yet. Run npm run snapshot, then npm run tables again.')
      output.result(tables.rows, () =>
        tables.rows
          .map(({ path, rows: count, bytes }) => `${path}: ${count} rows, ${(bytes / 1e6).toFixed(2)} MB.`)
          .join('\n'),
      )
      return EXIT.done
    } finally {
      unlock()
    }
  },
})
