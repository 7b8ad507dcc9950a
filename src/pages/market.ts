import { keep, keepInAddress, kept } from './browser.ts'
import { on, part } from './dom.ts'
import { askedIn } from './lists.ts'
import { watch } from './stars.ts'
import { enhance } from './start.ts'
import { headingOf, nextOrder } from './tables.ts'
import { WATCHED, watchlistIn } from './watchlist.ts'

/** Where the rows are. */
const place = () => part('rows')
/** The rows of the document, which are shown again when nothing else is asked for. */
let own = [...place().childNodes]
let isOwn = true

/** Loads what draws rows, which a page as it was published does not need. */
const program = () => import('./market-rows.tsx')

/** Shows what the address asks for. */
async function showAsked(): Promise<void> {
  const asked = askedIn(new URLSearchParams(location.search))
  for (const tab of document.querySelectorAll<HTMLElement>('.tabs [data-list]'))
    tab.ariaCurrent = tab.dataset['list'] === (asked?.list ?? 'all') ? 'page' : null
  const verified = document.querySelector<HTMLInputElement>('#verified')
  if (verified) verified.checked = asked?.verifiedOnly === true
  if (asked === null) {
    if (!isOwn) {
      ;(await program()).clear(place())
      place().replaceChildren(...own)
      enhance(place())
    }
    isOwn = true
    return
  }
  isOwn = false
  const { showRows } = await program()
  await showRows(place(), asked)
}

/** Changes the address, so that the way back leads here, and shows what it asks for. */
function ask(parts: Readonly<Record<string, string | null>>): void {
  history.pushState(null, '')
  keepInAddress({ page: null, ...parts })
  void showAsked()
}

const order = (control: HTMLElement) => {
  const heading = headingOf(control)
  if (heading?.closest('#market') == null) return
  // Where a phone has room for one change, its heading leads to the next period.
  if (getComputedStyle(heading).getPropertyValue('--turns') !== '' && !(control instanceof HTMLSelectElement))
    return turn()
  const { column, descending } = nextOrder(heading)
  ask({ sort: column, dir: descending ? 'desc' : 'asc' })
}
on('click', '#market thead button', order)
on('change', '#market .sort-by', order)

const PERIODS = ['day', 'week', 'hour'] as const
/** Shows the change of the next period in the one column that a phone has room for. */
function turn(): void {
  const { dataset } = place()
  const at = PERIODS.findIndex((period) => period === (dataset['period'] ?? 'day'))
  dataset['period'] = PERIODS[(at + 1) % PERIODS.length] ?? 'day'
}

on('change', '#verified', (box) => {
  if (box instanceof HTMLInputElement) ask({ verified: box.checked ? '' : null })
})

/** Name of the columns that this browser hides. */
const HIDDEN = 'columns'
const hidden = () => new Set((kept(HIDDEN) ?? '').split(' ').filter(Boolean))
function showColumns(): void {
  place().dataset['hidden'] = [...hidden()].join(' ')
  for (const box of document.querySelectorAll<HTMLInputElement>('.columns input'))
    box.checked = !hidden().has(box.value)
}
on('change', '.columns input', (box) => {
  if (!(box instanceof HTMLInputElement)) return
  const next = hidden()
  if (box.checked) next.delete(box.value)
  else next.add(box.value)
  keep(HIDDEN, [...next].join(' '))
  showColumns()
})

addEventListener('popstate', () => void showAsked())
addEventListener('watchlist', () => {
  if (askedIn(new URLSearchParams(location.search))?.list === 'watchlist') void showAsked()
})
addEventListener('renewed', () => {
  void program().then(({ forgetRows }) => forgetRows())
  own = [...place().childNodes]
  isOwn = true
  void showAsked()
})
on('click', '[data-adopt]', ({ dataset }) => {
  watch(watchlistIn(dataset['adopt'] ?? ''))
  ask({ list: 'watchlist', [WATCHED]: null })
})
showColumns()
void showAsked()
