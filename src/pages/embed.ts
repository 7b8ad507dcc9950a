import type { Asset } from '../client/answers.ts'
import { methodsOf } from '../client/transport.ts'
import { ApiError, NotFoundError } from '../client/errors.ts'
import { isSlug } from '../client/route.ts'
import { make } from './browser.ts'
import { UNKNOWN, change, day, moment, price, tone } from './format.ts'
import { VIEW_BOX, chartGridOf, pathOf } from './line.ts'

/**
 * Elements for any page: `<quote-price slug>`, `<quote-ticker slugs>` and `<quote-chart slug days>`. They read the tree
 * that this script lies in, follow its snapshots, and take colours from CSS variables.
 */
const api = methodsOf({ mirrors: new URL('.', import.meta.url).href })

const LOOK_MS = 60_000
const shown = new Set<QuoteElement>()
let newest: string | null = null

async function look(): Promise<void> {
  if (shown.size === 0 || document.visibilityState === 'hidden') return
  const { timestamp } = (await api.head()).data
  if (newest !== null && timestamp !== newest) for (const element of shown) element.draw()
  newest = timestamp
}
const looked = () => void look().catch(() => {})
setInterval(looked, LOOK_MS)
document.addEventListener('visibilitychange', looked)

const STYLE = new CSSStyleSheet()
STYLE.replaceSync(`
:host { display: inline-block; font-variant-numeric: tabular-nums; }
:host(quote-chart) { display: block; }
:host([hidden]) { display: none; }
:host([stale]) { opacity: 0.6; }
[data-tone='up'] { color: var(--quote-up, light-dark(#0a7d4f, #3ecf8e)); }
[data-tone='down'] { color: var(--quote-down, light-dark(#c2322d, #ff7b72)); }
ul { display: flex; flex-wrap: wrap; gap: 0.25em 1.5em; margin: 0; padding: 0; list-style: none; }
b { font-weight: 600; unicode-bidi: isolate; }
figure { margin: 0; }
svg { display: block; width: 100%; height: auto; }
path { fill: none; stroke: var(--quote-line, currentColor); stroke-width: 1.5; vector-effect: non-scaling-stroke; }
figcaption { display: flex; flex-wrap: wrap; gap: 0 1em; justify-content: space-between; white-space: nowrap; font-size: 0.85em; color: var(--quote-soft, inherit); }
`)

const slugsOf = (element: HTMLElement): readonly string[] =>
  (element.getAttribute('slugs')?.split(/[\s,]+/) ?? [element.getAttribute('slug') ?? ''])
    .map((slug) => slug.trim().toLowerCase())
    .filter(Boolean)

class QuoteElement extends HTMLElement {
  static readonly observedAttributes = ['slug', 'slugs', 'days']
  readonly #root = this.attachShadow({ mode: 'open' })
  #connected: AbortController | null = null

  connectedCallback(): void {
    this.#root.adoptedStyleSheets = [STYLE]
    shown.add(this)
    this.draw()
    if (newest === null) looked()
  }

