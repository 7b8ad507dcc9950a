import type { SourceRow } from '../contract/collector.ts'
import type { HistoryBudget } from '../history/past-prices.ts'
import type { CollectOptions } from '../sources/collect.ts'
import type { Connection } from '../sources/http.ts'
import { withSlowLists } from '../sources/slow-lists.ts'
import type { Source } from '../sources/source.ts'
import { KeptLists, readKept, writeKept } from './kept-state.ts'
import { Spent, allowanceOf, publishedQuota, withRequests, withinQuota } from './quotas.ts'

/** What of a run the quotas decide about. */
interface Rationable {
  readonly root: string
  readonly sources: readonly Source[]
  readonly connect: CollectOptions['connect']
  readonly history: HistoryBudget
  readonly now: number
  readonly cadenceMs: number
  readonly listings: number | null
}

/** A run within the quotas of its sources. */
export interface Ration {
  /** Sources whose lists may be requested in this run. */
  readonly sources: readonly Source[]
  /** Sources that are not asked, so that their quotas last. */
  readonly spared: readonly Source[]
  readonly connect: CollectOptions['connect']
  readonly history: HistoryBudget
  /** The most profiles of a source; absent: no quota is known. */
  readonly profiles: (source: Source) => number | undefined
  /** What was spent, the requests of this run with it. */
  spentNow(): Spent
  /** The rows of the sources with what is left of their quotas. */
  withQuotas(rows: readonly SourceRow[]): SourceRow[]
  /** Keeps what was spent and the slow lists for the next run. */
  save(): void
}

/** Plans a run by what its sources' quotas leave, and counts what it requests. */
export function ration({ root, sources, connect, history, now, cadenceMs, listings }: Rationable): Ration {
  const lists = new KeptLists(root)
  const spent = readKept(root, 'spent', Spent) ?? {}
  const allowances = new Map(
    sources.map((source) => [source.id, allowanceOf(source, spent, { now, cadenceMs, listings })] as const),
  )
  const opened = new Map<string, Connection>()
  const open = (source: Source): Connection => {
    const known = opened.get(source.id)
    if (known) return known
    const connection = connect(source)
    const most = allowances.get(source.id)?.left ?? Infinity
    const wrapped = withSlowLists(withinQuota(connection, source.id, most), source, lists.of(source.id), now)
    opened.set(source.id, wrapped)
    return wrapped
  }
  const spentNow = (): Spent =>
    withRequests(
      spent,
      sources.flatMap((source) => {
        const count = opened.get(source.id)?.stats.requests ?? 0
        return count === 0 ? [] : [{ source, count }]
      }),
      now,
    )
  const isAsked = ({ id }: Source) => allowances.get(id)?.list ?? true
  return {
    sources: sources.filter(isAsked),
    spared: sources.filter((source) => !isAsked(source)),
    connect: open,
    history: { ...history, most: (id) => allowances.get(id)?.history ?? Infinity },
    spentNow,
    profiles: ({ id }) => allowances.get(id)?.profiles,
    withQuotas(rows) {
      const after = spentNow()
      const byId = new Map(sources.map((source) => [source.id, source]))
      return rows.map((row) => {
        const source = byId.get(row.source_id)
        return source ? { ...row, quota: publishedQuota(source, after, now) } : row
      })
    },
    save() {
      lists.save()
      const after = spentNow()
      if (Object.keys(after).length > 0) writeKept(root, 'spent', after)
    },
  }
}
