import { el, on, show } from './dom.ts'
import { type ShownCurrency, change, money, price, tone } from './format.ts'
import type { TableRow } from './market-rows.ts'
import { type Column, table } from './tables.ts'
import { type Watchlist, worthOf } from './watchlist.ts'

/** What a portfolio shows. */
interface Holdings {
  readonly watchlist: Watchlist
  readonly rows: readonly TableRow[]
  readonly currency: ShownCurrency
}

/**
 * The amounts that the reader holds of the watched listings, and what they are worth. Nothing of it leaves the browser.
 * An input keeps the focus while figures change around it.
 *
 * @param held called with another amount of a listing
 */
export function portfolio(held: (slug: string, amount: number | null) => void): {
  readonly element: HTMLElement
  readonly update: (holdings: Holdings) => void
} {
  const total = el('p', { class: 'worth' })
  const place = el('div', {})
  let listed = ''
  let cells: readonly { readonly slug: string; readonly cost: HTMLElement; readonly value: HTMLElement }[] = []

  const inputOf = (slug: string, name: string, amount: number | null) => {
    const label = `Amount of ${name}`
    const input = el('input', { type: 'number', min: 0, step: 'any', value: amount, 'aria-label': label })
    return on(input, { change: () => held(slug, input.valueAsNumber > 0 ? input.valueAsNumber : null) })
  }
  const build = ({ watchlist, rows }: Holdings): void => {
    const views = rows.map(({ slug, name }) => ({
      slug,
      name,
      cost: el('span', {}),
      input: inputOf(slug, name, watchlist.get(slug) ?? null),
      value: el('span', {}),
    }))
    const columns: readonly Column<(typeof views)[number]>[] = [
      { name: 'Name', of: ({ name }) => name },
      { name: 'Price', of: ({ cost }) => cost, number: true },
      { name: 'Amount', of: ({ input }) => input, number: true },
      { name: 'Value', of: ({ value }) => value, number: true },
    ]
    show(place, table('Portfolio', columns, views))
    cells = views
  }
  const update = (holdings: Holdings): void => {
    const { watchlist, rows, currency } = holdings
    const slugs = rows.map(({ slug }) => slug).join()
    if (slugs !== listed) build(holdings)
    listed = slugs
    const prices = new Map(rows.map(({ slug, price_usd }) => [slug, price_usd]))
    for (const { slug, cost, value } of cells) {
      const [amount, each] = [watchlist.get(slug) ?? null, prices.get(slug) ?? null]
      cost.textContent = price(each, currency)
      value.textContent = money(amount === null || each === null ? null : amount * each, currency)
    }
    showTotal(total, holdings)
  }
  return { element: el('div', {}, total, place), update }
}

function showTotal(total: HTMLElement, { watchlist, rows, currency }: Holdings): void {
  const { value_usd, change_24h_usd: gained, percent_change_24h: moved, unpriced } = worthOf(watchlist, rows)
  if (value_usd === null) {
    show(total, 'Enter the amounts that you hold to see their value. They stay in this browser.')
    return
  }
  show(
    total,
    el('strong', {}, money(value_usd, currency)),
    ' ',
    moved === null || gained === null
      ? null
      : el(
          'span',
          { 'data-tone': tone(moved) },
          `${gained < 0 ? '−' : '+'}${money(Math.abs(gained), currency)} (${change(moved)}) in 24 h`,
        ),
    unpriced === 0 ? null : ` ${unpriced} without a known price.`,
  )
}
