import * as z from 'zod'
import { ClosesOfDayMembers, closesDay } from '../contract/closes.ts'
import { by, byKey } from '../contract/order.ts'
import { COINS, type RatesOfSource } from '../contract/rate-of-day.ts'
import { RatesOfYearMembers, ratesYear } from '../contract/rates.ts'
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

const OfYear = z.object(RatesOfYearMembers)
const OfDay = z.object(ClosesOfDayMembers)
const SYMBOLS = new Map(Object.entries(COINS).map(([symbol, slug]) => [slug, symbol]))

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
  const years = new Set(files.flatMap((file) => ratesYear(file) ?? closesDay(file)?.slice(0, 4) ?? []))
  for (const year of [...years].toSorted()) {
    const rows = files.flatMap((file): RatesOfSource[] => {
      if (ratesYear(file) === year) return readJson(read(file), OfYear)?.rows ?? []
      const day = closesDay(file)
      return day?.startsWith(year) === true ? coinsOf(day, readJson(read(file), OfDay)?.rows ?? []) : []
    })
    const group = COLUMNS.map((): Cell[] => [])
    for (const { day, source, rates_usd } of rows.toSorted(by((row) => `${row.day} ${row.source}`)))
      for (const [currency, rate] of Object.entries(rates_usd).toSorted(byKey))
        for (const [at, cell] of [new Date(day), currency, rate, source].entries()) group[at]?.push(cell)
    if ((group[0]?.length ?? 0) > 0) yield group
  }
}

const coinsOf = (day: string, rows: z.infer<typeof OfDay>['rows']): RatesOfSource[] => [
  {
    day,
    source: 'closes',
    rates_usd: Object.fromEntries(
      rows.flatMap(({ slug, close_usd }) => {
        const symbol = SYMBOLS.get(slug)
        return symbol === undefined ? [] : [[symbol, close_usd]]
      }),
    ),
  },
]
