import { differenceOf } from '../src/changes/difference.ts'
import { differenceMarkdown, differenceText } from '../src/changes/print.ts'
import { treeReader } from './tree-reader.ts'
import { print } from './terminal.ts'
import { EXIT, UsageError, main, parsed } from './usage.ts'

const HELP = `npm run diff -- <A> <B> [--markdown] [--json]
Tells what happened from one tree to another: facts as a list, prices as a distribution, and what it means to who relies on
the data: major when a listing is gone, minor when there is a new one, patch for details, none for numbers alone.

A and B are folders, addresses of sites, or revisions of the repository here: snapshots~1 snapshots`

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
  if (a === undefined || b === undefined || positionals.length > 2) throw new UsageError(`name two trees\n\n${HELP}`)
  const difference = await differenceOf({ name: a, read: await treeReader(a) }, { name: b, read: await treeReader(b) })
  if (values.json) print(JSON.stringify(difference, null, 2))
  else print(values.markdown ? differenceMarkdown(difference) : differenceText(difference))
  return EXIT.done
})
