import { listAt, membersAt } from './json.ts'
import { SEARCH_IDS } from '../contract/site-files.ts'
import type { AssetRow } from '../client/answers.ts'
import { currencySwitch } from './currency.ts'
import { el, on, part, show, showAgain } from './dom.ts'
import { DOLLARS } from './format.ts'
import { api, empty, failure, frame, into, painted, tokenPage, ROOT } from './frame.ts'
import { keep, kept } from './kept.ts'
import { LISTS, type List } from './market-lists.ts'
import { BY_RANK, COLUMNS, type Order, type TableRow, answered, withoutFeed } from './market-rows.ts'
import { ROW_HEIGHT_PX, headings, nextOrder, rowView } from './market-table.ts'
import { totals } from './market-totals.ts'
import { movers } from './movers.ts'
import { ownLogos } from './own-logos.ts'
import { portfolio } from './portfolio.ts'
import { rowsInSight } from './rows-in-sight.ts'
import { type Watchlist, textOf, toggled, watchlistIn } from './watchlist.ts'

/** Number of rows shown before the full feed is loaded. */
const FIRST_ROWS = 100

/** Where the reader was when this entry of the history was left. */
const left: unknown = history.state
const asked = new URLSearchParams(location.search)
const state = {
  list: LISTS.find((list) => list === asked.get('list')) ?? 'all',
  words: asked.get('q') ?? '',
  verifiedOnly: asked.has('verified'),
  order: orderIn(asked),
}

function orderIn(query: URLSearchParams): Order | null {
  const column = COLUMNS.find((column) => column === query.get('sort'))
  return column ? { column, descending: query.get('dir') === 'desc' } : null
}

/** The order that the rows have. All listings are published by rank; the other lists by no column of the table. */
const shownOrder = (): Order | null => state.order ?? (state.list === 'all' ? BY_RANK : null)

/** Name of the watchlist in the address, where it was shared, and in the browser, where it is the reader's own. */
const WATCHED = 'watch'
const shared = asked.get(WATCHED)
let isShared = shared !== null
let watchlist: Watchlist = watchlistIn(shared ?? kept(WATCHED) ?? '')

/** Keeps another watchlist: in the browser, or in the address if it is somebody else's. */
function watch(next: Watchlist): void {
  watchlist = next
  if (!isShared) keep(WATCHED, textOf(watchlist))
  changed()
}

let feed: readonly TableRow[] = []
const lists = new Map<Exclude<List, 'all' | 'watchlist'>, readonly AssetRow[]>()

const table = el('div', { role: 'table', 'aria-label': 'Listings', class: 'table' })
const head = el('div', { role: 'rowgroup', class: 'sticky' })
const body = el('div', { role: 'rowgroup', class: 'rows' })
const place = part('table', HTMLElement)
const nothing = empty('No matching listings.')
const NO_STAR = 'Select the star of a listing to watch it.'
table.append(head, body)

const logos = ownLogos()
const ids = otherIdsOfSite()
const currency = currencySwitch(() => void currency.load().then(draw))
part('currency', HTMLElement).replaceWith(currency.element)

const showRows = rowsInSight<TableRow>({
  host: body,
  rowHeightPx: ROW_HEIGHT_PX,
  make: () =>
    rowView({
      currency: currency.current,
      logoOf: logos.of,
      isWatched: (slug) => watchlist.has(slug),
      toggle: (slug) => watch(toggled(watchlist, slug)),
    }),
})

/** Returns the full rows of the selected list: short lists lack some columns of the table. */
function rowsOf(list: List): readonly TableRow[] {
  if (list === 'all') return feed
  const bySlug = new Map(feed.map((row) => [row.slug, row]))
  const slugs = list === 'watchlist' ? [...watchlist.keys()] : (lists.get(list) ?? []).map(({ slug }) => slug)
  return slugs.flatMap((slug) => bySlug.get(slug) ?? [])
}

const holdings = part('portfolio', HTMLElement)
const held = portfolio((slug, amount) => watch(new Map([...watchlist, [slug, amount] as const])))
const adopt = on(el('button', { type: 'button', class: 'button' }, 'Keep as my watchlist'), {
  click: () => {
    isShared = false
    watch(watchlist)
  },
})
const copy = on(el('button', { type: 'button', class: 'button' }, 'Copy link'), {
  click: () => {
    const url = new URL('?list=watchlist', location.href)
    url.searchParams.set(WATCHED, textOf(watchlist))
    void navigator.clipboard.writeText(url.href).then(() => (copy.textContent = 'Copied'))
  },
})
holdings.append(held.element, el('p', { class: 'actions' }, copy, adopt))

function drawPortfolio(): void {
  holdings.hidden = state.list !== 'watchlist' || watchlist.size === 0
  adopt.hidden = !isShared
  if (!holdings.hidden) held.update({ watchlist, rows: rowsOf('watchlist'), currency: currency.current() })
}

function draw(): void {
  const rows = answered(rowsOf(state.list), { ...state, ids: ids.bySlug() })
  showAgain(
    head,
    headings(shownOrder(), (column) => {
      state.order = nextOrder(shownOrder(), column)
      changed()
    }),
  )
  table.setAttribute('aria-rowcount', String(rows.length + 1))
  nothing.hidden = rows.length > 0
  const isBare = state.list === 'watchlist' && watchlist.size === 0
  nothing.textContent = isBare ? NO_STAR : 'No matching listings.'
  showRows(rows)
  drawPortfolio()
}

