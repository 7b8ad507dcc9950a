import { join, resolve } from 'node:path'
import * as z from 'zod'
import { PREFIX } from '../src/core/contract/prefix.ts'
import { readJson } from '../src/core/contract/read-json.ts'
import { visibleLines } from '../src/core/contract/visible.ts'
import { DeliveryError } from '../src/delivery/delivery-error.ts'
import { type Problem, Report, ageProblems, messageOf, runProblems } from '../src/delivery/problems.ts'
import { ping, post, secretUrl, webhookOf } from '../src/delivery/webhook.ts'
import { HOST_BUDGETS, nearLimits } from '../src/delivery/budgets.ts'
import { readKept, writeKept } from '../src/core/run/run-cache.ts'
import { LAYOUT } from '../src/core/tree/layout.ts'
import { textAt } from '../src/core/tree/reader.ts'
import { type Parsed, declare, text } from './command.ts'
import { OVERDUE_MINUTES } from '../src/service/health.ts'
import { runTime, secretIn } from './environment.ts'
import { budgetIn, settingsWith } from './settings.ts'
import { printError } from './terminal.ts'
import { EXIT, UsageError } from './usage.ts'

const SITE_TIMEOUT_MS = 30_000
const WEBHOOK = { ask: fetch, timeoutMs: 10_000 }

/** Keys of the problems of the last run, kept beside the tree. Lost, they cost a second message. */
const LAST_PROBLEMS = 'problems'
const LastProblems = z.array(z.string())

const OPTIONS = {
  tree: { type: 'string', default: 'dist', about: 'published tree; the problems of the last run are kept beside it' },
  report: text('report of the last run, written by snapshot --report'),
  budget: text(`warn if the tree exceeds 80 % of the limits of ${Object.keys(HOST_BUDGETS).join(', ')}`),
  site: text('judge the age of this published site instead of the tree'),
} as const

type CommandOptions = Parsed<typeof OPTIONS>['values']

export const command = declare({
  options: OPTIONS,
  notes: `Environment, each optional: HEALTH_WEBHOOK takes an address for JSON messages (Slack, Discord or any program), or
ntfy+<address> for ntfy, and gets a message when the problems differ from those of the last run; PING_URL is requested after
each run that published and has no problem.
Exit codes: 0 no problem, 1 a message could not be delivered, 3 there are problems.`,
  async run(given, _, output) {
    const { config } = await settingsWith()
    const report = given.report === undefined ? null : readJson(textAt(given.report), Report)
    const problems = await problemsOf(given, report, { now: runTime(), overdueMinutes: OVERDUE_MINUTES })
    const isGood = problems.length === 0 && report?.outcome === 'published'
    const failed = await deliver(resolve(given.tree), { problems, isGood, product: config.product })
    output.result({ problems, failed }, () =>
      visibleLines([
        ...problems.map(({ text }) => text),
        `${problems.length} problem${problems.length === 1 ? '' : 's'}.`,
      ]),
    )
    if (failed.length > 0) return EXIT.fault
    return problems.length > 0 ? EXIT.refused : EXIT.done
  },
})

interface News {
  readonly problems: readonly Problem[]
  /** Whether the run published and there is no problem. */
  readonly isGood: boolean
  readonly product: string
}

/** Sends what is new to the addresses in the environment. Returns the variables of those that did not take it. */
async function deliver(root: string, { problems, isGood, product }: News): Promise<string[]> {
  const last = readKept(root, LAST_PROBLEMS, LastProblems) ?? []
  const message = messageOf(problems, last, product)
  const failed: string[] = []
  const send = async (variable: string, sending: (address: string) => Promise<void>): Promise<void> => {
    const address = secretIn(variable)
    if (address === undefined) return
    try {
      await sending(address)
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error
      failed.push(variable)
      printError(`${variable} ${error.message}. The next run tries again.`)
    }
  }
  if (message !== null) {
    await send('HEALTH_WEBHOOK', (address) => post(webhookOf(address), message, { problems }, WEBHOOK))
    const keys = problems.map(({ key }) => key)
    if (failed.length === 0) writeKept(root, LAST_PROBLEMS, keys)
  }
  if (isGood) await send('PING_URL', (address) => ping(secretUrl(address), WEBHOOK))
  return failed
}

async function problemsOf(
  given: CommandOptions,
  report: Report | null,
  at: { readonly now: number; readonly overdueMinutes: number },
): Promise<Problem[]> {
  if (given.site !== undefined && given.report !== undefined)
    throw new UsageError('Give either --site or --report: a site has no run.')
  const index = textAt(join(given.tree, LAYOUT.index))
  // After a first run that was refused there is no tree yet.
  const isTree = given.site === undefined && (index !== null || given.report === undefined)
  const budget = budgetIn(given.budget)
  const limits = budget && report?.footprint ? nearLimits(report.footprint, budget) : []
  return [
    ...(given.report === undefined ? [] : runProblems(report, at.now, limits)),
    ...(isTree ? ageProblems(given.tree, index, at) : []),
    ...(given.site === undefined ? [] : ageProblems(given.site, await indexOf(given.site), at)),
  ]
}

/** Returns the index of a site, or null if the site does not answer with one. */
async function indexOf(site: string): Promise<string | null> {
  try {
    const response = await fetch(`${site.replace(/\/$/, '')}${PREFIX}.json`, {
      signal: AbortSignal.timeout(SITE_TIMEOUT_MS),
    })
    return response.ok ? await response.text() : null
  } catch {
    // A site that does not answer is a problem, not a failure of this command.
    return null
  }
}
