import { differenceOf } from '../src/changes/difference.ts'
import { differenceMarkdown, differenceText } from '../src/changes/print.ts'
import { treeReader } from './tree-reader.ts'
import { declare, seeHelp, flag } from './command.ts'
import { EXIT, UsageError } from './usage.ts'

export const command = declare({
  operands: '<A> <B>',
  options: {
    markdown: flag('print the difference as Markdown'),
  },
  notes: `A and B are folders, URLs of sites, or git revisions of this repository: snapshots~1 snapshots
Severity is major if a listing is gone, minor if one is new, patch for other facts, and none if only numbers changed.`,
  async run(values, positionals, output) {
    const [a, b] = positionals
    if (a === undefined || b === undefined || positionals.length > 2)
      throw new UsageError(`Name two trees. ${seeHelp('diff')}`)
    const difference = await differenceOf(
      { name: a, read: await treeReader(a) },
      { name: b, read: await treeReader(b) },
    )
    output.result(difference, () => (values.markdown ? differenceMarkdown(difference) : differenceText(difference)))
    return EXIT.done
  },
})