  draw(): void {
    this.#connected?.abort()
    const { signal } = (this.#connected = new AbortController())
    const [slug = ''] = slugsOf(this)
    const show = (title: string, content: Element | string | null): void => {
      if (signal.aborted) return
      this.title = title
      const [first] = this.#root.children
      const place = first ?? this.#root.appendChild(make('span', { part: 'quote' }))
      if (content !== null || !first) place.replaceChildren(content ?? UNKNOWN)
    }
    const load = ELEMENTS[this.localName] ?? quotePrice
    load(this, slug, signal).then(
      ({ content, timestamp, stale }) => {
        show(`As of ${moment(timestamp)}`, content)
        if (!signal.aborted) this.toggleAttribute('stale', stale)
      },
      // What was shown before stays while no host answers. It is of another asset where this one does not exist.
      (error: unknown) => show(reasonOf(error, slug), error instanceof ApiError ? UNKNOWN : null),
    )
  }

  disconnectedCallback(): void {
    shown.delete(this)
    this.#connected?.abort()
    this.#connected = null
  }

  attributeChangedCallback(): void {
    if (this.#connected) this.draw()
  }
}

/** Returns why an asset cannot be shown. */
function reasonOf(error: unknown, slug: string): string {
  if (slug === '') return 'No slug is given.'
  if (!isSlug(slug) || error instanceof NotFoundError) return `There is no asset ${slug}.`
  return error instanceof Error ? error.message : String(error)
}

type Shown = Readonly<{ content: Element | string; timestamp: string; stale: boolean }>
type Load = (element: HTMLElement, slug: string, signal: AbortSignal) => Promise<Shown>

const assetAs =
  (contentOf: (asset: Asset) => Element | string): Load =>
  async (_, slug, signal) => {
    const { data, stale } = await api.asset(slug, { signal })
    return { content: contentOf(data.asset), timestamp: data.timestamp, stale }
  }

const quotePrice = assetAs(({ price_usd: known }) =>
  known === null ? UNKNOWN : make('data', { value: String(known) }, price(known)),
)

const quoteItem = assetAs(({ name, symbol, price_usd, percent_change_24h: moved }) => {
  const percent = make('span', { 'data-tone': tone(moved) }, change(moved))
  return make('li', { title: name }, make('b', {}, symbol), ` ${price(price_usd)} `, percent)
})

const quoteTicker: Load = async (element, _, signal) => {
  const unknown = (name: string) => (error: unknown) => {
    if (!(error instanceof ApiError)) throw error
    return make('li', { title: reasonOf(error, name) }, make('b', {}, name), ` ${UNKNOWN}`)
  }
  const asked = slugsOf(element).map((name) => quoteItem(element, name, signal).catch(unknown(name)))
  const items = await Promise.all(asked)
  const known = items.find((item) => 'timestamp' in item)
  if (known === undefined) throw new TypeError('No asset of these names is known.')
  return { ...known, content: make('ul', {}, ...items.map((item) => ('timestamp' in item ? item.content : item))) }
}

const DAYS = [1, 7, 30, 90, 365] as const

const quoteChart: Load = async (element, asked, signal) => {
  const days = DAYS.find((range) => String(range) === element.getAttribute('days')) ?? 7
  const { data, stale } = await api.history(asked, { days, signal })
  const { slug, rows, timestamp } = data
  const path = pathOf(chartGridOf(data).at.map((row) => row?.price_usd ?? null))
  const [first, last] = [rows[0], rows.at(-1)]
  if (path === null || !first || !last) {
    const known = rows.length === 1 ? 'one price' : 'no price'
    const words = `No line yet: ${known} in ${days === 1 ? 'a day' : `${days} days`}.`
    return { timestamp, stale, content: make('figure', {}, make('figcaption', {}, words)) }
  }
  const prices = rows.map(({ price_usd }) => price_usd)
  const [low, high] = [price(Math.min(...prices)), price(Math.max(...prices))]
  const moved = change((last.price_usd / first.price_usd - 1) * 100)
  const words = `${slug}: ${price(first.price_usd)} to ${price(last.price_usd)} (${moved}), low ${low}, high ${high}`
  const captions = [day(first.timestamp), `${low} – ${high}`, day(last.timestamp)].map((text) => make('span', {}, text))
  const drawing = make('svg', { viewBox: VIEW_BOX, preserveAspectRatio: 'none' }, make('path', { d: path }))
  const figure = make('figure', { role: 'img', 'aria-label': words }, drawing, make('figcaption', {}, ...captions))
  return { timestamp, stale, content: figure }
}

const ELEMENTS: Readonly<Record<string, Load>> = {
  'quote-price': quotePrice,
  'quote-ticker': quoteTicker,
  'quote-chart': quoteChart,
}
// A page may load this script from two addresses.
for (const name of Object.keys(ELEMENTS))
  if (!customElements.get(name)) customElements.define(name, class extends QuoteElement {})
