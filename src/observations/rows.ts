import type * as z from 'zod'
import { compare } from '../contract/order.ts'
import { type CurrencyRow, ObservationRow, type PastRow } from '../contract/observations.ts'
import { type Observed, byKind } from '../sources/collect.ts'
import type { Currency, Observation } from '../sources/source.ts'
import { clean } from '../sources/wire.ts'

/** What one source said, before it is brought into the form of a bundle. */
export interface Said {
  readonly observed: Observed
  /** Its list of currencies; null: it was not requested. */
  readonly currencies: readonly Currency[] | null
}

/** Kinds in the order of the rows of a source. */
const KINDS = ['sighting', 'profile', 'quote', 'pool', 'reference', 'skipped', 'rejected', 'currency', 'past'] as const
type Kind = (typeof KINDS)[number]
const orderOf = new Map<Kind, number>(KINDS.map((kind, index) => [kind, index]))

/** Longest reason of a row that is left out. */
const REASON = 200

/**
 * Returns what a source said as rows of a bundle: each parsed by its schema, so that nothing else is passed on, and
 * sorted. A row that the schema refuses becomes a rejected one. The order and the members do not depend on the order of
 * the answers, so equal answers give equal rows.
 */
export function rowsOf(source_id: string, { observed, currencies }: Said): ObservationRow[] {
  const { sightings, profiles, quotes, pools, references } = observed
  const left = new LeftOut()
  for (const { kind, reason } of [...observed.skipped, ...observed.rejected]) left.add(kind, reason)
  const parsed: ObservationRow[] = []
  for (const list of [sightings, profiles, quotes, pools, references])
    for (const row of list) {
      const result = ObservationRow.safeParse(Object.assign({ source_id }, row))
      if (result.success) parsed.push(result.data)
      else left.add('rejected', reasonOf(result.error))
    }
  for (const currency of currencies ?? []) {
    const result = ObservationRow.safeParse({ source_id, kind: 'currency', ...currency })
    // As in the lists themselves: a currency that cannot be read is not there.
    if (result.success) parsed.push(result.data)
  }
  return sorted([...parsed, ...left.rows(source_id)])
}

/** Returns rows sorted by kind and then by their text. */
export function sorted(rows: readonly ObservationRow[]): ObservationRow[] {
  return rows
    .map((row) => ({ row, kind: orderOf.get(row.kind) ?? 0, text: JSON.stringify(row) }))
    .toSorted((a, b) => a.kind - b.kind || compare(a.text, b.text))
    .map(({ row }) => row)
}

/** The reason why a row breaks its schema. */
export const reasonOf = ({ issues: [issue] }: z.ZodError): string =>
  clean(`${issue?.path.join('.') || 'row'}: ${issue?.message ?? 'invalid'}`).slice(0, REASON)

/** Counts rows that are left out, by reason. */
class LeftOut {
  readonly #counts = new Map<string, { kind: 'skipped' | 'rejected'; reason: string; count: number }>()

  add(kind: 'skipped' | 'rejected', given: string): void {
    const reason = clean(given).slice(0, REASON) || 'not stated'
    const key = `${kind} ${reason}`
    const known = this.#counts.get(key)
    if (known) known.count++
    else this.#counts.set(key, { kind, reason, count: 1 })
  }

  rows = (source_id: string): ObservationRow[] =>
    [...this.#counts.values()].map(({ kind, reason, count }) => ({ source_id, reason, count, kind }))
}

/** A currency without what only a bundle needs. */
export type ListedCurrency = Pick<CurrencyRow, 'symbol' | 'name' | 'contracts'>

const currencyIn = ({ symbol, name, contracts }: CurrencyRow): ListedCurrency => ({ symbol, name, contracts })

/** The rows of one source by what they are used for. */
export interface Sorted {
  readonly observed: Observed
  readonly currencies: readonly ListedCurrency[]
  readonly past: readonly PastRow[]
}

/** Returns the rows of one source as the feed and history use them. @throws SourceError if there are too many */
export function observedIn(source_id: string, rows: readonly ObservationRow[]): Sorted {
  const currencies: ListedCurrency[] = []
  const past: PastRow[] = []
  function* observations(): Generator<Observation> {
    for (const row of rows) {
      if (row.kind === 'currency') currencies.push(currencyIn(row))
      else if (row.kind === 'past') past.push(row)
      else if (row.kind === 'skipped') for (let n = 0; n < row.count; n++) yield { kind: 'skipped', reason: row.reason }
      else if (row.kind === 'rejected')
        for (let n = 0; n < row.count; n++) yield { kind: 'rejected', row: '', reason: row.reason }
      else yield row
    }
  }
  return { observed: byKind(observations(), { id: source_id }), currencies, past }
}
