import * as z from 'zod'
import { CurrencyRow, type ReportedCurrency } from '../contract/observations.ts'
import { by } from '../contract/order.ts'
import { type Ms, HOUR_MS, isoOf } from '../contract/time.ts'
import { Timestamp } from '../contract/words.ts'
import { currencyRows } from '../sources/rows.ts'
import type { Http, Source } from '../sources/source.ts'
import type { CollectionInputs } from './run.ts'
import { readKept, writeKept } from './run-cache.ts'

/** Hours until a venue's list of currencies is requested again, and until one that could not be had is tried again. */
export const CURRENCY_LISTS = { refresh_hours: 24, retry_hours: 6 } as const

const KeptList = z.object({
  due_at: Timestamp.describe('When it is requested again.'),
  rows: z.array(CurrencyRow.omit({ source_id: true, kind: true })),
})

const nameOf = (source_id: string): string => `currencies-${source_id}`

export function keepList(root: string, source_id: string, rows: readonly CurrencyRow[], at: Ms): void {
  writeKept(root, nameOf(source_id), { due_at: isoOf(at + CURRENCY_LISTS.refresh_hours * HOUR_MS), rows })
}

interface CurrencyListsRequest extends Pick<CollectionInputs, 'known' | 'sources' | 'now'> {
  /** The sources that may be asked. */
  readonly able: readonly Source[]
  readonly connect: (source: Source) => Http
}

/**
 * Returns the venues' lists of currencies, none without a directory, and the rows of those that were requested. Lists are kept,
 * and requested again when they are due; one that cannot be had stays as it was: currencies change seldom.
 */
export async function currencyLists(root: string, { known, sources, able, connect, now }: CurrencyListsRequest) {
  const requested = new Map<string, readonly CurrencyRow[]>()
  const askable = new Set(able.map(({ id }) => id))
  const rowsOf = async (source: Source): Promise<readonly ReportedCurrency[] | null> => {
    const { id, currencies } = source
    const old = currencies ? readKept(root, nameOf(id), KeptList) : null
    if (!currencies || !askable.has(id) || (old !== null && Date.parse(old.due_at) > now)) return old?.rows ?? null
    try {
      const rows = currencyRows(id, await currencies(connect(source)))
      keepList(root, id, rows, now)
      requested.set(id, rows)
      return rows
    } catch {
      const due_at = isoOf(now + CURRENCY_LISTS.retry_hours * HOUR_MS)
      writeKept(root, nameOf(id), { due_at, rows: old?.rows ?? [] })
      return old?.rows ?? []
    }
  }
  const lists = await Promise.all(
    (known ? sources : []).toSorted(by(({ id }) => id)).map(async (source) => {
      const rows = await rowsOf(source)
      return rows ? [[source.id, new Map(rows.map((row) => [row.symbol, row] as const))] as const] : []
    }),
  )
  return { lists: new Map(lists.flat()), requested }
}
