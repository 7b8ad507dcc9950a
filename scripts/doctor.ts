import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { diagnose, diagnosisText } from '../src/check/doctor.ts'
import { isUnfinished } from '../src/tree/journal.ts'
import { LAYOUT } from '../src/tree/layout.ts'
import { environment } from './environment.ts'
import { publisherAt } from './tree-reader.ts'
import { declare } from './command.ts'
import { EXIT, UsageError } from './usage.ts'

export const command = declare({
  options: {
    tree: { type: 'string', about: 'folder of the tree, dist by default' },
  },
  async run(given, _, output) {
    const root = resolve(given.tree ?? 'dist')
    if (!existsSync(join(root, LAYOUT.api)) && !isUnfinished(root))
      throw new UsageError(
        `${root} holds no published tree. Run npm run snapshot -- --out ${root} first, or pass --tree.`,
      )
    const { MKT_NOW } = environment()
    const diagnosis = diagnose(root, publisherAt(root).specs, MKT_NOW === undefined ? Date.now() : Date.parse(MKT_NOW))
    output.result(diagnosis, () => diagnosisText(diagnosis))
    return diagnosis.problems.some(({ severity }) => severity === 'error') ? EXIT.refused : EXIT.done
  },
})
