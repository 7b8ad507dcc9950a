import * as z from 'zod'
import { CurrencyRow } from '../contract/observations.ts'
import { by } from '../contract/order.ts'
import { type Ms, hoursSince, isoOf } from '../contract/time.ts'
import { Timestamp } from '../contract/words.ts'
import { currencyRows } from '../sources/rows.ts'
import type { Http, Source } from '../sources/source.ts'

/** Hours until a venue's list of currencies is requested again, and until one that could not be had is tried again. */
export const CURRENCY_LISTS = { refresh_hours: 24, retry_hours: 6 } as const

const Row = CurrencyRow.omit({ source_id: true, kind: true })
export const StoredList = z.object({
  source_id: z.string(),
  /** When these rows were had; null: never. */
  fetched_at: Timestamp.nullable(),
  attempted_at: Timestamp,
  rows: z.array(Row),
})
export type StoredList = z.infer<typeof StoredList>

interface CurrencyListsRequest {
  readonly sources: readonly Source[]
  /** Ids of the sources whose lists are kept and used, asked or not. */
  readonly keep: readonly string[]
  readonly read: (source_id: string) => StoredList | null
  readonly connect: (source: Source) => Http
  readonly now: Ms
}

/**
 * The venues' lists of currencies: the kept ones while they are fresh, else requested again. A list that cannot be had
 * stays as it was: currencies change seldom.
 */
export async function currencyLists(request: CurrencyListsRequest) {
  const { sources, keep, read, connect, now } = request
  const able = new Map(sources.map((source) => [source.id, source] as const))
  const stored = await Promise.all(
    keep.map(async (id): Promise<StoredList | null> => {
      const old = read(id)
      const source = able.get(id)
      if (!source?.currencies || !isDue(old, now)) return old
      try {
        const rows = currencyRows(id, await source.currencies(connect(source)))
        return StoredList.parse({ source_id: id, fetched_at: isoOf(now), attempted_at: isoOf(now), rows })
      } catch {
        return { source_id: id, fetched_at: old?.fetched_at ?? null, attempted_at: isoOf(now), rows: old?.rows ?? [] }
      }
    }),
  )
  const all = stored.filter((list) => list !== null).toSorted(by(({ source_id }) => source_id))
  return {
    lists: new Map(
      all.map(({ source_id, rows }) => [source_id, new Map(rows.map((row) => [row.symbol, row] as const))] as const),
    ),
    requested: all.filter(({ attempted_at }) => attempted_at === isoOf(now)),
  }
}

function isDue(old: StoredList | null, now: Ms): boolean {
  if (old === null) return true
  const isFresh = old.fetched_at !== null && hoursSince(old.fetched_at, now) < CURRENCY_LISTS.refresh_hours
  return (
    !isFresh && (old.fetched_at === old.attempted_at || hoursSince(old.attempted_at, now) >= CURRENCY_LISTS.retry_hours)
  )
}
