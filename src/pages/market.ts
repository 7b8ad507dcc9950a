import { type ViewParts, addressWith, control, keep, saved, on, part } from './browser.ts'
import './start.ts'
import { onOrder } from './tables.ts'
import { WATCHED, ownWatchlist, textOf, watch, watchlistIn } from './watchlist.ts'

const place = () => part('rows')
/** Whether the rows are those of the document, which the address asks for if it has none of these parts. */
let isDocument = true
const PARTS = ['list', 'q', 'verified', 'sort']

async function showAsked(): Promise<void> {
  const query = new URLSearchParams(location.search)
  for (const tab of document.querySelectorAll<HTMLElement>('.tabs [data-list]'))
    tab.ariaCurrent = tab.dataset['list'] === (query.get('list') ?? 'all') ? 'page' : null
  control('verified', HTMLInputElement).checked = query.has('verified')
  const wasDocument = isDocument
  isDocument = !PARTS.some((name) => query.has(name))
  // A page as it was published needs nothing that draws rows.
  if (!isDocument) return (await import('./market-rows.tsx')).showRows(place(), query)
  if (!wasDocument) location.reload()
}

/** Changes the address, so that the way back leads here, and shows what it asks for. */
function ask(parts: ViewParts): void {
  history.pushState(null, '', addressWith({ page: null, ...parts }))
  void showAsked()
}

const NEXT_PERIOD: Readonly<Record<string, string>> = { day: 'week', week: 'hour', hour: 'day' }
onOrder('#market', (heading, { column, descending }, isPress) => {
  // Where a phone has room for one change, a press on its heading leads to the next period.
  if (!isPress || getComputedStyle(heading).getPropertyValue('--turns') === '')
    return ask({ sort: column, dir: descending ? 'desc' : 'asc' })
  const { dataset } = place()
  dataset['period'] = NEXT_PERIOD[dataset['period'] ?? 'day']
})

on('change', '#verified', HTMLInputElement, (box) => ask({ verified: box.checked ? '' : null }))

/** The styles hide the columns whose boxes are empty. */
const HIDDEN = 'columns'
const boxes = [...document.querySelectorAll<HTMLInputElement>('.columns input')]
for (const box of boxes) box.checked = saved(HIDDEN)?.split(' ').includes(box.value) !== true
on('change', '.columns input', HTMLInputElement, () =>
  keep(HIDDEN, boxes.flatMap(({ checked, value }) => (checked ? [] : value)).join(' ')),
)

addEventListener('popstate', () => void showAsked())
addEventListener('watchlist', () => {
  if (new URLSearchParams(location.search).get('list') === 'watchlist') void showAsked()
})
on('click', '[data-adopt]', HTMLElement, ({ dataset }) => {
  watch(watchlistIn(`${textOf(ownWatchlist())},${dataset['adopt'] ?? ''}`))
  ask({ list: 'watchlist', [WATCHED]: null })
})
void showAsked()