/** Keeps the view in the URL, so that it can be shared. */
function changed(): void {
  const { list, words, verifiedOnly, order } = state
  const query = new URLSearchParams()
  const vs = new URLSearchParams(location.search).get('vs')
  if (vs !== null) query.set('vs', vs)
  if (list !== 'all') query.set('list', list)
  if (isShared) query.set(WATCHED, textOf(watchlist))
  if (words !== '') query.set('q', words)
  if (verifiedOnly) query.set('verified', '')
  if (order !== null) {
    query.set('sort', order.column)
    query.set('dir', order.descending ? 'desc' : 'asc')
  }
  history.replaceState(scrollY, '', query.size > 0 ? `?${query}` : location.pathname)
  draw()
}

function tabs(): void {
  const place = part('tabs', HTMLElement)
  place.classList.remove('waiting')
  showAgain(
    place,
    LISTS.map((list) =>
      on(el('button', { type: 'button', 'aria-pressed': String(list === state.list) }, list), {
        click: () => {
          state.list = list
          state.order = null
          tabs()
          void open().then(changed)
        },
      }),
    ),
  )
}

async function loadList(): Promise<void> {
  const { list } = state
  if (list === 'all' || list === 'watchlist' || lists.has(list)) return
  const { data } = await api[list]()
  lists.set(list, data.rows)
}

async function summary(): Promise<void> {
  // The footer shows the error.
  const [index, market] = await Promise.all([api.index(), api.global()]).catch(() => [null, null])
  if (index === null || market === null) return
  show(part('summary', HTMLElement), totals(market.data.global, index.data.generatedAt, currency.current()))
}

/** Shows the strongest movers, which stay as they were if they cannot be loaded. */
async function showMovers(): Promise<void> {
  const lists = await Promise.all([api.gainers({ limit: 3 }), api.losers({ limit: 3 })]).catch(() => null)
  if (lists === null) return
  const [gainers, losers] = lists
  show(part('movers', HTMLElement), movers(gainers.data.rows, losers.data.rows, feed))
}

const search = part('search', HTMLInputElement)
search.value = state.words
function openBest(): void {
  const [best] = answered(rowsOf(state.list), { ...state, ids: ids.bySlug() })
  if (best !== undefined) location.assign(tokenPage(best.slug))
}

/** Draws again what is searched for, once the ids of other services are known. */
const withIds = () =>
  void ids.load().then(() => {
    if (state.words !== '' && feed.length > 0) draw()
  })
if (state.words !== '') withIds()
on(search, {
  focus: withIds,
  input: () => {
    state.words = search.value
    changed()
  },
  keydown: (event) => {
    if (event.key === 'Enter' && state.words !== '') void ids.load().then(openBest)
    if (event.key !== 'ArrowDown') return
    event.preventDefault()
    place.querySelector<HTMLElement>('.rows .row:not([hidden]) .title a')?.focus()
  },
})
const verified = part('verified', HTMLInputElement)
verified.checked = state.verifiedOnly
on(verified, {
  change: () => {
    state.verifiedOnly = verified.checked
    changed()
  },
})
/** Whether the document already shows the first rows as they are asked for, until the full feed is loaded. */
let isBuilt = place.querySelector('.built') !== null && location.search === '' && currency.current() === DOLLARS

/** Shows the first rows at once, then the full feed. */
async function open(): Promise<void> {
  if (!isBuilt)
    await into(place, async () => {
      if (state.list === 'all' && feed.length === 0)
        feed = (await Promise.all([api.assets({ limit: FIRST_ROWS }), currency.load()]))[0].data.rows.map(withoutFeed)
      await loadList()
      return [table, nothing]
    })
  // Short lists need rows of the full feed, which is still loading.
  if (feed.length > 0) draw()
  try {
    await refresh()
    isBuilt = false
    scrollBack()
  } catch (error) {
    show(
      place,
      failure(error, () => void open()),
    )
  }
}

/** Returns to where the reader was before a reload: the rows come later than the browser scrolls back. */
function scrollBack(): void {
  if (typeof left === 'number') scrollTo(0, left)
}
addEventListener('scrollend', () => history.replaceState(scrollY, ''))

/** Reloads everything on the page. */
async function refresh(): Promise<void> {
  const [{ data }] = await Promise.all([api.markets(), loadList(), summary(), currency.load(), logos.load()])
  feed = data.rows
  if (isBuilt) show(place, table, nothing)
  draw()
  void showMovers()
}

await painted()
tabs()
await Promise.all([
  open(),
  frame(() => {
    lists.clear()
    // On failure the old rows stay, the footer shows the error, and the next snapshot triggers another try.
    void refresh().catch(() => undefined)
  }),
])

/** The ids of listings at other services. */
interface OtherIds {
  /** Returns them by slug; empty until they are loaded. */
  readonly bySlug: () => ReadonlyMap<string, readonly string[]>
  /** Loads them once, for the first search of a visit. After a failure they find nothing. */
  readonly load: () => Promise<void>
}

function otherIdsOfSite(): OtherIds {
  let bySlug: ReadonlyMap<string, readonly string[]> = new Map()
  let loading: Promise<void> | null = null
  const read = async () => {
    const response = await fetch(new URL(SEARCH_IDS, ROOT))
    if (!response.ok) return
    bySlug = new Map(membersAt(await response.json()).map(([slug, ids]) => [slug, listAt(ids).map(String)]))
  }
  return { bySlug: () => bySlug, load: () => (loading ??= read().catch(() => undefined)) }
}
