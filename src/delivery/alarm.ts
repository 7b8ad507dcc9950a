import * as z from 'zod'
import { escaped } from '../contract/visible.ts'
import { type GitHub, github } from './github.ts'
import type { Problem } from './problems.ts'

/** Kinds of alarms. Each has its own issue, so that one never closes that of another. */
const WATCHES = {
  run: {
    label: 'snapshot-alarm',
    title: 'The last snapshot has problems',
    recovery: 'The last run was published, its deployment succeeded, and no source has been silent for a day.',
  },
  sources: {
    label: 'source-drift',
    title: 'A source does not answer as expected',
    recovery: 'Every source answers as expected.',
  },
  site: {
    label: 'site-alarm',
    title: 'The published site is stale',
    recovery: 'The site shows a current snapshot again.',
  },
} as const
type Watch = keyof typeof WATCHES

const Issues = z.array(z.object({ number: z.int(), body: z.string().nullable() }))

type Alarm = 'opened' | 'changed' | 'closed' | 'nothing'

/** Keeps one issue open with the current problems, and closes it when there are none. */
export async function alarm(at: GitHub, watch: Watch, found: readonly Problem[]): Promise<Alarm> {
  const { label, title, recovery } = WATCHES[watch]
  const open = Issues.parse(await github(at, 'GET', `issues?state=open&labels=${label}&per_page=1`))[0]
  const body = found.map(({ text }) => `- ${escaped(text)}`).join('\n')
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
