import { existsSync, readFileSync } from 'node:fs'
import * as z from 'zod'
import { SourceRow } from '../src/contract/collector.ts'
import { visibleLines } from '../src/contract/visible.ts'
import { alarm, keepSchedule, troubles } from '../src/delivery/alarm.ts'
import { environment } from './environment.ts'
import { print } from './terminal.ts'
import { EXIT, UsageError, main, options } from './usage.ts'

const Report = z.object({
  outcome: z.string(),
  refusals: z.array(z.object({ message: z.string() })),
  health: z.array(SourceRow.pick({ source_id: true, failing_since: true, error: true })),
})

await main(async () => {
  const given = options(
    'alarm',
    'Opens one issue when a source is silent for a day or a run was refused, and closes it on recovery.',
    {
      report: { type: 'string', about: 'run report that snapshot --report wrote' },
      refused: { type: 'string', about: 'why the run was refused, if it was' },
      workflow: { type: 'string', about: 'file name of the scheduled workflow, to keep it switched on' },
    },
  )
  const { GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_TOKEN, MKT_NOW } = environment()
  if (GITHUB_REPOSITORY === undefined || GITHUB_TOKEN === undefined)
    throw new UsageError('set GITHUB_REPOSITORY and GITHUB_TOKEN in the environment, as GitHub Actions does')
  const at = { api: GITHUB_API_URL, repository: GITHUB_REPOSITORY, token: GITHUB_TOKEN, ask: fetch }
  const file = String(given['report'] ?? 'report.json')
  const report = existsSync(file) ? Report.parse(JSON.parse(readFileSync(file, 'utf8'))) : null
  const now = MKT_NOW === undefined ? Date.now() : Date.parse(MKT_NOW)
  const refusals = report?.refusals.map(({ message }) => message).join('; ')
  const said = refusals || String(given['refused'] ?? '')
  const why =
    said ||
    (report === null ? 'it left no report' : report.outcome === 'published' ? null : 'no source gave a usable answer')
  const found = troubles(report?.health ?? [], why, now)
  print(visibleLines([`issue: ${await alarm(at, found)}`, ...found]))
  if (given['workflow'] !== undefined) await keepSchedule(at, String(given['workflow']))
  return EXIT.done
})
