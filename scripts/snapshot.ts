import { basename, dirname, join, resolve } from 'node:path'
import fse from 'fs-extra'
import { visible, visibleLines } from '../src/core/contract/visible.ts'
import { GATE_RULES } from '../src/core/feed/gate.ts'
import { type EndedRun, keepLastRun } from '../src/core/run/last-run.ts'
import { leastCadence, monthlyCosts, planText } from '../src/delivery/quota-plan.ts'
import type { RunReport } from '../src/core/run/run.ts'
import { bundlesAt, writeBundle } from '../src/core/sources/bundle.ts'
import { statsAt } from '../src/core/tree/reader.ts'
import { placeAt } from '../src/core/tree/remote.ts'
import { STATE } from '../src/core/tree/tables.ts'
import { RestoreError } from '../src/core/tree/tree-error.ts'
import { tracesOf } from '../src/delivery/first-run.ts'
import { BRANCH_FORM, branchOf } from '../src/delivery/git.ts'
import { nextSteps, progressOf, reportJson, sourceLine, summary, summaryMarkdown } from '../src/delivery/run-report.ts'
import { type Build, HISTORY_REQUESTS, build, keyedSources, recording } from './build.ts'
import type { Flags, Output } from './command.ts'
import { EXIT, UsageError, declare, flagOption, oneOf, text, textOr, texts, wholeNumber, writable } from './command.ts'
import { environment, gitEnvironment, runTime } from './environment.ts'
import { QUEUE, queueIfAny } from './open-queue.ts'
import { type Settings, overridesIn, overriding, settingsWith } from './settings.ts'
import { printError } from './terminal.ts'

const OPTIONS = {
  sources: textOr('live', 'live or sample'),
  out: textOr('dist', 'folder of the tree'),
  only: overriding('only'),
  listings: overriding('listings'),
  cadence: overriding('cadence'),
  'history-requests': text('requests for past prices in a run; 120, and more in the first, by default'),
  from: texts('site or folder to restore the last publication from, if the output folder holds none'),
  queue: QUEUE,
  accept: text(`comma-separated gate rules that this run may break: ${GATE_RULES.join(', ')}`),
  rights: overriding('rights'),
  country: overriding('country'),
  plan: flagOption('print the requests of a month at this cadence, and exit with 3 if they exceed a quota'),
  recordings: texts('folder or file of recordings to merge instead of asking the sources'),
  record: text('folder to write what the sources returned into, as a recording'),
  'record-only': flagOption('with --record: publish nothing, for a run elsewhere; needs no tree'),
  fresh: flagOption('replace the tree instead of extending it'),
  begin: text(
    `begin a new feed if neither the folder, nor --from, nor this data branch has a trace of one: ${BRANCH_FORM}`,
  ),
  budget: overriding('budget'),
  compress: { ...overriding('compress'), type: 'boolean' },
  report: text('file to write the run report to, as JSON'),
  summary: text('file to append a Markdown summary to'),
} as const
type Options = Flags<typeof OPTIONS>

export const command = declare({
  options: OPTIONS,
  async run(given, _, output) {
    const out = writable(given.out)
    refuseWrong(given)
    // A reader never takes an earlier report for that of this run, even if the disk is full. A device stays, such as /dev/stdout.
    if (given.report !== undefined && statsAt(given.report)) fse.rmSync(fse.realpathSync(given.report))
    const wanted = await buildOf(given, output)
    if (given.plan) return plan(wanted.settings, output)
    if (given['record-only']) return recordOnly(wanted, output)
    const doing = wanted.recordings ? 'Merging recordings of' : 'Collecting from'
    output.line(`${doing} ${wanted.kind} sources into ${out}`)
    const told = progressOf(wanted.kind)
    const report = await kept(given, () => build(wanted, (event) => told(event).forEach((line) => output.line(line))))
    if (given.summary !== undefined) fse.appendFileSync(given.summary, summaryMarkdown(report, repositoryHere()))
    output.result(reportJson(report), () => summary(report))
    if (report.published && report.isFirst && wanted.kind === 'live')
      output.line(nextSteps(report, out, HISTORY_REQUESTS.perRun))
    return exitCode(report, out)
  },
})

function repositoryHere(): string | null {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY } = environment()
  return GITHUB_REPOSITORY === undefined ? null : `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}`
}

async function recordOnly(wanted: Build, output: Output): Promise<number> {
  if (!wanted.record) throw new UsageError('Name the folder of the recording with --record.')
  const bundle = await recording(wanted, (event) => {
    if (event.kind === 'answered') output.line(sourceLine(event.report))
  })
  const { path, bytes } = writeBundle(wanted.record, bundle)
  const { header } = bundle
  const rows = [...bundle.rows.values()].reduce((sum, { length }) => sum + length, 0)
  output.result(
    { path, rows, bytes },
    () => `${rows} rows of ${header.sources.length} sources, ${(bytes / 1024).toFixed(0)} KiB: ${path}`,
  )
  return header.sources.some(({ error }) => error === null) ? EXIT.done : EXIT.no_source
}

