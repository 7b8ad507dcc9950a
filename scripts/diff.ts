import { differenceOf } from '../src/changes/difference.ts'
import { differenceMarkdown, differenceText } from '../src/changes/print.ts'
import { treeReader } from './tree-reader.ts'
import { print } from './terminal.ts'
import { EXIT, UsageError, main, parsed } from './usage.ts'

const HELP = `npm run diff -- <A> <B> [--markdown] [--json]
Compares two trees: a list of changed facts, the distribution of price changes, and the severity. Severity is major if a
listing is gone, minor if one is new, patch for other facts, and none if only numbers changed.

A and B are folders, URLs of sites, or git revisions of this repository: snapshots~1 snapshots`

await main(async () => {
  const { values, positionals } = parsed('diff', {
    allowPositionals: true,
    options: {
      markdown: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    print(HELP)
    return EXIT.done
  }
  const [a, b] = positionals
  if (a === undefined || b === undefined || positionals.length > 2) throw new UsageError(`Name two trees.\n\n${HELP}`)
  const difference = await differenceOf({ name: a, read: await treeReader(a) }, { name: b, read: await treeReader(b) })
  if (values.json) print(JSON.stringify(difference, null, 2))
  else print(values.markdown ? differenceMarkdown(difference) : differenceText(difference))
  return EXIT.done
})
