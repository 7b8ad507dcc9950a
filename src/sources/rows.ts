import type * as z from 'zod'
import { CurrencyRow, ObservationRow } from '../contract/observations.ts'
import { compare } from '../contract/order.ts'
import { clean } from './wire.ts'
import type { Currency, Observation } from './source.ts'
import { SourceError } from './source-error.ts'

/** Kinds in the order of the rows of a source. */
const KINDS = [
  'sighting',
  'profile',
  'quote',
  'pool',
  'reference',
  'skipped',
  'rejected',
  'currency',
  'past',
  'day-rates',
] as const
type Kind = (typeof KINDS)[number]
const orderOf = new Map<Kind, number>(KINDS.map((kind, index) => [kind, index]))

/** Maximum number of rows of one source in one run. The longest known list has 20,000. */
export const MOST_ROWS = 100_000

/** Longest reason of a row that is left out. */
const REASON = 200

/**
 * Returns what a source yields as rows: each parsed by its schema, so that nothing else is passed on, and sorted. A row
 * that the schema refuses becomes a rejected one. The order and the members do not depend on the order of the answers, so
 * equal answers give equal rows.
 *
 * @throws SourceError if there are more than {@link MOST_ROWS}
 */
export function rowsOf(source_id: string, observations: Iterable<Observation>): ObservationRow[] {
  const left = new LeftOut()
  const parsed: ObservationRow[] = []
  let count = 0
  for (const row of observations) {
    if (++count > MOST_ROWS) throw new SourceError('source_invalid', `${source_id}: more than ${MOST_ROWS} rows`)
    if (row.kind === 'skipped' || row.kind === 'rejected') left.add(row.kind, row.reason)
    else {
      const result = ObservationRow.safeParse(Object.assign({ source_id }, row))
      if (result.success) parsed.push(result.data)
      else left.add('rejected', reasonOf(result.error))
    }
  }
  return sorted([...parsed, ...left.rows(source_id)])
}

/** Returns a venue's list of currencies as rows, sorted. One that cannot be read is not there. */
export const currencyRows = (source_id: string, currencies: readonly Currency[]): CurrencyRow[] =>
  sorted(
    currencies.flatMap((currency) => CurrencyRow.safeParse({ source_id, kind: 'currency', ...currency }).data ?? []),
  )

/** Returns rows sorted by kind and then by their text. */
export const sorted = <Row extends ObservationRow>(rows: readonly Row[]): Row[] =>
  rows
    .map((row) => ({ row, kind: orderOf.get(row.kind) ?? 0, text: JSON.stringify(row) }))
    .toSorted((a, b) => a.kind - b.kind || compare(a.text, b.text))
    .map(({ row }) => row)

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
