import type * as z from 'zod'
import { CurrencyRow, type LeftOutRow, MOST_ROWS, ObservationRow } from '../contract/observations.ts'
import { compare } from '../contract/order.ts'
import { clean } from './wire.ts'
import type { ReportedCurrency, Observation } from './source.ts'
import { SourceError } from './source-error.ts'

const orderOf = new Map(ObservationRow.options.map(({ shape }, index) => [shape.kind.value, index] as const))

const REASON = 200

export const rowsOf = (source_id: string, observations: Iterable<Observation>): ObservationRow[] =>
  sorted(parsedRows(source_id, described(source_id, observations)))

function* described(source_id: string, observations: Iterable<Observation>) {
  for (const row of observations)
    if (!('reason' in row)) yield Object.assign({ source_id }, row)
    else yield { source_id, ...row, reason: reasonIn(row.reason) || 'not stated', count: 1 }
}

export function parsedRows(source_id: string, given: Iterable<unknown>, most = MOST_ROWS): ObservationRow[] {
  const parsed: ObservationRow[] = []
  const left = new Map<string, LeftOutRow>()
  let count = 0
  for (const one of given) {
    const { data, error } = ObservationRow.safeParse(one)
    const row = data ?? { source_id, kind: 'rejected', reason: reasonOf(error), count: 1 }
    count += 'count' in row ? row.count : 1
    if (count > most) throw new SourceError('source_invalid', `${source_id}: more than ${most} rows`)
    if (!('count' in row)) parsed.push(row)
    else {
      const key = `${row.kind} ${row.reason}`
      left.set(key, { ...row, count: row.count + (left.get(key)?.count ?? 0) })
    }
  }
  return [...parsed, ...left.values()]
}

/** Returns a venue's list of currencies as rows, sorted. One that cannot be read is not there. */
export const currencyRows = (source_id: string, currencies: readonly ReportedCurrency[]): CurrencyRow[] =>
  sorted(
    currencies.flatMap((currency) => CurrencyRow.safeParse({ source_id, kind: 'currency', ...currency }).data ?? []),
  )

export const sorted = <Row extends ObservationRow>(rows: readonly Row[]): Row[] =>
  rows
    .map((row) => ({ row, kind: orderOf.get(row.kind) ?? 0, text: JSON.stringify(row) }))
    .toSorted((a, b) => a.kind - b.kind || compare(a.text, b.text))
    .map(({ row }) => row)

export const reasonOf = ({ issues: [issue] }: z.ZodError): string =>
  reasonIn(`${issue?.path.join('.') || 'row'}: ${issue?.message ?? 'invalid'}`)

const reasonIn = (text: string): string => clean(text).slice(0, REASON)
