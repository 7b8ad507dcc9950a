import * as z from 'zod'
import { isoOf, HOUR_MS } from '../contract/time.ts'
import type { SourceRow } from '../contract/collector.ts'
import type { HistoryBudget } from '../history/past-prices.ts'
import type { CollectOptions } from '../sources/collect.ts'
import type { Connection } from '../sources/http.ts'
import { withSlowLists } from '../sources/slow-lists.ts'
import type { Source } from '../sources/source.ts'
import { RegionError } from '../sources/source-error.ts'
import { KeptLists, readKept, writeKept } from './kept-state.ts'
import type { Inputs, Limits, Ports } from './run.ts'
import { type Allowance, Spent, allowanceOf, publishedQuota, withRequests, withinQuota } from './quotas.ts'

/** A source that is not asked in a run, and why. */
export interface Spared {
  readonly source: Source
  readonly reason: string
}

/** Hours until a source that refused this region is asked again. */
export const REGION_RETRY_HOURS = 24

/** When sources refused this region, in ms since 1970. */
const Refusals = z.record(z.string(), z.number())

/** A run within the quotas of its sources. */
export interface Ration {
  /** Sources whose lists may be requested in this run. */
  readonly sources: readonly Source[]
  /** Sources that are not asked: their quotas must last, or they refuse this region. */
  readonly spared: readonly Spared[]
  readonly connect: CollectOptions['connect']
  readonly history: HistoryBudget
  /** The most profiles of a source; absent: no quota is known. */
  readonly profiles: (source: Source) => number | undefined
  /** Counts requests that collectors made elsewhere. */
  count(requests: ReadonlyMap<string, number>): void
  /** Requests of a source in this run, those made elsewhere too. */
  requested(source_id: string): number
  /** The rows of the sources with what is left of their quotas. */
  withQuotas(rows: readonly SourceRow[]): SourceRow[]
  /** Keeps what was spent and the slow lists for the next run. */
  save(): void
}

/** Plans a run by what its sources' quotas leave, and counts what it requests. None is spared that is asked elsewhere. */
export function ration(
  { sources, now, cadenceMs, recordings }: Pick<Inputs, 'sources' | 'now' | 'cadenceMs' | 'recordings'>,
  { root, connect }: Pick<Ports, 'root' | 'connect'>,
  { listings, history }: Pick<Limits, 'listings' | 'history'>,
): Ration {
  const lists = new KeptLists(root)
  const spent = readKept(root, 'spent', Spent) ?? {}
  const allowances = new Map(
    sources.map((source) => [source.id, allowanceOf(source, spent, { now, cadenceMs, listings })] as const),
  )
  const refusals = new Map(Object.entries(readKept(root, 'regions', Refusals) ?? {}))
  const opened = new Map<string, Connection>()
  let elsewhere: ReadonlyMap<string, number> = new Map()
  const open = (source: Source): Connection => {
    const known = opened.get(source.id)
    if (known) return known
    const connection = connect(source)
    const most = allowances.get(source.id)?.left ?? Infinity
    const noted = notingRegion(withinQuota(connection, source.id, most), (refuses) =>
      refuses ? refusals.set(source.id, now) : refusals.delete(source.id),
    )
    const wrapped = withSlowLists(noted, source, lists.of(source.id), now)
    opened.set(source.id, wrapped)
    return wrapped
  }
  const requested = (id: string): number => (opened.get(id)?.stats.requests ?? 0) + (elsewhere.get(id) ?? 0)
  const spentNow = (): Spent =>
    withRequests(
      spent,
      sources.flatMap((source) => {
        const count = requested(source.id)
        return count === 0 ? [] : [{ source, count }]
      }),
      now,
    )
  const spared = recordings ? [] : sparedOf(sources, refusals, allowances, now)
  const left = new Set(spared.map(({ source }) => source))
  const regionsBefore = JSON.stringify([...refusals])
  return {
    sources: sources.filter((source) => !left.has(source)),
    spared,
    connect: open,
    requested,
    count: (requests) => (elsewhere = requests),
    history: { ...history, most: (id) => allowances.get(id)?.history ?? Infinity },
    profiles: ({ id }) => allowances.get(id)?.profiles,
    withQuotas: (rows) => quotaRows(rows, sources, spentNow(), now),
    save() {
      lists.save()
      if (JSON.stringify([...refusals]) !== regionsBefore) writeKept(root, 'regions', Object.fromEntries(refusals))
      const after = spentNow()
      if (Object.keys(after).length > 0) writeKept(root, 'spent', after)
    },
  }
}

/** The rows of sources with what is left of their quotas. */
function quotaRows(rows: readonly SourceRow[], sources: readonly Source[], spent: Spent, now: number): SourceRow[] {
  const byId = new Map(sources.map((source) => [source.id, source]))
  return rows.map((row) => {
    const source = byId.get(row.source_id)
    return source ? { ...row, quota: publishedQuota(source, spent, now) } : row
  })
}

/** Returns the sources that are not asked. */
const sparedOf = (
  sources: readonly Source[],
  refusals: ReadonlyMap<string, number>,
  allowances: ReadonlyMap<string, Allowance | null>,
  now: number,
): Spared[] =>
  sources.flatMap((source) => {
    const reason = reasonToSpare(refusals.get(source.id) ?? -Infinity, allowances.get(source.id) ?? null, now)
    return reason === null ? [] : [{ source, reason }]
  })

/** Why a source is not asked; null if it is. */
function reasonToSpare(refusedAt: number, allowance: Allowance | null, now: number): string | null {
  if (now - refusedAt >= 0 && now - refusedAt < REGION_RETRY_HOURS * HOUR_MS)
    return `it refused this region on ${isoOf(refusedAt)} and is asked again after a day`
  return (allowance?.list ?? true) ? null : 'its quota must last'
}

/** A connection that tells whether the host refuses this region. */
const notingRegion = (connection: Connection, note: (refuses: boolean) => void): Connection => ({
  stats: connection.stats,
  close: () => connection.close(),
  async json(path, schema) {
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
