import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { diagnose, diagnosisText } from '../src/check/doctor.ts'
import { isUnfinished } from '../src/tree/journal.ts'
import { LAYOUT } from '../src/tree/layout.ts'
import { environment } from './environment.ts'
import { print } from './terminal.ts'
import { publisherAt } from './tree-reader.ts'
import { declare } from './command.ts'
import { EXIT, UsageError } from './usage.ts'

export const command = declare({
  options: {
    tree: { type: 'string', about: 'folder of the tree, dist by default' },
    json: { type: 'boolean', about: 'print the problems as JSON' },
  },
  async run(given) {
    const root = resolve(given.tree ?? 'dist')
    if (!existsSync(join(root, LAYOUT.api)) && !isUnfinished(root))
      throw new UsageError(
        `${root} holds no published tree. Run npm run snapshot -- --out ${root} first, or pass --tree.`,
      )
    const { MKT_NOW } = environment()
    const diagnosis = diagnose(root, publisherAt(root).specs, MKT_NOW === undefined ? Date.now() : Date.parse(MKT_NOW))
    print(given.json ? JSON.stringify(diagnosis, null, 2) : diagnosisText(diagnosis))
    return diagnosis.problems.some(({ severity }) => severity === 'error') ? EXIT.refused : EXIT.done
  },
})
