import * as z from 'zod'
import { escaped } from '../changes/print.ts'
import type { SourceRow } from '../contract/collector.ts'
import { type GitHub, github } from './github.ts'

/** A source may be silent for so long before somebody is told. */
export const SILENCE_MS = 24 * 3_600_000

const LABEL = 'snapshot-alarm'
const TITLE = 'Snapshots need a look'

const Issues = z.array(z.object({ number: z.int(), body: z.string().nullable() }))

/** What somebody should look at, in a sentence each. */
export function troubles(
  sources: readonly Pick<SourceRow, 'source_id' | 'failing_since' | 'error'>[],
  refusal: string | null,
  now: number,
): string[] {
  const silent = sources.filter(
    ({ failing_since }) => failing_since !== null && now - Date.parse(failing_since) >= SILENCE_MS,
  )
  return [
    ...(refusal === null ? [] : [`The last run was refused: ${escaped(refusal)}`]),
    ...silent.map(
      ({ source_id, failing_since, error }) =>
        `${escaped(source_id)} gives no usable answer since ${failing_since} (${escaped(error?.code ?? 'unknown')})`,
    ),
  ]
}

/** What was done about it. */
export type Alarm = 'opened' | 'changed' | 'closed' | 'nothing'

/** Keeps one issue open while there are troubles, with these in its text, and closes it when there are none. */
export async function alarm(at: GitHub, found: readonly string[]): Promise<Alarm> {
  const open = Issues.parse(await github(at, 'GET', `issues?state=open&labels=${LABEL}&per_page=1`))[0]
  const body = found.map((trouble) => `- ${trouble}`).join('\n')
  if (!open) {
    if (found.length === 0) return 'nothing'
    await github(at, 'POST', 'issues', { title: TITLE, body, labels: [LABEL] })
    return 'opened'
  }
  if (found.length > 0) {
    if (open.body === body) return 'nothing'
    await github(at, 'PATCH', `issues/${open.number}`, { body })
    return 'changed'
  }
  await github(at, 'POST', `issues/${open.number}/comments`, {
    body: 'All sources answer, and the last run was published.',
  })
  await github(at, 'PATCH', `issues/${open.number}`, { state: 'closed' })
  return 'closed'
}

/**
 * Switches a scheduled workflow on: GitHub switches it off after sixty days without activity in the repository, and being
 * switched on counts as such.
 * https://docs.github.com/en/rest/actions/workflows#enable-a-workflow
 */
export const keepSchedule = (at: GitHub, workflow: string): Promise<unknown> =>
  github(at, 'PUT', `actions/workflows/${workflow}/enable`)
