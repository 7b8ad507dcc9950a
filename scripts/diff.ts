import { differenceOf } from '../src/changes/difference.ts'
import { differenceText } from '../src/changes/print.ts'
import { treeReader } from './tree-reader.ts'
import { UsageError, declare, seeHelp } from './command.ts'

export const command = declare({
  operands: '<A> <B>',
  options: {},
  notes: `A and B are folders, URLs of sites, or git revisions with a tree, such as HEAD~1 and HEAD.
Severity is major if a listing is gone, minor if one is new, patch for other facts, and none if only numbers changed.`,
  async run(_, positionals, output) {
    const [a, b] = positionals
    if (a === undefined || b === undefined || positionals.length > 2)
      throw new UsageError(`Name two trees. ${seeHelp('diff')}`)
    const difference = await differenceOf({ name: a, read: treeReader(a) }, { name: b, read: treeReader(b) })
    output.result(difference, () => differenceText(difference))
  },
})
