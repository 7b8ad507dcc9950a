import * as z from 'zod'
import { DAY_MS } from '../contract/time.ts'
import { SourceRow } from '../contract/collector.ts'
import { Footprint } from '../service/budgets.ts'
import { healthOf } from '../service/health.ts'

/** Time without a successful answer of a source before it is a problem. */
export const SILENCE_MS = DAY_MS

/** Something that a person has to look at. */
export interface Problem {
  /** Stays the same while the problem does, even where its text has figures that change. */
  readonly key: string
  /** One sentence. It may hold text from outside. */
  readonly text: string
}

export const Report = z.object({
  outcome: z.string(),
  error: z.string().optional(),
  refusals: z.array(z.object({ rule: z.string(), message: z.string() })).default([]),
  health: z.array(SourceRow.pick({ source_id: true, failing_since: true, error: true })).default([]),
  footprint: Footprint.nullish(),
})
export type Report = z.infer<typeof Report>

/**
 * Returns the problems of a run. A run without a report that can be read did not end, or could not write.
 *
 * @param refused why it published nothing, where it wrote no report
 * @param limits limits of its host that the tree comes near, a sentence each
 */
export function runProblems(
  report: Report | null,
  { now, refused, limits }: { readonly now: number; readonly refused: string; readonly limits: readonly string[] },
): Problem[] {
  const nothing = (key: string, why: string) => [{ key, text: `The last run published nothing: ${why}` }]
  return [
    ...outcomeProblems(report, refused, nothing),
    ...(report?.health ?? [])
      .filter(({ failing_since }) => failing_since !== null && now - Date.parse(failing_since) >= SILENCE_MS)
      .map(({ source_id, failing_since, error }) => ({
        key: `source:${source_id}`,
        text: `${source_id} has not answered successfully since ${failing_since} (${error?.code ?? 'unknown'})`,
      })),
    ...limits.map((text) => ({ key: `limit:${text.split(':')[0]}`, text })),
  ]
}

function outcomeProblems(
  report: Report | null,
  refused: string,
  nothing: (key: string, why: string) => Problem[],
): Problem[] {
  if (report && report.refusals.length > 0)
    return nothing(
      `refused:${report.refusals.map(({ rule }) => rule).join()}`,
      report.refusals.map(({ message }) => message).join('; '),
    )
  if (report?.error !== undefined) return nothing('failed', report.error)
  if (refused !== '') return nothing('failed', refused)
  if (report === null) return nothing('no_report', 'it wrote no report that can be read')
  return report.outcome === 'published' ? [] : nothing('no_source', 'no source returned usable data')
}

export const DriftReport = z.object({
  sources: z.array(z.object({ source_id: z.string(), drift: z.array(z.string()) })),
})

/** Returns the problems of a check of the sources. One without a report that can be read did not end. */
export const driftProblems = (report: z.infer<typeof DriftReport> | null): Problem[] =>
  report === null
    ? [{ key: 'drift', text: 'The check of the sources wrote no report that can be read' }]
    : report.sources.flatMap(({ source_id, drift }) =>
        drift.map((text) => ({ key: `drift:${source_id}`, text: `${source_id}: ${text}` })),
      )

/** What to say of a step that failed, besides that the previous snapshot is still online. */
const CONSEQUENCES: Readonly<Record<string, string>> = {
  archive: 'The snapshot could not be added to the archive. Later ones are added by themselves.',
  tables: 'The tables could not be written. The site has none until a later run writes them.',
  'data-branch': 'The data could not be committed to its branch. The next run commits what has changed until then.',
  notify: 'Messages could not be sent. New alerts are in alerts.json and alerts.xml.',
  pages:
    'The previous snapshot is still online. If there is none, choose "GitHub Actions" as the source under Settings, Pages, ' +
    'and start the workflow again.',
}

export interface FailedStep {
  readonly step: string
  readonly said: string
}

/** Lines of a failed step that are quoted, and characters of each. */
const QUOTED = { lines: 5, characters: 200 }

/**
 * Returns the problems of steps that failed: what follows, and the first lines that each said.
 *
 * @param run address of the run; null where it has none
 */
export const stepProblems = (steps: readonly FailedStep[], run: string | null): Problem[] =>
  steps.map(({ step, said }) => {
    const lines = said.split('\n').flatMap((line) => line.trim().slice(0, QUOTED.characters) || [])
    return {
      key: `step:${step}`,
      text: [
        `The step ${step} failed${run === null ? '' : ` in ${run}`}.`,
        CONSEQUENCES[step] ?? 'The previous snapshot is still online.',
        ...(lines.length > 0 ? [`It said: ${lines.slice(0, QUOTED.lines).join(' / ')}`] : []),
      ].join(' '),
    }
  })

/**
 * Returns the problem of a publication that is overdue.
 *
 * @param place the site or folder, for people
 * @param index text of its index; null: it could not be read
 */
export function ageProblems(
  place: string,
  index: string | null,
  { now, overdueMinutes }: { readonly now: number; readonly overdueMinutes: number },
): Problem[] {
  const { ok, message } = healthOf(index, now, overdueMinutes)
  return ok ? [] : [{ key: 'overdue', text: `${place}: ${message}` }]
}
