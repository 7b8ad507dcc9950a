import * as z from 'zod'
import type { SourceRow } from '../contract/collector.ts'
import { ensured } from '../contract/order.ts'
import { type Ms, isoOf, HOUR_MS } from '../contract/time.ts'
import type { Connection } from '../sources/http.ts'
import { SourceError, RegionError } from '../sources/source-error.ts'
import type { Facts, Quota, Source } from '../sources/source.ts'
import { withSlowLists } from '../sources/slow-lists.ts'
import { keptLists, readKept, writeKept } from './run-cache.ts'
import type { CollectionInputs, Limits, Ports, SkippedSource } from './run.ts'

export const QUOTA_PLAN = {
  rule:
    'Of a source’s quota, `share` is planned for: a run may spend what has accrued of it since the period began, up to ' +
    'the next run, less what was spent. The list comes first: a source that has not accrued enough for it is not asked ' +
    'in this run. Then come past prices, up to `history_requests`, then profiles.',
  share: 0.95,
  history_requests: 15,
} as const

/** What was requested of each source in its current period. */
export const SpentRequests = z.record(z.string(), z.object({ period: z.string(), used: z.int().nonnegative() }))
export type SpentRequests = z.infer<typeof SpentRequests>

/** The start and end of the period that a time lies in, in ms since 1970, UTC. */
export function periodOf({ per }: Pick<Quota, 'per'>, now: Ms): { readonly from: number; readonly to: number } {
  const date = new Date(now)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
  return per === 'day'
    ? { from: Date.UTC(year, month, day), to: Date.UTC(year, month, day + 1) }
    : { from: Date.UTC(year, month, 1), to: Date.UTC(year, month + 1, 1) }
}

type Rationed = Pick<Facts, 'id' | 'quota'>

/** The quota of a source in the period of a time, and what was spent of it; null where none is known. */
function accountOf({ id, quota }: Rationed, spent: SpentRequests, now: Ms) {
  if (!quota) return null
  const { from, to } = periodOf(quota, now)
  const period = isoOf(from)
  const own = spent[id]
  const used = own?.period === period ? own.used : 0
  return { quota, from, to, period, used, left: Math.max(0, quota.requests - used) }
}

type Cadence = Pick<CollectionInputs, 'now' | 'cadenceMs'> & Pick<Limits, 'listings'>

/** What a run may request of a source; null where no quota of it is known. */
export function allowanceOf(source: Rationed, spent: SpentRequests, { now, cadenceMs, listings }: Cadence) {
  const account = accountOf(source, spent, now)
  if (!account) return null
  const { quota, from, to, used, left } = account
  const passed = Math.min(1, (now + cadenceMs - from) / (to - from))
  const accrued = Math.min(left, Math.floor(quota.requests * QUOTA_PLAN.share * passed) - used)
  const list = quota.list(listings)
  // The first run of a period has accrued little, and the first run of all must have a list.
  const isDue = accrued >= list || (used === 0 && left >= list)
  const rest = Math.max(0, accrued - list)
  const history = Math.min(QUOTA_PLAN.history_requests, rest)
  // `list`: whether its list may be requested; `left`: requests until the quota itself is used up.
  return { list: isDue, history, profiles: Math.max(0, rest - QUOTA_PLAN.history_requests), left }
}

export function withRequests(
  spent: SpentRequests,
  requests: readonly { readonly source: Rationed; readonly count: number }[],
  now: Ms,
): SpentRequests {
  const added = requests.flatMap(({ source, count }) => {
    const account = count > 0 ? accountOf(source, spent, now) : null
    return account ? [[source.id, { period: account.period, used: account.used + count }] as const] : []
  })
  return { ...spent, ...Object.fromEntries(added) }
}

/** The quota of a source as `collector` shows it; null where none is known. */
export function publishedQuota(source: Rationed, spent: SpentRequests, now: Ms) {
  const account = accountOf(source, spent, now)
  if (!account) return null
  const { quota, to, used, left } = account
  return { limit: quota.requests, per: quota.per, used, left, resets_at: isoOf(to), evidence_url: quota.evidence }
}

/** Hours until a source that refused this region is asked again. */
export const REGION_RETRY_HOURS = 24

