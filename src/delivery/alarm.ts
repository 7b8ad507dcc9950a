import * as z from 'zod'
import { readJson } from '../contract/read-json.ts'
import { escaped } from '../changes/print.ts'
import { IndexMembers } from '../contract/api-index.ts'
import type { SourceRow } from '../contract/collector.ts'
import { type GitHub, github } from './github.ts'

/** Time without a successful answer of a source before the alarm. */
export const SILENCE_MS = 24 * 3_600_000

/** Kinds of alarms. Each has its own issue, so that one never closes that of another. */
export const WATCHES = {
  run: {
    label: 'snapshot-alarm',
    title: 'The last snapshot has problems',
    recovery: 'The last run was published, its deployment succeeded, and all sources answer.',
  },
  site: {
    label: 'site-alarm',
    title: 'The published site is stale',
    recovery: 'The site shows a current snapshot again.',
  },
} as const
export type Watch = keyof typeof WATCHES

const Issues = z.array(z.object({ number: z.int(), body: z.string().nullable() }))

/** Outcome of a run for the alarm. */
export interface RunOutcome {
  readonly sources: readonly Pick<SourceRow, 'source_id' | 'failing_since' | 'error'>[]
  /** Why nothing was published; null if something was. */
  readonly refusal: string | null
  /** Jobs of the workflow that failed after the run, such as the deployment. */
  readonly failedJobs: readonly string[]
}

/** Steps that stop no deployment where they fail, among the failed jobs, and what to say of them. */
const SIDE_STEPS: Readonly<Record<string, string>> = {
  archive: 'The snapshot could not be added to the archive. Later ones are added by themselves.',
  tables: 'The tables could not be written. The site has none until a later run writes them.',
}

/** Returns the problems after a run, one sentence each. */
export function troubles({ sources, refusal, failedJobs }: RunOutcome, now: number): string[] {
  const silent = sources.filter(
    ({ failing_since }) => failing_since !== null && now - Date.parse(failing_since) >= SILENCE_MS,
  )
  return [
    ...(refusal === null ? [] : [`The last run published nothing: ${escaped(refusal)}`]),
    ...failedJobs.map(
      (job) => SIDE_STEPS[job] ?? `The job ${escaped(job)} failed, so the previous snapshot is still online.`,
    ),
    ...silent.map(
      ({ source_id, failing_since, error }) =>
        `${escaped(source_id)} has not answered successfully since ${failing_since} (${escaped(error?.code ?? 'unknown')})`,
    ),
  ]
}

const Index = z.object({ generatedAt: IndexMembers.generatedAt, staleAfter: IndexMembers.staleAfter })

/** Returns the problems of a published site. `text` is its index, or null if it could not be read. */
export function siteTroubles(site: string, text: string | null, now: number): string[] {
  const index = readJson(text, Index)
  // An error page of a CDN instead of the index is a problem too.
  if (index === null) return [`${escaped(site)} does not answer with an index.`]
  const { generatedAt, staleAfter } = index
  return now <= Date.parse(staleAfter)
    ? []
    : [`${escaped(site)} shows the snapshot of ${generatedAt}, which is stale since ${staleAfter}.`]
}

/** What the alarm did to its issue. */
export type Alarm = 'opened' | 'changed' | 'closed' | 'nothing'

/** Keeps one issue open with the current problems, and closes it when there are none. */
export async function alarm(at: GitHub, watch: Watch, found: readonly string[]): Promise<Alarm> {
  const { label, title, recovery } = WATCHES[watch]
  const open = Issues.parse(await github(at, 'GET', `issues?state=open&labels=${label}&per_page=1`))[0]
  const body = found.map((trouble) => `- ${trouble}`).join('\n')
  if (!open) {
    if (found.length === 0) return 'nothing'
    await github(at, 'POST', 'issues', { title, body, labels: [label] })
    return 'opened'
  }
  if (found.length > 0) {
    if (open.body === body) return 'nothing'
    await github(at, 'PATCH', `issues/${open.number}`, { body })
    return 'changed'
  }
  await github(at, 'POST', `issues/${open.number}/comments`, { body: recovery })
  await github(at, 'PATCH', `issues/${open.number}`, { state: 'closed' })
  return 'closed'
}

/**
 * Enables a scheduled workflow. GitHub disables it after 60 days without activity in the repository, and enabling it
 * counts as activity.
 * https://docs.github.com/en/rest/actions/workflows#enable-a-workflow
 */
export const keepSchedule = (at: GitHub, workflow: string): Promise<unknown> =>
  github(at, 'PUT', `actions/workflows/${workflow}/enable`)
