import { once } from '../core/contract/once.ts'
import { SEARCH_INDEX, SITE_FACTS, logoFile } from '../core/contract/site-files.ts'
import { ROOT, control, make, part, read } from './browser.ts'
import { currencyNow } from './currency.ts'
import { price } from './format.ts'
import { type Hit, type SearchIndex, search } from './search.ts'
import { FOLDERS, NO_FACTS, type Site, type SiteFacts, addressOf, siteAround } from './site.tsx'

const MOST = 8

/** Returns what is known of the site once somebody asks for more than a document has. */
export const knownSite = once(async () => {
  const facts = await read<SiteFacts>(SITE_FACTS).catch(() => NO_FACTS)
  return siteAround(facts, ROOT.href, ROOT.href, true)
})

const index = once(() => read<SearchIndex>(SEARCH_INDEX))

/** Returns what fits a text, best first. @throws if the index cannot be read */
export const find = async (text: string): Promise<readonly Hit[]> => search(await index(), text)

const span = (name: string, ...children: readonly (Element | string)[]) => make('span', { class: name }, ...children)
const item = (href: string, ...children: readonly (Element | string)[]) =>
  make('li', {}, make('a', { href, tabindex: '-1' }, ...children))

function hitOf(site: Site, { kind, id, name, symbol, rank = null, price_usd = null }: Hit): Element {
  const address = addressOf(site, FOLDERS[kind], id)
  const title = span('named', `${name} `, span('ticker', symbol))
  if (kind !== 'token') return item(address, title, span('badge', kind))
  const image = { src: site.root + logoFile(id), alt: '', width: '24', height: '24' }
  const logo = span('disc', site.logos.has(id) ? make('img', image) : symbol.slice(0, 2).toUpperCase())
  logo.ariaHidden = 'true'
  const place = span('soft', rank === null ? '' : `#${rank}`)
  return item(address, logo, title, place, span('price', price(price_usd, currencyNow())))
}

/** Suggests what fits the text of the search field, which arrow keys walk. */
export function suggest(): void {
  const [form, field, list] = [part('search-form'), control('search', HTMLInputElement), part('found')]
  let latest = ''
  const hide = () => {
    latest = ''
    list.hidden = true
  }
  const show = async () => {
    const text = (latest = field.value.trim())
    if (text === '') return hide()
    const [site, hits] = await Promise.all([knownSite(), find(text)])
    if (text !== latest) return
    const all = new URL(`?q=${encodeURIComponent(text)}`, ROOT).href
    const last = hits[0] ? item(all, 'All matches in the market') : item(site.root, 'No match. Show all coins')
    list.replaceChildren(...hits.slice(0, MOST).map((hit) => hitOf(site, hit)), last)
    list.hidden = false
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
