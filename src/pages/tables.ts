import { ascending, descending, sort } from 'd3-array'
import { on } from './browser.ts'
import { UNKNOWN } from './format.ts'
import type { Order } from './table.tsx'

/** Returns rows by a value. Unknown values come last in both directions. The sort is stable. */
export function sortedBy<Row>(rows: readonly Row[], by: (row: Row) => number | string | null, isDescending: boolean) {
  const compare = isDescending ? descending : ascending
  return sort(rows, (left, right) => compare(by(left) ?? undefined, by(right) ?? undefined))
}

/** Returns the value of a cell that rows are sorted by: a figure, a time or a text; null: unknown. */
function valueOf(cell: HTMLTableCellElement | undefined): number | string | null {
  const [figure, time] = [cell?.querySelector('data'), cell?.querySelector('time')]
  if (figure) return Number(figure.value)
  const text = time?.dateTime ?? cell?.textContent.trim().toLowerCase() ?? ''
  if (text === '' || text === UNKNOWN) return null
  return /^\d+$/.test(text) ? Number(text) : text
}

type OrderListener = (heading: HTMLTableCellElement, order: Order, isPress: boolean) => void

/** Calls a listener for the heading that a reader presses, or chooses from the list of headings, and the order it asks for. */
export function onOrder(table: string, listener: OrderListener): void {
  const chosen = (heading: Element | null | undefined, isPress: boolean) => {
    if (!(heading instanceof HTMLTableCellElement)) return
    const before = heading.getAttribute('aria-sort')
    // Numbers begin with the largest, names with the first.
    const descending = before === 'none' ? heading.classList.contains('number') : before === 'ascending'
    listener(heading, { column: heading.textContent, descending }, isPress)
  }
  on('click', `${table} thead button`, HTMLElement, (button) => chosen(button.closest('th'), true))
  on('change', `${table} .sort-by`, HTMLSelectElement, (select) =>
    chosen(select.closest('.table')?.querySelectorAll('thead th')[Number(select.value)], false),
  )
}

export function enableTables(): void {
  onOrder('.table:not([id])', (heading, { descending }) => {
    const body = heading.closest('table')?.tBodies[0]
    body?.append(...sortedBy([...body.rows], (row) => valueOf(row.cells[heading.cellIndex]), descending))
    for (const other of heading.parentElement?.querySelectorAll('[aria-sort]') ?? [])
      other.setAttribute('aria-sort', other === heading ? (descending ? 'descending' : 'ascending') : 'none')
  })
  on('input', '.filter', HTMLInputElement, (field) => {
    const wanted = field.value.trim().toLowerCase()
    for (const row of field.closest('.table')?.querySelectorAll<HTMLTableRowElement>('tbody tr') ?? [])
      row.hidden = !row.textContent.toLowerCase().includes(wanted)
  })
}
