import * as z from 'zod'
import { IndexMembers } from '../core/contract/api-index.ts'
import type { LastRun } from '../core/contract/last-run.ts'
import { METRICS_FILE, METRICS_TYPE, metricsText, oneMetric as one, secondsOf } from '../core/contract/metrics.ts'
import { readJson } from '../core/contract/read-json.ts'
import { LAYOUT } from '../core/tree/layout.ts'
import type { Context } from './context.ts'
import { NOT_STORED } from './http.ts'

/** Minutes after `staleAfter` from which a snapshot is overdue. */
const OVERDUE_MINUTES = 60

const Index = z.object({ generatedAt: IndexMembers.generatedAt, staleAfter: IndexMembers.staleAfter })

/** The message stays the same while the status does. */
export function publicationHealth(index: string | null, now: number) {
  const times = readJson(index, Index)
  if (times === null) {
    const message = 'There is no snapshot that can be read.'
    const unknown = { generatedAt: null, staleAfter: null, ageSeconds: null }
    return { ok: false, status: 'nothing_published', message, ...unknown } as const
  }
  const { generatedAt, staleAfter } = times
  const lateMs = now - Date.parse(staleAfter)
  const status = lateMs <= 0 ? 'current' : lateMs <= OVERDUE_MINUTES * 60_000 ? 'stale' : 'overdue'
  const since = `stale since ${staleAfter}`
  const what = {
    current: 'current',
    stale: since,
    overdue: `${since}, longer than the ${OVERDUE_MINUTES} minutes allowed`,
  }
  const ageSeconds = Math.max(0, Math.round((now - Date.parse(generatedAt)) / 1000))
  const message = `The snapshot of ${generatedAt} is ${what[status]}.`
  return { ok: status !== 'overdue', status, message, generatedAt, staleAfter, ageSeconds } as const
}

export type Operation = Pick<Context, 'read' | 'now'> & { readonly lastRun?: () => LastRun | null }

const current = async ({ read, now }: Operation) => publicationHealth(await read(LAYOUT.index), now())

/** Answers `/healthz`: 200 while the snapshot is not overdue, otherwise 503, with the reason. */
export async function healthAnswer(operation: Operation): Promise<Response> {
  const health = await current(operation)
  return Response.json(health, { status: health.ok ? 200 : 503, headers: NOT_STORED })
}

/** Answers `/metrics`: the metrics of the tree, and those that need a clock or are of runs that published nothing. */
export async function metricsAnswer(operation: Operation): Promise<Response> {
  const published = (await operation.read(METRICS_FILE)) ?? ''
  const run = operation.lastRun?.()
  const { ok, generatedAt, staleAfter, ageSeconds } = await current(operation)
  const live = metricsText([
    one('up', 'Whether there is a snapshot that is not overdue, as /healthz answers.', Number(ok)),
    one('snapshot_timestamp_seconds', 'When the snapshot was built.', secondsOf(generatedAt)),
    one('snapshot_stale_timestamp_seconds', 'When the snapshot becomes stale.', secondsOf(staleAfter)),
    one('snapshot_age_seconds', 'Age of the snapshot.', ageSeconds),
    ...(run ? runMetrics(run) : []),
  ])
  return new Response(published + live, { headers: { ...NOT_STORED, 'content-type': METRICS_TYPE } })
}

const runMetrics = (run: LastRun) => [
  one('last_run_timestamp_seconds', 'When the last run ended.', secondsOf(run.at)),
  one('last_run_duration_seconds', 'Duration of the last run.', run.seconds),
  one('last_run_published', 'Whether the last run published a snapshot.', Number(run.outcome === 'published')),
  one('runs_unpublished', 'Runs in a row that published nothing, up to the last one.', run.unpublished.length),
  {
    name: 'gate_finding',
    help: 'A rule of the gate that the last run broke: 1 if it was refused for it, 0 if it was published all the same.',
    samples: run.findings.map(({ rule, refused }) => ({ labels: { rule }, value: Number(refused) })),
  },
]
