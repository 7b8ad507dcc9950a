import { deviationLine } from '../src/check/deviation.ts'
import { onOnePublication } from '../src/check/one-publication.ts'
import { validateTree, validationText } from '../src/check/validate.ts'
import { printError } from './terminal.ts'
import { treeReader } from './tree-reader.ts'
import { declare } from './command.ts'
import { EXIT, UsageError } from './usage.ts'

const MOST_LINES = 20

export const command = declare({
  options: {
    tree: { type: 'string', about: 'folder of a tree, base URL of a site or git revision, dist by default' },
  },
  async run(given, _, output) {
    const tree = given.tree ?? 'dist'
    const read = await treeReader(tree)
    const check = await onOnePublication(read, () => validateTree(read))
    if (!check) throw new UsageError(`${tree} was published anew each time it was read. Run this again later.`)
    const { report, deviations } = check
    if (report) output.result(report, () => validationText(report))
    for (const deviation of deviations.slice(0, MOST_LINES)) printError(deviationLine(deviation))
    if (deviations.length > MOST_LINES) printError(`and ${deviations.length - MOST_LINES} more`)
    return deviations.length === 0 ? EXIT.done : EXIT.refused
  },
})
