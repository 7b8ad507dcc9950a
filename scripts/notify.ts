import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import * as z from 'zod'
import { ALERTS_FILE } from '../src/changes/alerts.ts'
import { PREFIX } from '../src/contract/prefix.ts'
import { readJson } from '../src/contract/read-json.ts'
import { visibleLines } from '../src/contract/visible.ts'
import { Timestamp } from '../src/contract/words.ts'
import { alarm, keepSchedule } from '../src/delivery/alarm.ts'
import { DeliveryError } from '../src/delivery/delivery-error.ts'
import type { GitHub } from '../src/delivery/github.ts'
import {
  type FailedStep,
  type Problem,
  Report,
  DriftReport,
  ageProblems,
  driftProblems,
  runProblems,
  stepProblems,
} from '../src/delivery/problems.ts'
import { NOTHING_TOLD, TOLD, Told, alertsDue, isReported, messageOf } from '../src/delivery/told.ts'
import { ping, post, secretUrl, webhookOf } from '../src/delivery/webhook.ts'
import { HOST_BUDGETS, nearLimits } from '../src/service/budgets.ts'
import { readKept, writeKept } from '../src/run/kept-state.ts'
import { LAYOUT } from '../src/tree/layout.ts'
import { textAt } from '../src/tree/reader.ts'
import { type Parsed, declare, text } from './command.ts'
import { environment, runTime, secretIn } from './environment.ts'
import { budgetIn, settingsWith } from './settings.ts'
import { printError } from './terminal.ts'
import { EXIT, UsageError } from './usage.ts'

const SITE_TIMEOUT_MS = 30_000
const WEBHOOK = { ask: fetch, timeoutMs: 10_000 }

const OPTIONS = {
  tree: { type: 'string', default: 'dist', about: 'published tree; what was told last is kept beside it' },
  report: text('report of the last run, written by snapshot --report'),
  refused: text('reason why the run published nothing, where it wrote no report'),
  failed: text('comma-separated steps that failed after the run'),
  failures: text('folder with a <step>.txt of each further step that failed: what it said'),
  budget: text(`warn if the tree exceeds 80 % of the limits of ${Object.keys(HOST_BUDGETS).join(', ')}`),
  site: text('judge the age of this published site instead of the tree'),
  sources: text('report of verify --sources --json instead of a run; its issue is one of its own'),
  workflow: text('file name of the scheduled workflow on GitHub, to keep it enabled'),
} as const

type Given = Parsed<typeof OPTIONS>['values']

export const command = declare({
  options: OPTIONS,
  notes: `Environment, each of them optional: HEALTH_WEBHOOK and ALERTS_WEBHOOK take an address for JSON messages (Slack, Discord or
any program), or ntfy+<address> for ntfy; PING_URL is requested after each run that published and has no problem; with
GITHUB_REPOSITORY and GITHUB_TOKEN, problems open an issue.
Exit codes: 0 no problem, 1 a message could not be delivered, which is said once an hour, 3 there are problems.`,
  async run(given, _, output) {
    const { config } = await settingsWith()
    const now = runTime()
    const report = given.report === undefined ? null : readJson(textAt(given.report), Report)
    const problems = await problemsOf(given, report, { now, overdueMinutes: config.overdueMinutes })
    const isGood = problems.length === 0 && report?.outcome === 'published'
    const { alerts, failed, hasReported } = await tell(
      resolve(given.tree),
      { problems, isGood, product: config.product },
      now,
    )
    const at = gitHub(given)
    const watch = given.sources !== undefined ? 'sources' : given.site === undefined ? 'run' : 'site'
    const issue = at && (await alarm(at, watch, problems))
    if (at && given.workflow !== undefined) await keepSchedule(at, given.workflow)
    output.result({ problems, alerts, issue, failed }, () =>
      visibleLines([
        ...(issue === null ? [] : [`issue: ${issue}`]),
        ...problems.map(({ text }) => text),
        `${counted(problems.length, 'problem')}, ${counted(alerts.length, 'new alert')}.`,
      ]),
    )
    if (hasReported) return EXIT.fault
    return problems.length > 0 ? EXIT.refused : EXIT.done
  },
})

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

interface News {
  readonly problems: readonly Problem[]
  /** Whether the run published and there is no problem. */
  readonly isGood: boolean
  readonly product: string
}

