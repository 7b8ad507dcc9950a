import type { ComponentChildren, VNode } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
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
  /** Set on a list whose thousands of rows are all in the document. */
  readonly long?: LongList<Row>
}

interface LongList<Row> {
  /** What was asked for: the rows of another question are hidden at once, those of another snapshot stay until their turn. */
  readonly question: string
  /** What the cells of a row show that is not in the row. */
  readonly beside: (row: Row) => unknown
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
  const { label, columns, rows, text, first = MOST, long } = table
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
      <div class={long ? 'listings' : 'scroll'} tabindex={long ? undefined : 0} role="region" aria-label={label}>
        <table aria-label={label}>
          <thead>
            <tr>
              {columns.map((column) => (
                <Heading column={column} order={order} choose={choose} />
              ))}
            </tr>
          </thead>
          {long ? (
            <Blocks columns={columns} rows={shown} {...long} />
          ) : (
            <tbody>{rowsOf(columns, shown.slice(0, most))}</tbody>
          )}
        </table>
      </div>
      {!long && shown.length === 0 && <Empty>No matching rows.</Empty>}
      {!long && shown.length > most && (
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
function rowsOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]) {
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

/** Height of a row of a long list in the style sheet. */
const ROW_HEIGHT_PX = 56

/** Rows that are rendered in one task, which so stays short on a phone. The browser lays a block out when it comes near. */
const BLOCK = 25

/** Number of rows of a long list that are rendered at once: those of the document. */
export const FIRST_ROWS = 100
const FIRST_BLOCKS = FIRST_ROWS / BLOCK

interface BlocksProps<Row> extends LongList<Row> {
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
}

/** Returns the number of blocks whose turn has come, and the number of those in the document. */
function useTurns(rows: readonly unknown[], question: string) {
  const wanted = Math.ceil(rows.length / BLOCK)
  const [turn, setTurn] = useState({ rows, due: FIRST_BLOCKS })
  const settled = useRef({ question, blocks: 0 })
  const due = turn.rows === rows ? turn.due : FIRST_BLOCKS
  const most = Math.max(wanted, settled.current.blocks)
  useEffect(() => {
    if (due >= most) {
      settled.current = { question, blocks: wanted }
      return undefined
    }
    settled.current.blocks = Math.max(due, settled.current.blocks)
    const timer = setTimeout(() => setTurn({ rows, due: due + 1 }))
    return () => clearTimeout(timer)
  })
  return {
    due,
    blocks: Math.min(Math.max(due, settled.current.blocks), most),
    isNew: settled.current.question !== question,
  }
}

/** A block of a list with what it was made of. */
interface Block<Row> {
  readonly given: readonly unknown[]
  readonly rows: readonly Row[]
  readonly beside: string
  readonly cells: ComponentChildren
  readonly body: VNode
}

/**
 * All rows of a long list, where the browser's search, print and screen readers find them. The first ones are rendered at
 * once, the others block by block. Blocks that did not change are not compared again.
 */
function Blocks<Row>({ columns, rows, question, beside }: BlocksProps<Row>) {
  const { due, blocks, isNew } = useTurns(rows, question)
  const place = useRef<HTMLTableSectionElement>(null)
  const made = useRef<Block<Row>[]>([])
  // The page has its whole height before its rows: the place of a reader who comes back, or scrolls, stays.
  useLayoutEffect(() => {
    const table = place.current?.parentElement
    if (table) table.style.minHeight = `${rows.length * ROW_HEIGHT_PX}px`
  }, [rows.length])
  made.current = Array.from({ length: Math.max(1, blocks) }, (_, at) => {
    const [isDue, last] = [at < due, made.current[at]]
    const given = [columns, rows, isDue, isNew]
    if (last?.given.every((value, index) => value === given[index])) return last
    // Until its turn, a block shows what it showed before.
    const shown = isDue ? rows.slice(at * BLOCK, (at + 1) * BLOCK) : (last?.rows ?? [])
    const marks = shown.map(beside).join()
    const isSame = last?.beside === marks && shown.length === last.rows.length
    const cells = isSame && shown.every((row, index) => row === last.rows[index]) ? last.cells : rowsOf(columns, shown)
    const body = (
      <tbody key={at} ref={at === 0 ? place : null} hidden={!isDue && isNew}>
        {cells}
      </tbody>
    )
    return { given, rows: shown, beside: marks, cells, body }
  })
  return made.current.map(({ body }) => body)
}
