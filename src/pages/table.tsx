import type { ComponentChildren } from 'preact'
import { useContext, useMemo, useState } from 'preact/hooks'
import { count } from './format.ts'
import { Empty } from './figures.tsx'
import { NowContext } from './site.tsx'

/** A column of a table: its name, and its cell for a row. */
export interface Column<Row> {
  readonly name: string
  readonly of: (row: Row) => ComponentChildren
  /** Value that the rows can be sorted by; null: unknown, which comes last. */
  readonly by?: (row: Row) => number | string | null
  /** Whether a row has a value; by default, whether it has one to sort by. */
  readonly has?: (row: Row) => boolean
  /** Classes of its cells: `number`, of which the largest come first; `prose`, which may wrap; `name`, the header of a row. */
  readonly kind?: string
}

/** A column by its name, and the direction in which it sorts the rows. */
export interface Order {
  readonly column: string
  readonly descending: boolean
}

/** Number of rows shown before "Show more": as many as a phone draws in a short task. */
const MOST = 100
/** The same where no script shows more. */
const MOST_IN_DOCUMENT = 500
/** Number of rows from which on a table has a filter. */
const LEAST_TO_FILTER = 16

interface TableProps<Row> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  /** Text of a row that the filter searches; absent: there is no filter. */
  readonly text?: (row: Row) => string
  /** Number of rows shown at first. */
  readonly first?: number
  /** What is said where there are no rows at all. */
  readonly none?: string
}

/** Returns rows by the values of a column. Unknown values come last in both directions. The sort is stable. */
export function sortedBy<Row>(
  rows: readonly Row[],
  by: (row: Row) => number | string | null,
  descending: boolean,
): readonly Row[] {
  const sign = descending ? -1 : 1
  const sorted = rows.map((row) => ({ row, value: by(row) }))
  sorted.sort(({ value: left }, { value: right }) => {
    if (left === null || right === null) return Number(left === null) - Number(right === null)
    return left === right ? 0 : left < right ? -sign : sign
  })
  return sorted.map(({ row }) => row)
}

/** Returns rows in an order of some columns; null, or a column without values: as they are. */
export function inOrder<Row>(rows: readonly Row[], columns: readonly Column<Row>[], order: Order | null) {
  const by = columns.find(({ name }) => name === order?.column)?.by
  return by === undefined ? rows : sortedBy(rows, by, order?.descending === true)
}

/** Returns the columns that have a value in some row. */
export const filled = <Row,>(columns: readonly Column<Row>[], rows: readonly Row[]): readonly Column<Row>[] =>
  columns.filter(({ by, has = by && ((row) => by(row) !== null) }) => has === undefined || rows.some(has))

/** A table that is sorted by its headings and filtered, of the columns that have a value in some row. On phones each row is a card. */
export function Table<Row>({ label, columns: all, rows, text, first, none }: TableProps<Row>) {
  const columns = filled(all, rows)
  const [order, choose] = useState<Order | null>(null)
  const [wanted, setWanted] = useState('')
  const isDocument = useContext(NowContext) === null
  const [most, setMost] = useState(first ?? (isDocument ? MOST_IN_DOCUMENT : MOST))
  const shown = useMemo(() => {
    const fitting =
      wanted === '' || text === undefined ? rows : rows.filter((row) => text(row).toLowerCase().includes(wanted))
    return inOrder(fitting, columns, order)
  }, [rows, wanted, order])
  return (
    <>
      {text !== undefined && rows.length >= LEAST_TO_FILTER && (
        <input
          type="search"
          class="filter"
          placeholder="Filter"
          aria-label={`Filter ${label}`}
          onInput={({ currentTarget }) => setWanted(currentTarget.value.trim().toLowerCase())}
        />
      )}
      {shown.length === 0 ? (
        <Empty>{rows.length === 0 ? none : 'No matching rows.'}</Empty>
      ) : (
        <div class="scroll" tabindex={0} role="region" aria-label={label}>
          <table aria-label={label}>
            <Headings columns={columns} order={order} choose={choose} />
            <tbody>{rowsOf(columns, shown.slice(0, most))}</tbody>
          </table>
        </div>
      )}
      {shown.length > most && (
        <button type="button" class="button" onClick={() => setMost(most + MOST)}>
          Show more of {count(shown.length)}
        </button>
      )}
    </>
  )
}

interface SectionProps<Row> extends Omit<TableProps<Row>, 'rows'> {
  readonly id?: string
  /** Null: they could not be loaded. */
  readonly rows: readonly Row[] | null
}

/** A table below a heading of its own. */
export const Section = <Row,>({ id, rows, ...table }: SectionProps<Row>) =>
  rows === null ? null : (
    <>
      <h2 id={id}>{table.label}</h2>
      <Table {...table} rows={rows} />
    </>
  )

export interface HeadingsProps<Row> {
  readonly columns: readonly Column<Row>[]
  readonly order: Order | null
  readonly choose: (order: Order) => void
}

/** Headings that sort. Numbers are sorted with the largest first, names with the first. A second click turns the order around. */
export const Headings = <Row,>({ columns, order, choose }: HeadingsProps<Row>) => (
  <thead>
    <tr>
      {columns.map(({ name, by, kind }) => {
        const own = order?.column === name ? order : null
        const direction = own === null ? 'none' : own.descending ? 'descending' : 'ascending'
        const descending = own === null ? kind?.startsWith('number') === true : !own.descending
        return (
          <th scope="col" class={kind} aria-sort={by && direction}>
            {by === undefined ? (
              name
            ) : (
              <button type="button" onClick={() => choose({ column: name, descending })}>
                {name}
                <span aria-hidden="true">{{ none: '', ascending: ' ▲', descending: ' ▼' }[direction]}</span>
              </button>
            )}
          </th>
        )
      })}
    </tr>
  </thead>
)

/** Rows with the header in the column of names, or the first. The name of each column is with its cell, for cards on phones. */
export function rowsOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]) {
  const head = Math.max(
    0,
    columns.findIndex(({ kind }) => kind === 'name'),
  )
  return rows.map((row) => (
    <tr>
      {columns.map(({ name, of, kind }, at) =>
        at === head ? (
          <th scope="row" class={kind}>
            {of(row)}
          </th>
        ) : (
          <td class={kind} data-name={name}>
            {of(row)}
          </td>
        ),
      )}
    </tr>
  ))
}
