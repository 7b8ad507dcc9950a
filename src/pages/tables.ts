import { on } from './dom.ts'
import { UNKNOWN } from './format.ts'
import { sortedBy } from './sorted.ts'
import type { Order } from './table.tsx'

/** Returns the value of a cell that rows are sorted by: a figure, a time or a text; null: unknown. */
function valueOf(cell: HTMLTableCellElement | undefined): number | string | null {
  const [figure, time] = [cell?.querySelector('data'), cell?.querySelector('time')]
  if (figure) return Number(figure.value)
  const text = time?.dateTime ?? cell?.textContent.trim().toLowerCase() ?? ''
  if (text === '' || text === UNKNOWN) return null
  return /^\d+$/.test(text) ? Number(text) : text
}

/** Returns the order that a press on a heading asks for. Numbers begin with the largest, names with the first. */
export function nextOrder(heading: Element): Order {
  const before = heading.getAttribute('aria-sort')
  const isNumber = heading.classList.contains('number')
  return {
    column: heading.textContent,
    descending: before === 'none' || before === null ? isNumber : before === 'ascending',
  }
}

/** Returns the heading that a reader chooses: by a press on it, or from the list of headings. */
export function headingOf(control: HTMLElement): Element | null {
  if (control instanceof HTMLSelectElement)
    return control.closest('.table')?.querySelectorAll('thead th')[Number(control.value)] ?? null
  return control.closest('th')
}

/** Shows in which order the rows of a table are. */
function markOrder(heading: Element, { descending }: Order): void {
  for (const other of heading.parentElement?.querySelectorAll('[aria-sort]') ?? [])
    other.setAttribute('aria-sort', other === heading ? (descending ? 'descending' : 'ascending') : 'none')
}

/** Sorts the rows of a table by the column of a heading. */
function sort(heading: HTMLTableCellElement): void {
  const body = heading.closest('table')?.tBodies[0]
  if (!body) return
  const order = nextOrder(heading)
  body.append(...sortedBy([...body.rows], (row) => valueOf(row.cells[heading.cellIndex]), order.descending))
  markOrder(heading, order)
}

/** Sorts and filters the tables of the page that have all of their rows. */
export function tables(): void {
  const sortFrom = (control: HTMLElement) => {
    const heading = headingOf(control)
    if (heading instanceof HTMLTableCellElement && heading.closest('.table')?.id === '') sort(heading)
  }
  on('click', 'thead button', sortFrom)
  on('change', '.sort-by', sortFrom)
  on('input', '.filter', (field) => {
    if (!(field instanceof HTMLInputElement)) return
    const wanted = field.value.trim().toLowerCase()
    for (const row of field.closest('.table')?.querySelectorAll<HTMLTableRowElement>('tbody tr') ?? [])
      row.hidden = !row.textContent.toLowerCase().includes(wanted)
  })
}
