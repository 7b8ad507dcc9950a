import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { diagnose, diagnosisText } from '../src/check/doctor.ts'
import { specs } from '../src/endpoints/table.ts'
import { isUnfinished } from '../src/tree/journal.ts'
import { LAYOUT } from '../src/tree/layout.ts'
import { environment } from './environment.ts'
import { print } from './terminal.ts'
import { EXIT, UsageError, main, options } from './usage.ts'

await main(async () => {
  const given = options(
    'doctor',
    'Checks every document, digest and count of a tree, its unlisted files, lock and age, and suggests repairs.',
    {
      tree: { type: 'string', about: 'folder of the tree, dist by default' },
      json: { type: 'boolean', about: 'print the problems as JSON' },
    },
  )
  const root = resolve(String(given['tree'] ?? 'dist'))
  if (!existsSync(join(root, LAYOUT.api)) && !isUnfinished(root))
    throw new UsageError(
      `${root} holds no published tree. Run npm run snapshot -- --out ${root} first, or pass --tree.`,
    )
  const { MKT_NOW } = environment()
  const diagnosis = diagnose(root, specs, MKT_NOW === undefined ? Date.now() : Date.parse(MKT_NOW))
  print(given['json'] ? JSON.stringify(diagnosis, null, 2) : diagnosisText(diagnosis))
  return diagnosis.problems.some(({ severity }) => severity === 'error') ? EXIT.refused : EXIT.done
})
