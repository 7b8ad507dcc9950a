import { cpSync, existsSync, readFileSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { BundleError } from '../src/observations/bundle.ts'
import { bundlesAt } from '../src/run/bundle-places.ts'
import { filesBelow } from '../src/tree/reader.ts'
import { build } from './build.ts'
import { budgetIn } from './run-options.ts'
import { print, printError } from './terminal.ts'
import { REMOTE } from './tree-reader.ts'
import { EXIT, UsageError, main, parsed } from './usage.ts'

const HELP = `npm run replay -- <bundle>... [options]
Builds the tree of a run again from what it observed.
  --tree             tree that the run extended, with its folder state; none for a first run
  --out              empty folder for the result, replayed by default
  --commit           commit of the program, as in the manifest of the run
  --against          tree to compare the result with, byte for byte
  --budget           host whose limits the run kept
  --registry         registry file that the run used
  --keep-bundle      folder to write the observations into again, as one bundle`

await main(async () => {
  const { positionals, values } = parsed('replay', {
    allowPositionals: true,
    options: {
      tree: { type: 'string' },
      out: { type: 'string', default: 'replayed' },
      commit: { type: 'string' },
      against: { type: 'string' },
      budget: { type: 'string' },
      registry: { type: 'string' },
      'keep-bundle': { type: 'string' },
      help: { type: 'boolean' },
    },
  })
  if (values.help === true) {
    print(HELP)
    return EXIT.done
  }
  if (positionals.length === 0) throw new UsageError('Name the bundles to replay. See npm run replay -- --help')
  const { out, tree } = values
  const budget = budgetIn(values.budget)
  if (existsSync(out) && readdirSync(out).length > 0)
    throw new UsageError(`${out} is not empty. Choose another folder with --out.`)
  const { kind, cadence_ms } = await headerOf(positionals)
  if (tree !== undefined) cpSync(tree, out, { recursive: true, preserveTimestamps: true })
  const report = await build({
    kind,
    out,
    only: null,
    listings: null,
    cadenceMinutes: cadence_ms / 60_000,
    historyRequests: null,
    fresh: false,
    from: [],
    accept: new Set(),
    leastListings: 0,
    queue: null,
    registry: values.registry ?? null,
    rights: null,
    country: null,
    bundles: positionals,
    keepBundle: values['keep-bundle'] ?? null,
    commit: values.commit,
    ...(budget ? { budget } : {}),
  })
  for (const { name, message } of report.collection.refused) printError(`Not used: ${name}: ${message}.`)
  if (!report.published) {
    printError(`Nothing was built: ${report.refusals.map(({ message }) => message).join('; ') || 'no usable source'}.`)
    return report.outcome === 'refused' ? EXIT.refused : EXIT.no_source
  }
  print(`${report.listings} listings replayed into ${out}`)
  return values.against === undefined ? EXIT.done : compare(values.against, out)
})

/** Returns the facts that the bundles agree on. */
async function headerOf(places: readonly string[]) {
  const read = await bundlesAt(places, REMOTE)
  for (const { result } of read) if (!(result instanceof BundleError)) return result.header
  const reasons = read.map(({ name, result }) => `${name}: ${result instanceof BundleError ? result.message : ''}`)
  throw new UsageError(`No bundle can be used. ${reasons.join('; ') || 'There is none'}.`)
}

/** Prints the files that differ. What a run keeps for the next one and does not publish is in dot files. */
function compare(against: string, out: string): number {
  const published = (root: string) => filesBelow(root, '').filter((file) => !basename(file).startsWith('.'))
  const differing = [...new Set([...published(against), ...published(out)])]
    .toSorted()
    .filter((file) => !sameBytes(join(against, file), join(out, file)))
  for (const file of differing.slice(0, 20)) printError(`differs: ${file}`)
  print(
    differing.length === 0 ? `It equals ${against}, byte for byte` : `${differing.length} files differ from ${against}`,
  )
  return differing.length === 0 ? EXIT.done : EXIT.refused
}

function sameBytes(a: string, b: string): boolean {
  return existsSync(a) && existsSync(b) && readFileSync(a).equals(readFileSync(b))
}