/** Plans a run by what its sources' quotas leave, and counts what it requests. None is spared that is asked elsewhere. */
export function ration(
  { sources, now, cadenceMs, recordings }: CollectionInputs,
  { root, connect }: Pick<Ports, 'root' | 'connect'>,
  { listings }: Pick<Limits, 'listings'>,
) {
  const lists = keptLists(root)
  const spent = readKept(root, 'spent', SpentRequests) ?? {}
  const allowances = new Map(
    sources.map((source) => [source.id, allowanceOf(source, spent, { now, cadenceMs, listings })] as const),
  )
  // When sources refused this region, in ms since 1970.
  const refusals = new Map(Object.entries(readKept(root, 'regions', z.record(z.string(), z.number())) ?? {}))
  const opened = new Map<string, Connection>()
  let elsewhere: ReadonlyMap<string, number> = new Map()
  const open = (source: Source): Connection =>
    ensured(opened, source.id, () => {
      const most = allowances.get(source.id)?.left ?? Infinity
      const own = rationed(connect(source), source.id, most, (refuses) =>
        refuses ? refusals.set(source.id, now) : refusals.delete(source.id),
      )
      return withSlowLists(own, source, lists.of(source.id), now)
    })
  const requested = (id: string): number => (opened.get(id)?.stats.requests ?? 0) + (elsewhere.get(id) ?? 0)
  const spentNow = (): SpentRequests => {
    const requests = sources.map((source) => ({ source, count: requested(source.id) }))
    return withRequests(spent, requests, now)
  }
  const spared = (recordings ? [] : sources).flatMap((source): SkippedSource[] => {
    const refusedMs = now - (refusals.get(source.id) ?? -Infinity)
    if (refusedMs >= 0 && refusedMs < REGION_RETRY_HOURS * HOUR_MS)
      return [{ source, reason: `it refused this region on ${isoOf(now - refusedMs)} and is asked again after a day` }]
    return (allowances.get(source.id)?.list ?? true) ? [] : [{ source, reason: 'its quota must last' }]
  })
  const left = new Set(spared.map(({ source }) => source))
  const regionsBefore = JSON.stringify([...refusals])
  return {
    /** Sources whose lists may be requested in this run. */
    sources: sources.filter((source) => !left.has(source)),
    /** Sources that are not asked: their quotas must last, or they refuse this region. */
    spared,
    connect: open,
    /** Requests of a source in this run, those made elsewhere too. */
    requested,
    /** Counts requests that collectors made elsewhere. */
    count(requests: ReadonlyMap<string, number>): void {
      elsewhere = requests
    },
    allowances,
    withQuotas(rows: readonly SourceRow[]): SourceRow[] {
      const after = spentNow()
      return rows.map((row) => {
        const source = sources.find(({ id }) => id === row.source_id)
        return source ? { ...row, quota: publishedQuota(source, after, now) } : row
      })
    },
    /** Keeps what was spent and the slow lists for the next run. */
    save(): void {
      lists.save()
      if (JSON.stringify([...refusals]) !== regionsBefore) writeKept(root, 'regions', Object.fromEntries(refusals))
      const after = spentNow()
      if (Object.keys(after).length > 0) writeKept(root, 'spent', after)
    },
  }
}

export type Ration = ReturnType<typeof ration>

/** The requests for past prices. The first run has all series to fill, and may take minutes, as many as each pace allows. */
export function pastBudgetOf({ first, ...every }: Limits['history'], ration: Ration, isFirst: boolean) {
  const { perRun, perSource, seconds } = (isFirst ? first : undefined) ?? { ...every, seconds: Infinity }
  const mostOf = ({ id, pace }: Source) =>
    Math.min(
      perSource,
      ration.allowances.get(id)?.history ?? Infinity,
      Math.floor((seconds * pace.requests) / pace.perSeconds),
    )
  const most = new Map(ration.sources.map((source) => [source.id, mostOf(source)]))
  return { perRun, most: (id: string) => most.get(id) ?? 0 }
}

/**
 * A connection that requests nothing beyond `most`, whatever asks, and knows whether the host refuses this region. Each
 * attempt counts, those that fail too.
 */
const rationed = (connection: Connection, id: string, most: number, note: (refuses: boolean) => void): Connection => ({
  ...connection,
  async json(path, schema) {
    if (connection.stats.requests >= most)
      throw new SourceError('source_rate_limited', `${id}: its quota is used up until it resets`)
    try {
      const body = await connection.json(path, schema)
      note(false)
      return body
    } catch (error) {
      if (error instanceof RegionError) note(true)
      throw error
    }
  },
})
