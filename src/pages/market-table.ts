import { el, on } from './dom.ts'
import { type ShownCurrency, UNKNOWN, change, money, price, tone } from './format.ts'
import { tokenPage } from './frame.ts'
import type { Column, Order, TableRow } from './market-rows.ts'
import { type LogoOf, disc, verifiedMark } from './marks.ts'
import type { RowView } from './rows-in-sight.ts'
import { spark } from './spark.ts'

export const ROW_HEIGHT_PX = 56

interface Heading {
  readonly column: Column | null
  readonly name: string
  readonly kind: string
}

/** `kind` selects the width of a column in the style sheet, and the screens that hide it. */
const HEADINGS: readonly Heading[] = [
  { column: 'market_cap_rank', name: '#', kind: 'rank' },
  { column: 'name', name: 'Name', kind: 'name' },
  { column: 'price_usd', name: 'Price', kind: 'price' },
  { column: 'percent_change_1h', name: '1 h', kind: 'hour' },
  { column: 'percent_change_24h', name: '24 h', kind: 'day' },
  { column: 'percent_change_7d', name: '7 d', kind: 'week' },
  { column: 'market_cap_usd', name: 'Market cap', kind: 'cap' },
  { column: 'volume_24h_usd', name: 'Volume 24 h', kind: 'volume' },
  { column: null, name: 'Last 7 days', kind: 'line' },
]

/** Returns the order after a click on a column. Numbers start with the largest, rank and name with the first. */
export function nextOrder(order: Order | null, clicked: Column): Order {
  if (clicked === order?.column) return { column: clicked, descending: !order.descending }
  return { column: clicked, descending: clicked !== 'name' && clicked !== 'market_cap_rank' }
}

/** The header row of the table. */
export function headings(order: Order | null, choose: (column: Column) => void): HTMLElement {
  const cells = HEADINGS.map(({ column, name, kind }) => {
    if (column === null) return el('div', { role: 'columnheader', class: `cell ${kind}` }, name)
    const sort = column !== order?.column ? 'none' : order.descending ? 'descending' : 'ascending'
    const arrow = { none: '', ascending: ' ▲', descending: ' ▼' }[sort]
    const button = el('button', { type: 'button' }, name, el('span', { 'aria-hidden': 'true' }, arrow))
    return el(
      'div',
      { role: 'columnheader', 'aria-sort': sort, class: `cell ${kind}` },
      on(button, { click: () => choose(column) }),
    )
  })
  return el('div', { role: 'row', 'aria-rowindex': 1, class: 'row head' }, ...cells)
}

const CHANGES = ['percent_change_1h', 'percent_change_24h', 'percent_change_7d'] as const

interface RowOptions {
  /** Returns the currency of the amounts. */
  readonly currency: () => ShownCurrency
  readonly isWatched: (slug: string) => boolean
  readonly logoOf: LogoOf
  readonly toggle: (slug: string) => void
}

/** Creates an empty row with a star, which puts the listing on the watchlist. */
export function rowView({ currency, isWatched, logoOf, toggle }: RowOptions): RowView<TableRow> {
  const cells = HEADINGS.map(({ kind }) => el('div', { role: 'cell', class: `cell ${kind}` }))
  const [rank, name, cost, hour, day, week, cap, volume, line] = cells
  if (!rank || !name || !cost || !hour || !day || !week || !cap || !volume || !line)
    throw new Error('a column is missing')
  const icon = disc(logoOf)
  const link = el('a', {})
  const mark = verifiedMark()
  const ticker = el('span', { class: 'ticker' })
  let slug = ''
  const star = on(el('button', { type: 'button', class: 'star' }), { click: () => toggle(slug) })
  name.append(
    star,
    icon.element,
    el('span', { class: 'named' }, el('span', { class: 'title' }, link, mark.element), ticker),
  )
  return {
    element: el('div', { role: 'row', class: 'row' }, ...cells),
    fill(row, index, isPassing) {
      const element = rank.parentElement
      element?.setAttribute('aria-rowindex', String(index + 2))
      if (element) element.dataset['slug'] = row.slug
      rank.textContent = row.market_cap_rank === null ? UNKNOWN : String(row.market_cap_rank)
      slug = row.slug
      star.textContent = isWatched(slug) ? '★' : '☆'
      star.setAttribute('aria-pressed', String(isWatched(slug)))
      star.setAttribute('aria-label', `Watch ${row.name}`)
      icon.fill(row, isPassing)
      mark.fill(row)
      link.textContent = row.name
      // The property of the DOM that builds pages decodes the address, where a folder of the program may have a space.
      link.setAttribute('href', tokenPage(row.slug))
      ticker.textContent = row.symbol
      cost.textContent = price(row.price_usd, currency())
      cost.classList.toggle('carried', row.carried?.['price_usd'] !== undefined)
      for (const [at, cell] of [hour, day, week].entries()) {
        const value = row[CHANGES[at] ?? 'percent_change_24h']
        cell.textContent = change(value)
        cell.dataset['tone'] = tone(value)
      }
      cap.textContent = money(row.market_cap_usd, currency())
      volume.textContent = money(row.volume_24h_usd, currency())
      line.replaceChildren(...(isPassing ? [] : [spark(row.sparkline_7d) ?? UNKNOWN]))
    },
  }
}
