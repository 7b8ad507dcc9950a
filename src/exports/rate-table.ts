import { group } from 'd3-array'
import { closesDay, coinsIn } from '../contract/closes.ts'
import { by, byKey } from '../contract/order.ts'
import { type RatesOfSource, ratesOfCloses } from '../contract/rate-of-day.ts'
import { RatesOfYear, ratesYear } from '../contract/rates.ts'
import { readJson } from '../contract/read-json.ts'
import type { TableDocuments } from './daily-table.ts'
import type { Cell, Column, Table } from './parquet-file.ts'

const COLUMNS = [
  { name: 'day', type: 'date', description: 'Day in UTC that the rate is of. A day without one has none.' },
  { name: 'currency', type: 'text', description: 'Symbol of the currency.' },
  { name: 'rate_usd', type: 'number', description: 'US dollars for one unit.' },
  {
    name: 'source',
    type: 'text',
    description: 'A central bank by its `source_id`; `closes`: the close of the coin; `rates`: measured at venues.',
  },
] as const satisfies readonly Column[]

/** The rates of every currency by day, then currency and source: those of central banks, of coins by their closes, and our own. */
export const rateTable = ({ files, read }: TableDocuments, today: string): Table => ({
  columns: COLUMNS,
  // The closes of today still change.
  groups: groupsOf(files.filter((file) => (closesDay(file) ?? '') < today).toSorted(), read),
})

/** Yields the rates of a year at a time. */
function* groupsOf(
  files: readonly string[],
  read: TableDocuments['read'],
): Generator<readonly (readonly Cell[])[], undefined> {
  const years = group(files, (file) => ratesYear(file) ?? closesDay(file)?.slice(0, 4))
  for (const year of [...years.keys()].filter((one) => one !== undefined).toSorted()) {
    const rows = (years.get(year) ?? []).flatMap((file): RatesOfSource[] => {
      const day = closesDay(file)
      return day === null
        ? (readJson(read(file), RatesOfYear)?.rows ?? [])
        : [ratesOfCloses(day, coinsIn(read(file) ?? ''))]
    })
    yield rows.toSorted(by((row) => `${row.day} ${row.source}`)).flatMap(({ day, source, rates_usd }) =>
      Object.entries(rates_usd)
        .toSorted(byKey)
        .map(([currency, rate]): Cell[] => [new Date(day), currency, rate, source]),
    )
  }
}
