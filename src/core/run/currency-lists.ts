import * as z from 'zod'
import { CurrencyRow } from '../contract/observations.ts'
import { by } from '../contract/order.ts'
import { type Ms, HOUR_MS, isoOf } from '../contract/time.ts'
import { Timestamp } from '../contract/words.ts'
import { currencyRows } from '../sources/rows.ts'
import type { Http, Source } from '../sources/source.ts'
import { readKept, writeKept } from './run-cache.ts'

/** Hours until a venue's list of currencies is requested again, and until one that could not be had is tried again. */
export const CURRENCY_LISTS = { refresh_hours: 24, retry_hours: 6 } as const

const KeptList = z.object({
  due_at: Timestamp.describe('When it is requested again.'),
  rows: z.array(CurrencyRow.omit({ source_id: true, kind: true })),
})

const nameOf = (source_id: string): string => `currencies-${source_id}`

/** Keeps a list that a venue gave at a time. */
export function keepList(root: string, source_id: string, rows: readonly CurrencyRow[], at: Ms): void {
  writeKept(root, nameOf(source_id), { due_at: isoOf(at + CURRENCY_LISTS.refresh_hours * HOUR_MS), rows })
}

interface CurrencyListsRequest {
  /** Sources whose lists are used, asked or not. */
  readonly sources: readonly Source[]
  /** Those of them that may be asked. */
  readonly able: readonly Source[]
  readonly connect: (source: Source) => Http
  readonly now: Ms
}

/**
 * Returns the venues' lists of currencies, and the rows of those that were requested: lists are kept, and requested again when
 * they are due. One that cannot be had stays as it was: currencies change seldom.
 */
export async function currencyLists(root: string, { sources, able, connect, now }: CurrencyListsRequest) {
  const requested = new Map<string, readonly CurrencyRow[]>()
  const request = async (source: Source): Promise<void> => {
    const { id, currencies } = source
    const old = readKept(root, nameOf(id), KeptList)
    if (!currencies || (old !== null && Date.parse(old.due_at) > now)) return
    try {
      const rows = currencyRows(id, await currencies(connect(source)))
      keepList(root, id, rows, now)
      requested.set(id, rows)
    } catch {
      const due_at = isoOf(now + CURRENCY_LISTS.retry_hours * HOUR_MS)
      writeKept(root, nameOf(id), { due_at, rows: old?.rows ?? [] })
    }
  }
  await Promise.all(able.map(request))
  const lists = sources.toSorted(by(({ id }) => id)).flatMap(({ id, currencies }) => {
    const list = currencies ? readKept(root, nameOf(id), KeptList) : null
    return list ? [[id, new Map(list.rows.map((row) => [row.symbol, row] as const))] as const] : []
  })
  return { lists: new Map(lists), requested }
}
