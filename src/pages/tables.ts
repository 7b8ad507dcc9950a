import { type Child, el } from './dom.ts'

/** A column of a plain table: its name, and its cell for a row. */
export interface Column<Row> {
  readonly name: string
  readonly of: (row: Row) => Child
  /** Set on a column of numbers. */
  readonly number?: true
  /** Set on a column of sentences, which may wrap. */
  readonly prose?: true
}

/** A plain table that scrolls sideways on narrow screens. The first column is the row header. */
export function table<Row>(label: string, columns: readonly Column<Row>[], rows: readonly Row[]): HTMLElement {
  const heads = columns.map(({ name, number }) => el('th', { scope: 'col', class: number ? 'number' : null }, name))
  const body = rows.map((row) =>
    el(
      'tr',
      {},
      ...columns.map(({ of, number, prose }, at) =>
        at === 0
          ? el('th', { scope: 'row' }, of(row))
          : el('td', { class: number ? 'number' : prose ? 'prose' : null }, of(row)),
      ),
    ),
  )
  return el(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label },
    el('table', {}, el('thead', {}, el('tr', {}, ...heads)), el('tbody', {}, ...body)),
  )
}
