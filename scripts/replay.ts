import { cpSync, existsSync, readdirSync } from 'node:fs'
import { BundleError, type BundleRead, bundlesAt } from '../src/core/sources/bundle.ts'
import { build } from './build.ts'
import { EXIT, UsageError, declare, seeHelp, text, textOr, writable } from './command.ts'
import { settingsWith } from './settings.ts'
import { printError } from './terminal.ts'

/** What a run observed is taken as it is, whatever the settings would choose. */
const REPLAYED = { sources: { only: null, off: [] }, rights: null, country: null }

export const command = declare({
  operands: '<recording>...',
  options: {
    tree: text('tree that the run extended, with its folder state; none for a first run'),
    out: textOr('replayed', 'empty folder for the result'),
    commit: text('commit of the program, as in the manifest of the run'),
  },
  async run(given, recordings, output) {
    if (recordings.length === 0) throw new UsageError(`Name the recordings to replay. ${seeHelp('replay')}`)
    const { out, tree, commit } = given
    if (existsSync(writable(out)) && readdirSync(out).length > 0)
      throw new UsageError(`${out} is not empty. Choose another folder with --out.`)
    const read = bundlesAt(recordings)
    const { kind, cadence_ms } = headerOf(read)
    const settings = await settingsWith({ ...REPLAYED, cadenceMinutes: cadence_ms / 60_000 })
    if (tree !== undefined) cpSync(tree, out, { recursive: true, preserveTimestamps: true })
    // The recordings have the past prices of the run, and its gate has judged it.
    const replayed = { historyRequests: 0, accept: new Set(['listings_floor'] as const) }
    const report = await build({ kind, out, settings, recordings: read, commit, ...replayed }, () => {})
    for (const { name, message } of report.collection.refused) printError(`Not used: ${name}: ${message}.`)
    if (!report.published) {
      const reasons = report.refusals.map(({ message }) => message).join('; ')
      printError(`Nothing was built: ${reasons || 'no usable source'}.`)
      return report.outcome === 'refused' ? EXIT.refused : EXIT.no_source
    }
    const { listings } = report
    output.result({ listings, out }, () => `${listings} listings replayed into ${out}`)
    return EXIT.done
  },
})

function headerOf(read: readonly BundleRead[]) {
  for (const { result } of read) if (!(result instanceof BundleError)) return result.header
  const reasons = read.map(({ name, result }) => `${name}: ${result instanceof BundleError ? result.message : ''}`)
  throw new UsageError(`No recording can be used. ${reasons.join('; ') || 'There is none'}.`)
}