/** Tells the addresses of the environment what is new, and keeps what was told beside the tree. */
async function tell(root: string, { problems, isGood, product }: News, now: number) {
  const index = readJson(textAt(join(root, LAYOUT.index)), z.object({ generatedAt: Timestamp }))
  const told = readKept(root, TOLD, Told) ?? NOTHING_TOLD
  const alerts = index ? alertsDue(textAt(join(root, ALERTS_FILE)), index.generatedAt, told) : []
  const message = messageOf(problems, told, product)
  const failures = { ...told.failures }
  const failed: string[] = []
  let hasReported = false
  /** Sends what is due to the address in a variable. Returns whether nothing is left to send there. A failure is reported once an hour. */
  async function sent(variable: string, isDue: boolean, sending: (address: string) => Promise<void>): Promise<boolean> {
    const address = secretIn(variable)
    if (address === undefined || !isDue) return address !== undefined
    try {
      await sending(address)
      delete failures[variable]
      return true
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error
      failed.push(variable)
      if (!isReported(told, variable, now)) {
        failures[variable] = now
        hasReported = true
        printError(`${variable} ${error.message}. The next run tries again.`)
      }
      return false
    }
  }
  const isHealthSent = await sent('HEALTH_WEBHOOK', message !== null, (address) =>
    post(webhookOf(address), message ?? '', { problems }, WEBHOOK),
  )
  const lines = alerts.map(({ text }) => text).join('\n')
  const areAlertsSent = await sent('ALERTS_WEBHOOK', alerts.length > 0, (address) =>
    post(webhookOf(address), lines, { alerts }, WEBHOOK),
  )
  await sent('PING_URL', isGood, (address) => ping(secretUrl(address), WEBHOOK))
  const next: Told = {
    problems: isHealthSent ? problems.map(({ key }) => key) : told.problems,
    alertsOf: areAlertsSent && index ? index.generatedAt : told.alertsOf,
    failures,
  }
  if (JSON.stringify(next) !== JSON.stringify(told)) writeKept(root, TOLD, next)
  return { alerts, failed, hasReported }
}

/** Returns the repository of the environment; null: there is none. */
function gitHub({ workflow }: Given): GitHub | null {
  const { GITHUB_API_URL: api, GITHUB_REPOSITORY: repository, GITHUB_TOKEN: token } = environment()
  if (repository !== undefined && token !== undefined) return { api, repository, token, ask: fetch }
  if (workflow === undefined) return null
  throw new UsageError('Set GITHUB_REPOSITORY and GITHUB_TOKEN in the environment, as GitHub Actions does.')
}

async function problemsOf(
  given: Given,
  report: Report | null,
  at: { readonly now: number; readonly overdueMinutes: number },
): Promise<Problem[]> {
  if (given.sources !== undefined) return driftProblems(readJson(textAt(given.sources), DriftReport))
  if (given.site !== undefined && given.report !== undefined)
    throw new UsageError('Give either --site or --report: a site has no run.')
  const index = textAt(join(given.tree, LAYOUT.index))
  // A job that has the report alone has no tree.
  const isTree = given.site === undefined && (index !== null || given.report === undefined)
  const budget = budgetIn(given.budget)
  const limits = budget && report?.footprint ? nearLimits(report.footprint, budget) : []
  return [
    ...(given.report === undefined ? [] : runProblems(report, { now: at.now, refused: given.refused ?? '', limits })),
    ...stepProblems(failedSteps(given), runAddress()),
    ...(isTree ? ageProblems(given.tree, index, at) : []),
    ...(given.site === undefined ? [] : ageProblems(given.site, await indexOf(given.site), at)),
  ]
}

/** Returns the steps that the options name, and those that left a file in the folder of failures. */
function failedSteps({ failed = '', failures }: Given): FailedStep[] {
  const files = failures !== undefined && existsSync(failures) ? readdirSync(failures).toSorted() : []
  const left = files.flatMap((file) =>
    file.endsWith('.txt')
      ? [{ step: file.slice(0, -'.txt'.length), said: textAt(join(failures ?? '', file)) ?? '' }]
      : [],
  )
  return [...left, ...failed.split(',').flatMap((step) => (step === '' ? [] : [{ step, said: '' }]))]
}

/** Returns the address of this run of GitHub Actions; null elsewhere. */
function runAddress(): string | null {
  const { GITHUB_REPOSITORY, GITHUB_RUN_ID, GITHUB_SERVER_URL } = environment()
  return GITHUB_RUN_ID === undefined ? null : `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}/actions/runs/${GITHUB_RUN_ID}`
}

/** Returns the index of a site, or null if the site does not answer with one. */
async function indexOf(site: string): Promise<string | null> {
  try {
    const response = await fetch(`${site.replace(/\/$/, '')}${PREFIX}.json`, {
      signal: AbortSignal.timeout(SITE_TIMEOUT_MS),
    })
    return response.ok ? await response.text() : null
  } catch {
    // A site that does not answer raises the alarm.
    return null
  }
}
