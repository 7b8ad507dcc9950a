import type { ComponentChildren, FunctionComponent } from 'preact'
import { Change, CountFigure, Empty, Money, PercentFigure, PriceFigure, Share, Time } from './figures.tsx'
import { UNKNOWN, count } from './format.ts'
import { Badge, ThingLink, TokenName, isStable } from './marks.tsx'
import { type Folder, useSite } from './site.tsx'

export interface Column<Row> {
  readonly name: string
  readonly of: (row: Row, place?: number) => ComponentChildren
  /** Value that the rows can be sorted by; null: unknown, which comes last. */
  readonly by?: (row: Row) => number | string | null
  /** Whether a row has a value; by default, whether it has one to sort by. */
  readonly has?: (row: Row) => boolean
  /** Classes of its cells: `number`, of which the largest come first; `prose`, which may wrap; `name`, the header of a row. */
  readonly kind?: string | undefined
}

const figures =
  (Figure: FunctionComponent<{ readonly of: number | null; readonly isStable?: boolean }>) =>
  <Row extends object>(name: string, by: (row: Row) => number | null, kind = ''): Column<Row> => ({
    name,
    by,
    kind: `number ${kind}`.trim(),
    of: (row) => <Figure of={by(row)} isStable={isStable(row)} />,
  })

const texts =
  <Text extends string | null>(of: (text: Text) => ComponentChildren) =>
  <Row,>(name: string, by: (row: Row) => Text, kind?: string) => ({ name, by, kind, of: (row: Row) => of(by(row)) })

/** A link to a page of the site; an id that is null has none. */
type LinkText = readonly [id: string | null | undefined, text: string]

/** Functions that make columns, by what their cells show. */
export const column = {
  prices: figures(PriceFigure),
  amounts: figures(Money),
  changes: figures(Change),
  counts: figures(CountFigure),
  percents: figures(PercentFigure),
  shares: figures(Share),
  words: texts((text: string | null) => text ?? UNKNOWN),
  badges: texts((state: string) => <Badge state={state} />),
  times: texts((at: string | null) => (at === null ? UNKNOWN : <Time at={at} />)),
  links: <Row,>(name: string, to: Folder, of: (row: Row) => LinkText): Column<Row> => ({
    name,
    by: (row) => of(row)[1].toLowerCase(),
    of(row) {
      const [id, text] = of(row)
      return id == null ? text : <ThingLink to={to} id={id} children={text} />
    },
  }),
  listings: <Row extends Readonly<Record<'slug' | 'name' | 'symbol', string>>>(name: string): Column<Row> => ({
    name,
    kind: 'name',
    of: (row) => <TokenName {...row} />,
    by: (row) => row.name.toLowerCase(),
  }),
} as const

export interface Order {
  readonly column: string
  readonly descending: boolean
}

export const PAGE_ROWS = 100
const LEAST_TO_FILTER = 16

/** Returns the columns that have a value in some row. */
export const filled = <Row,>(columns: readonly Column<Row>[], rows: readonly Row[]): readonly Column<Row>[] =>
  columns.filter(({ by, has = by && ((row) => by(row) !== null) }) => has === undefined || rows.some(has))

interface TableProps<Row> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly order?: Order | null
  readonly none?: string
  /** Address of a page with all rows, where a document has the first; absent: it has all. */
  readonly all?: string
  /** Names the table whose rows are on several pages, which a script of its own sorts. */
  readonly id?: string
}

/**
 * A table of the columns that have a value in some row. Its script sorts the rows by a heading or the list of headings, and
 * filters them. Its head stays in view; on narrow screens it scrolls beside its first column.
 */
export function Table<Row>({ label, columns: all, rows, order = null, none, all: rest, id }: TableProps<Row>) {
  const { isWhole } = useSite()
  if (rows.length === 0) return <Empty>{none ?? 'There are no rows.'}</Empty>
  const columns = filled(all, rows)
  const shown = rest === undefined || isWhole ? rows : rows.slice(0, PAGE_ROWS)
  const direction = order?.descending === true ? 'descending' : 'ascending'
  const head = columns.find(({ kind }) => kind === 'name') ?? columns[0]
  return (
    <div class="table" id={id}>
      <div class="bar">
        {id === undefined && shown.length >= LEAST_TO_FILTER && (
          <input type="search" class="filter" placeholder="Filter" aria-label={`Filter ${label}`} />
        )}
        {shown.length > 1 && (
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
        )}
      </div>
      <div class="scroll" tabindex={0} role="region" aria-label={label}>
        <table aria-label={label}>
          <thead>
            <tr>
              {columns.map(({ name, by, kind }) => (
                <th scope="col" class={kind} aria-sort={by && (order?.column === name ? direction : 'none')}>
                  {by ? <button type="button">{name}</button> : name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row, place) => (
              <tr>
                {columns.map((column) => {
                  const [Cell, scope] = column === head ? (['th', 'row'] as const) : (['td'] as const)
                  return <Cell scope={scope} class={column.kind} children={column.of(row, place)} />
                })}
              </tr>
            ))}
          </tbody>
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
