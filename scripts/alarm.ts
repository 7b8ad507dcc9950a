import * as z from 'zod'
import { SourceRow } from '../src/contract/collector.ts'
import { readJson } from '../src/contract/read-json.ts'
import { PREFIX } from '../src/contract/prefix.ts'
import { visibleLines } from '../src/contract/visible.ts'
import { alarm, keepSchedule, siteTroubles, troubles } from '../src/delivery/alarm.ts'
import { HOST_BUDGETS, nearLimits } from '../src/hosting/budgets.ts'
import { textAt } from '../src/tree/reader.ts'
import { environment } from './environment.ts'
import { type Parsed, declare } from './command.ts'
import { EXIT, UsageError } from './usage.ts'

const SITE_TIMEOUT_MS = 30_000

const Report = z.object({
  outcome: z.string(),
  refusals: z.array(z.object({ message: z.string() })),
  health: z.array(SourceRow.pick({ source_id: true, failing_since: true, error: true })),
  footprint: z
    .object({
      files: z.number(),
      bytes: z.number(),
      largest: z.object({ path: z.string(), bytes: z.number() }).nullable(),
      fullest: z.object({ folder: z.string(), files: z.number() }).nullable(),
    })
    .nullable(),
})

const OPTIONS = {
  report: { type: 'string', about: 'run report written by snapshot --report, report.json by default' },
  refused: { type: 'string', about: 'reason why the run published nothing, if so' },
  failed: { type: 'string', about: 'comma-separated jobs that failed after the run' },
  budget: {
    type: 'string',
    about: `warn if the tree exceeds 80 % of the limits of ${Object.keys(HOST_BUDGETS).join(', ')}`,
  },
  site: { type: 'string', about: 'check this published site instead of a run report' },
  workflow: { type: 'string', about: 'file name of the scheduled workflow, to keep it enabled' },
} as const

export const command = declare({
  options: OPTIONS,
  async run(given, _, output) {
    const { GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_TOKEN, MKT_NOW } = environment()
    if (GITHUB_REPOSITORY === undefined || GITHUB_TOKEN === undefined)
      throw new UsageError('Set GITHUB_REPOSITORY and GITHUB_TOKEN in the environment, as GitHub Actions does.')
    const at = { api: GITHUB_API_URL, repository: GITHUB_REPOSITORY, token: GITHUB_TOKEN, ask: fetch }
    const now = MKT_NOW === undefined ? Date.now() : Date.parse(MKT_NOW)
    const site = given.site === undefined ? null : given.site
    const found = site === null ? ofRun(given, now) : siteTroubles(site, await indexOf(site), now)
    const issue = await alarm(at, site === null ? 'run' : 'site', found)
    output.result({ issue, problems: found }, () => visibleLines([`issue: ${issue}`, ...found]))
    if (given.workflow !== undefined) await keepSchedule(at, given.workflow)
    return EXIT.done
  },
})

type Given = Parsed<typeof OPTIONS>['values']

function ofRun(given: Given, now: number): string[] {
  const file = given.report ?? 'report.json'
  const report = readJson(textAt(file), Report)
  const refusal = refusalOf(report, given.refused ?? '')
  const failedJobs = (given.failed ?? '').split(',').filter((job) => job !== '')
  const budget = Object.entries(HOST_BUDGETS).find(([name]) => name === given.budget)?.[1]
  if (given.budget !== undefined && !budget)
    throw new UsageError(`--budget takes ${Object.keys(HOST_BUDGETS).join(', ')}, not "${given.budget}".`)
  return [
    ...troubles({ sources: report?.health ?? [], refusal, failedJobs }, now),
    ...(budget && report?.footprint ? nearLimits(report.footprint, budget) : []),
  ]
}

function refusalOf(report: z.infer<typeof Report> | null, said: string): string | null {
  const refusals = report?.refusals.map(({ message }) => message).join('; ')
  if (refusals) return refusals
  if (said !== '') return said
  if (report === null) return 'it wrote no report that can be read'
  return report.outcome === 'published' ? null : 'no source returned usable data'
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
