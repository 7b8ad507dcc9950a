import { LOGOS, SEARCH_INDEX, TOKEN_PAGES, logoFile } from '../core/contract/site-files.ts'
import { ROOT, read } from './browser.ts'
import { currencyNow } from './currency.ts'
import { control, make, part } from './dom.ts'
import { price } from './format.ts'
import { type Hit, type SearchIndex, search } from './search.ts'
import { type Site, addressOf } from './site.tsx'

const MOST = 8

/** What is known of the site once somebody asks for more than a document has. */
type Known = Pick<Site, 'root' | 'logos' | 'pages'>

const slugsIn = (file: string): Promise<ReadonlySet<unknown>> =>
  read<readonly string[]>(file).then(
    (slugs) => new Set(slugs),
    () => new Set(),
  )

let known: Promise<Known> | null = null

export const knownSite = (): Promise<Known> =>
  (known ??= Promise.all([slugsIn(LOGOS.list), slugsIn(TOKEN_PAGES.list)]).then(([logos, pages]) => ({
    root: document.documentElement.dataset['root'] ?? './',
    logos,
    pages,
  })))

let index: Promise<SearchIndex> | null = null

/** Returns what fits a text, best first. @throws if the index cannot be read; the next text tries again */
export async function find(text: string): Promise<readonly Hit[]> {
  index ??= read<SearchIndex>(SEARCH_INDEX)
  index.catch(() => (index = null))
  return search(await index, text)
}

const FOLDERS = { token: 'token', exchange: 'exchanges', category: 'categories' } as const

function hitOf(site: Known, { kind, id, name, symbol, rank = null, price_usd = null }: Hit): Element {
  const address = site.logos.has(id) ? site.root + logoFile(id) : null
  const logo = make('span', { class: 'disc', 'aria-hidden': 'true' }, symbol.slice(0, 2).toUpperCase())
  if (address !== null) logo.replaceChildren(make('img', { src: address, alt: '', width: '24', height: '24' }))
  const title = make('span', { class: 'named' }, `${name} `, make('span', { class: 'ticker' }, symbol))
  const about =
    kind === 'token'
      ? [
          make('span', { class: 'soft' }, rank === null ? '' : `#${rank}`),
          make('span', { class: 'price' }, price(price_usd, currencyNow())),
        ]
      : [make('span', { class: 'badge' }, kind)]
  const link = { href: addressOf(site, FOLDERS[kind], id), tabindex: '-1' }
  return make('li', {}, make('a', link, ...(kind === 'token' ? [logo] : []), title, ...about))
}

/** Suggests what fits the text of the search field, which arrow keys walk. */
export function suggest(): void {
  const [form, field, list] = [part('search-form'), control('search', HTMLInputElement), part('found')]
  let latest = ''
  const show = async () => {
    const text = (latest = field.value.trim())
    if (text === '') return hide()
    const [site, hits] = await Promise.all([knownSite(), find(text)])
    if (text !== latest) return
    const all = new URL(`?q=${encodeURIComponent(text)}`, ROOT).href
    const last = hits.length === 0 ? 'No match. Show all coins' : 'All matches in the market'
    list.replaceChildren(
      ...hits.slice(0, MOST).map((hit) => hitOf(site, hit)),
      make('li', {}, make('a', { href: hits.length === 0 ? site.root : all, tabindex: '-1' }, last)),
    )
    list.hidden = false
  }
  const hide = () => {
    latest = ''
    list.hidden = true
  }
  const look = () => void show().catch(hide)
  field.addEventListener('input', look)
  field.addEventListener('focus', look)
  form.addEventListener('focusout', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && form.contains(relatedTarget))) hide()
  })
  form.addEventListener('keydown', (event) => {
    if (list.hidden) return
    const stops = [field, ...list.querySelectorAll<HTMLElement>('a')]
    const at = stops.findIndex((stop) => stop === document.activeElement)
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) stops[(at + step + stops.length) % stops.length]?.focus()
    else if (event.key === 'Escape') hide()
    else if (event.key === 'Enter' && at === 0) stops[1]?.click()
    else return
    event.preventDefault()
  })
  look()
}