function refuseWrong({ report, summary, record, recordings }: Options): void {
  for (const file of [report, summary].flatMap((one) => one ?? [])) {
    if (!fse.existsSync(dirname(writable(file))))
      throw new UsageError(`There is no folder ${dirname(file)} for the file ${basename(file)}.`)
    if (fse.statSync(file, { throwIfNoEntry: false })?.isDirectory())
      throw new UsageError(`${file} is a folder. Name a file.`)
    // Not after the run, which has published then.
    fse.accessSync(fse.existsSync(file) ? file : dirname(file), fse.constants.W_OK)
  }
  if (record !== undefined && statsAt(writable(record)))
    throw new UsageError(`--record takes a folder, and ${record} is a file.`)
  if (recordings?.every((place) => !fse.existsSync(place)))
    throw new UsageError(`There is no recording ${recordings.join(', ')}. Name a folder or a file.`)
}

async function kept({ out, report: file }: Options, run: () => Promise<RunReport>): Promise<RunReport> {
  const start = performance.now()
  const keep = (ended: EndedRun, report: object) => {
    keepLastRun(resolve(out), ended, runTime(), performance.now() - start)
    if (file !== undefined) fse.writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`)
  }
  try {
    const report = await run()
    keep(report, reportJson(report))
    return report
  } catch (error) {
    try {
      const message = error instanceof Error ? error.message : String(error)
      keep({ outcome: 'failed', refusals: [], lifted: [] }, { outcome: 'failed', error: message })
    } catch {
      // What failed the run, such as a full disk, also fails this. The first error says so.
    }
    throw error
  }
}

const buildOf = async (given: Options, output: Output): Promise<Build> => ({
  kind: oneOf('sources', ['live', 'sample'], given.sources),
  out: given.out,
  settings: await settingsWith(overridesIn(given)),
  fresh: given.fresh || (await isFirst(given, output)),
  from: (given.from ?? []).filter((place) => place !== ''),
  accept: new Set(given.accept?.split(',').map((name) => oneOf('accept', GATE_RULES, name))),
  queue: queueIfAny(given.queue),
  historyRequests: wholeNumber('history-requests', given['history-requests']),
  recordings: given.recordings && bundlesAt(given.recordings),
  record: given.record,
})

/** Whether --begin is given, and nothing was ever published: neither here, nor at --from, nor on the data branch. */
async function isFirst({ begin, out, from = [] }: Options, output: Output): Promise<boolean> {
  if (begin === undefined) return false
  const branch = branchOf(begin)
  if (branch === null) throw new UsageError(`--begin takes ${BRANCH_FORM}.`)
  const places = [out, ...from].map((place) => placeAt(place))
  const traces = await tracesOf(places, branch, gitEnvironment())
  if (traces.length === 0) return true
  output.line(visibleLines(traces.map((trace) => `Not the first run: ${trace}.`)))
  if (from.some(Boolean) || fse.existsSync(join(out, STATE.list))) return false
  const step = 'Name where the last publication is with --from, or leave it behind with --fresh.'
  throw new RestoreError('nothing_restored', `Nothing was published, because ${out} has nothing to extend. ${step}`)
}

function exitCode(report: RunReport, out: string): number {
  if (report.outcome === 'published') return EXIT.done
  if (report.outcome === 'refused') {
    const rules = report.refusals.map(({ rule }) => rule).join(',')
    const reasons = report.refusals.map(({ message }) => message).join('; ')
    printError(visible(`The snapshot was refused and ${out} is unchanged: ${reasons}.`))
    printError(`If the data is right, run once with --accept ${rules}`)
    return EXIT.refused
  }
  const failures = report.reports.flatMap(({ error }) => error ?? [])
  printError(
    failures.length > 0 && failures.every(({ code }) => code === 'source_unreachable')
      ? `No source could be reached, so ${out} is unchanged. Check the network of this machine: its names (DNS), its firewall, and HTTPS_PROXY if it needs a proxy.`
      : `No source returned usable data, so ${out} is unchanged. Add --json to see the error of each source.`,
  )
  return EXIT.no_source
}

function plan({ config }: Settings, output: Output): number {
  const cadenceMs = config.cadenceMinutes * 60_000
  const costs = monthlyCosts(keyedSources(), { cadenceMs, listings: config.listings })
  output.result(costs, () => planText(costs, cadenceMs))
  return leastCadence(costs) === null ? EXIT.done : EXIT.refused
}
