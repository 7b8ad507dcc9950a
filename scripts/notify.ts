import { join, resolve } from 'node:path'
import * as z from 'zod'
import { readJson } from '../src/core/contract/read-json.ts'
import { visibleLines } from '../src/core/contract/visible.ts'
import { readKept, writeKept } from '../src/core/run/run-cache.ts'
import { LAYOUT } from '../src/core/tree/layout.ts'
import { textAt } from '../src/core/tree/reader.ts'
import { readerAt } from '../src/core/tree/remote.ts'
import { HOST_BUDGETS, nearLimits } from '../src/delivery/budgets.ts'
import { DeliveryError } from '../src/delivery/delivery-error.ts'
import { type FeedProblem, ProblemReport, ageProblems, messageOf, runProblems } from '../src/delivery/problems.ts'
import { ping, post } from '../src/delivery/webhook.ts'
import { type Flags, EXIT, UsageError, declare, text, textOr } from './command.ts'
import { runTime, secretVariable } from './environment.ts'
import { budgetIn, settingsWith } from './settings.ts'
import { printError } from './terminal.ts'

/** Keys of the problems of the last run, kept beside the tree. Lost, they cost a second message. */
const LAST_PROBLEMS = 'problems'

const OPTIONS = {
  tree: textOr('dist', 'published tree; the problems of the last run are kept beside it'),
  report: text('report of the last run, written by snapshot --report'),
  budget: text(`warn if the tree exceeds 80 % of the limits of ${Object.keys(HOST_BUDGETS).join(', ')}`),
  site: text('judge the age of this published site instead of the tree'),
} as const

export const command = declare({
  options: OPTIONS,
  notes: `Environment, each optional: HEALTH_WEBHOOK takes an address for JSON messages (Slack, Discord or any program), or
ntfy+<address> for ntfy, and gets a message when the problems differ from those of the last run; PING_URL is requested after
each run that published and has no problem.
Exit codes: 0 no problem, 1 a message could not be delivered, 3 there are problems.`,
  async run(given, _, output) {
    const { product } = (await settingsWith()).config
    const root = resolve(given.tree)
    const report = given.report === undefined ? null : readJson(textAt(given.report), ProblemReport)
    const problems = await problemsOf(given, report)
    const last = readKept(root, LAST_PROBLEMS, z.array(z.string())) ?? []
    const message = messageOf(problems, last, product)
    const failed: string[] = []
    if (message !== null) {
      const isSent = await isDelivered('HEALTH_WEBHOOK', (address) => post(address, message, { problems }))
      const keys = problems.map(({ key }) => key)
      if (isSent) writeKept(root, LAST_PROBLEMS, keys)
      else failed.push('HEALTH_WEBHOOK')
    }
    const isGood = problems.length === 0 && report?.outcome === 'published'
    if (isGood && !(await isDelivered('PING_URL', ping))) failed.push('PING_URL')
    const count = `${problems.length} problem${problems.length === 1 ? '' : 's'}.`
    output.result({ problems, failed }, () => visibleLines([...problems.map(({ text }) => text), count]))
    if (failed.length > 0) return EXIT.fault
    return problems.length > 0 ? EXIT.refused : EXIT.done
  },
})

async function isDelivered(variable: string, send: (address: string) => Promise<void>): Promise<boolean> {
  const address = secretVariable(variable)
  try {
    if (address !== undefined) await send(address)
    return true
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    printError(`${variable} ${error.message}. The next run tries again.`)
    return false
  }
}

async function problemsOf(given: Flags<typeof OPTIONS>, report: ProblemReport | null): Promise<FeedProblem[]> {
  const { tree, site, report: file, budget: host } = given
  if (site !== undefined && file !== undefined)
    throw new UsageError('Give either --site or --report: a site has no run.')
  const now = runTime()
  if (site !== undefined) return ageProblems(site, await readerAt(site)(LAYOUT.index).catch(() => null), now)
  const index = textAt(join(tree, LAYOUT.index))
  const budget = budgetIn(host)
  const limits = budget && report?.footprint ? nearLimits(report.footprint, budget) : []
  return [
    ...(file === undefined ? [] : runProblems(report, now, limits)),
    // After a first run that was refused there is no tree yet.
    ...(index !== null || file === undefined ? ageProblems(tree, index, now) : []),
  ]
}
