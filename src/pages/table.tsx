import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { count } from './format.ts'
import { Empty } from './figures.tsx'

/** A column of a table: its name, and its cell for a row. */
export interface Column<Row> {
  readonly name: string
  readonly of: (row: Row) => ComponentChildren
  /** Value that the rows can be sorted by; null: unknown, which comes last. */
  readonly by?: (row: Row) => number | string | null
  /** Set on a column of numbers. */
  readonly number?: true
  /** Set on a column of sentences, which may wrap. */
  readonly prose?: true
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
}

interface Sorting {
  readonly column: number
  readonly descending: boolean
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

/** A table that is sorted by its headings and filtered. The first column is the row header. On phones each row is a card. */
export function Table<Row>({ label, columns, rows, text, first = MOST }: TableProps<Row>) {
  const [sorting, setSorting] = useState<Sorting | null>(null)
  const [wanted, setWanted] = useState('')
  const [most, setMost] = useState(first)
  const fitting =
    wanted === '' || text === undefined ? rows : rows.filter((row) => text(row).toLowerCase().includes(wanted))
  const by = sorting === null ? undefined : columns[sorting.column]?.by
  const shown = by === undefined ? fitting : sortedBy(fitting, by, sorting?.descending === true)
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
      <div class="scroll" tabindex={0} role="region" aria-label={label}>
        <table>
          <thead>
            <tr>
              {columns.map((column, at) => (
                <Heading column={column} at={at} sorting={sorting} sort={setSorting} />
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.slice(0, most).map((row) => (
              <Row columns={columns} row={row} />
            ))}
          </tbody>
        </table>
      </div>
      {shown.length === 0 && <Empty>No matching rows.</Empty>}
      {shown.length > most && (
        <button type="button" class="button" onClick={() => setMost(most + MOST)}>
          Show more of {count(shown.length)}
        </button>
      )}
    </>
  )
}

interface HeadingProps<Row> {
  readonly column: Column<Row>
  readonly at: number
  readonly sorting: Sorting | null
  readonly sort: (sorting: Sorting) => void
}

/** Numbers are sorted with the largest first, names with the first. A second click turns the order around. */
function Heading<Row>({ column: { name, by, number }, at, sorting, sort }: HeadingProps<Row>) {
  const own = sorting?.column === at ? sorting : null
  const direction = own === null ? 'none' : own.descending ? 'descending' : 'ascending'
  return (
    <th scope="col" class={number && 'number'} aria-sort={by && direction}>
      {by === undefined ? (
        name
      ) : (
        <button
          type="button"
          onClick={() => sort({ column: at, descending: own === null ? number === true : !own.descending })}
        >
          {name}
          <span aria-hidden="true">{{ none: '', ascending: ' ▲', descending: ' ▼' }[direction]}</span>
        </button>
      )}
    </th>
  )
}

/** The name of each column is with its cell, for cards on phones. */
const Row = <T,>({ columns, row }: { readonly columns: readonly Column<T>[]; readonly row: T }) => (
  <tr>
    {columns.map(({ name, of, number, prose }, at) =>
      at === 0 ? (
        <th scope="row">{of(row)}</th>
      ) : (
        <td class={number ? 'number' : prose && 'prose'} data-name={name}>
          {of(row)}
        </td>
      ),
    )}
  </tr>
)
