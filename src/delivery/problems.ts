import * as z from 'zod'
import { SourceRow } from '../core/contract/collector.ts'
import { DAY_MS } from '../core/contract/time.ts'
import { Footprint } from '../core/tree/budget.ts'
import { publicationHealth } from '../service/health.ts'

export interface FeedProblem {
  /** Stays the same while the problem does, even where its text has figures that change. */
  readonly key: string
  readonly text: string
}

export const ProblemReport = z.object({
  outcome: z.string(),
  error: z.string().optional(),
  refusals: z.array(z.object({ rule: z.string(), message: z.string() })).default([]),
  health: z.array(SourceRow.pick({ source_id: true, failing_since: true, error: true })).default([]),
  footprint: Footprint.nullish(),
})
export type ProblemReport = z.infer<typeof ProblemReport>

/** A run without a report that can be read did not end, or could not write. */
export function runProblems(report: ProblemReport | null, now: number, limits: readonly string[]): FeedProblem[] {
  const [key, why] = failureOf(report)
  return [
    ...(why === null ? [] : [{ key, text: `The last run published nothing: ${why}` }]),
    ...(report?.health ?? [])
      .filter(({ failing_since }) => failing_since !== null && now - Date.parse(failing_since) >= DAY_MS)
      .map(({ source_id, failing_since, error }) => ({
        key: `source:${source_id}`,
        text: `${source_id} has not answered successfully since ${failing_since} (${error?.code ?? 'unknown'})`,
      })),
    ...limits.map((text) => ({ key: `limit:${text.split(':')[0]}`, text })),
  ]
}

function failureOf(report: ProblemReport | null): readonly [key: string, why: string | null] {
  if (report === null) return ['no_report', 'it wrote no report that can be read']
  const { outcome, refusals, error } = report
  const rules = refusals.map(({ rule }) => rule).join()
  if (rules !== '') return [`refused:${rules}`, refusals.map(({ message }) => message).join('; ')]
  if (error !== undefined) return ['failed', error]
  return ['no_source', outcome === 'published' ? null : 'no source returned usable data']
}

export function ageProblems(place: string, index: string | null, now: number): FeedProblem[] {
  const { ok, message } = publicationHealth(index, now)
  return ok ? [] : [{ key: 'overdue', text: `${place}: ${message}` }]
}

export function messageOf(problems: readonly FeedProblem[], last: readonly string[], product: string): string | null {
  if (problems.length === last.length && problems.every(({ key }) => last.includes(key))) return null
  if (problems.length === 0) return `${product}: the problems have ended.`
  return [`${product}:`, ...problems.map(({ text }) => `- ${text}`)].join('\n')
}
