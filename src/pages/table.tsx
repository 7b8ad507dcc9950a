import type { ComponentChildren } from 'preact'
import { count } from './format.ts'
import { Empty } from './figures.tsx'

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

/** Number of rows of a table, or of a page of one. */
export const PAGE_ROWS = 100
/** Number of rows from which on a table has a filter. */
const LEAST_TO_FILTER = 16

/** Returns the columns that have a value in some row. */
export const filled = <Row,>(columns: readonly Column<Row>[], rows: readonly Row[]): readonly Column<Row>[] =>
  columns.filter(({ by, has = by && ((row) => by(row) !== null) }) => has === undefined || rows.some(has))

interface TableProps<Row> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  /** The order that the rows are in. */
  readonly order?: Order | null
  /** What is said where there are no rows at all. */
  readonly none?: string
  /** Address of a page with all rows, where this one has the first; absent: it has all. */
  readonly all?: string
  /** Names the table whose rows are on several pages, which a script of its own sorts. */
  readonly id?: string
}

/**
 * A table of the columns that have a value in some row. Its script sorts the rows by a heading or the list of headings, and
 * filters them. Its head stays in view; on narrow screens it scrolls beside its first column.
 */
export function Table<Row>({ label, columns: all, rows, order = null, none, all: rest, id }: TableProps<Row>) {
  const columns = filled(all, rows)
  if (rows.length === 0) return <Empty>{none ?? 'There are no rows.'}</Empty>
  const shown = rest === undefined ? rows : rows.slice(0, PAGE_ROWS)
  return (
    <div class="table" id={id}>
      <div class="bar">
        {id === undefined && shown.length >= LEAST_TO_FILTER && (
          <input type="search" class="filter" placeholder="Filter" aria-label={`Filter ${label}`} />
        )}
        {shown.length > 1 && <SortBy columns={columns} order={order} />}
      </div>
      <div class="scroll" tabindex={0} role="region" aria-label={label}>
        <table aria-label={label}>
          <Headings columns={columns} order={order} />
          <tbody>{rowsOf(columns, shown)}</tbody>
        </table>
      </div>
      {rest !== undefined && shown.length < rows.length && (
        <p class="rest">
          The first {count(shown.length)} of {count(rows.length)}. <a href={rest}>Show all {count(rows.length)}</a>
        </p>
      )}
    </div>
  )
}

interface HeadingsProps<Row> {
  readonly columns: readonly Column<Row>[]
  readonly order: Order | null
}

/** The headings as a list, for fingers: numbers with the largest first, names with the first. */
const SortBy = <Row,>({ columns, order }: HeadingsProps<Row>) => (
  <select class="sort-by" aria-label="Sort by">
    {order === null && <option value="">Sort by</option>}
    {columns.map(
      ({ name, by }, at) =>
        by && (
          <option value={at} selected={order?.column === name}>
            Sort by {name === '#' ? 'rank' : name}
          </option>
        ),
    )}
  </select>
)

/** Headings that sort. */
const Headings = <Row,>({ columns, order }: HeadingsProps<Row>) => (
  <thead>
    <tr>
      {columns.map(({ name, by, kind }) => (
        <th
          scope="col"
          class={kind}
          aria-sort={by && (order?.column === name ? (order.descending ? 'descending' : 'ascending') : 'none')}
        >
          {by === undefined ? name : <button type="button">{name}</button>}
        </th>
      ))}
    </tr>
  </thead>
)

/** Rows with the header in the column of names, or the first. */
function rowsOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]) {
  const head = Math.max(
    0,
    columns.findIndex(({ kind }) => kind === 'name'),
  )
  return rows.map((row) => (
    <tr>
      {columns.map(({ of, kind }, at) =>
        at === head ? (
          <th scope="row" class={kind}>
            {of(row)}
          </th>
        ) : (
          <td class={kind}>{of(row)}</td>
        ),
      )}
    </tr>
  ))
}

interface SectionProps<Row> extends Omit<TableProps<Row>, 'id'> {
  readonly anchor?: string
}

/** A table below a heading of its own. */
export const Section = <Row,>({ anchor, ...table }: SectionProps<Row>) => (
  <>
    <h2 id={anchor}>{table.label}</h2>
    <Table {...table} />
  </>
)
