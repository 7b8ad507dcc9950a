import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { count } from './format.ts'
import { Empty } from './figures.tsx'

/** A column of a table: its name, and its cell for a row. */
export interface Column<Row> {
  readonly name: string
  readonly of: (row: Row) => ComponentChildren
  /** Value that the rows can be sorted by; null: unknown, which comes last. */
  readonly by?: (row: Row) => number | string | null
  /** Classes of its cells: `number`, of which the largest come first; `prose`, which may wrap; `name`, the header of a row. */
  readonly kind?: string
}

/** A column by its name, and the direction in which it sorts the rows. */
export interface Order {
  readonly column: string
  readonly descending: boolean
}

/** Number of rows shown before "Show more". */
const MOST = 500
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
  /** The order where the page keeps it, such as in its address; null: that of the rows. */
  readonly order?: Order | null
  readonly choose?: (order: Order) => void
  /** Shows the rows of a list whose thousands of rows are all in the document. */
  readonly body?: (columns: readonly Column<Row>[], rows: readonly Row[]) => ComponentChildren
}

/** Returns rows by the values of a column. Unknown values come last in both directions. The sort is stable. */
export function sortedBy<Row>(
  rows: readonly Row[],
  by: (row: Row) => number | string | null,
  descending: boolean,
): readonly Row[] {
  const sign = descending ? -1 : 1
  return rows.toSorted((a, b) => {
    const [left, right] = [by(a), by(b)]
    if (left === null || right === null) return Number(left === null) - Number(right === null)
    return left === right ? 0 : left < right ? -sign : sign
  })
}

/** A table that is sorted by its headings and filtered. On phones each row is a card. */
export function Table<Row>(table: TableProps<Row>) {
  const { label, columns, rows, text, first = MOST, body } = table
  const [own, setOwn] = useState<Order | null>(null)
  const { order = own, choose = setOwn } = table
  const [wanted, setWanted] = useState('')
  const [most, setMost] = useState(first)
  const shown = useMemo(() => {
    const fitting =
      wanted === '' || text === undefined ? rows : rows.filter((row) => text(row).toLowerCase().includes(wanted))
    const by = columns.find(({ name }) => name === order?.column)?.by
    return by === undefined ? fitting : sortedBy(fitting, by, order?.descending === true)
  }, [rows, wanted, order?.column, order?.descending])
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
      <div class={body ? 'listings' : 'scroll'} tabindex={body ? undefined : 0} role="region" aria-label={label}>
        <table aria-label={label}>
          <thead>
            <tr>
              {columns.map((column) => (
                <Heading column={column} order={order} choose={choose} />
              ))}
            </tr>
          </thead>
          {body ? body(columns, shown) : <tbody>{rowsOf(columns, shown.slice(0, most))}</tbody>}
        </table>
      </div>
      {!body && shown.length === 0 && <Empty>No matching rows.</Empty>}
      {!body && shown.length > most && (
        <button type="button" class="button" onClick={() => setMost(most + MOST)}>
          Show more of {count(shown.length)}
        </button>
      )}
    </>
  )
}

interface HeadingProps<Row> {
  readonly column: Column<Row>
  readonly order: Order | null
  readonly choose: (order: Order) => void
}

/** Numbers are sorted with the largest first, names with the first. A second click turns the order around. */
function Heading<Row>({ column: { name, by, kind }, order, choose }: HeadingProps<Row>) {
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
}

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
