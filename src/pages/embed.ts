import { PREFIX } from '../contract/prefix.ts'
import { liveClient } from '../client/live-client.ts'
import { mirrorAt } from '../client/mirror.ts'
import { httpClient } from '../client/request.ts'
import { el, show } from './dom.ts'
import { UNKNOWN, change, moment, price, tone } from './format.ts'
import { lineChart } from './line-chart.ts'

/**
 * Elements for any page: `<quote-price slug>`, `<quote-ticker slugs>` and `<quote-chart slug days>`. They read the tree
 * that this script lies in, follow its snapshots, and take colours from CSS variables.
 */
const api = liveClient({
  mirrors: [mirrorAt(new URL('.', import.meta.url).href, PREFIX)],
  http: httpClient({ fetch: (...request) => fetch(...request), timeoutMs: 10_000, cacheSize: 100 }),
  maxStaleMs: Infinity,
  now: Date.now,
})

const STYLE = new CSSStyleSheet()
STYLE.replaceSync(`
:host { display: inline-block; font-variant-numeric: tabular-nums; }
:host([hidden]) { display: none; }
:host([stale]) { opacity: 0.6; }
[data-tone='up'] { color: var(--quote-up, #0a7d4f); }
[data-tone='down'] { color: var(--quote-down, #c2322d); }
ul { display: flex; flex-wrap: wrap; gap: 0.25em 1.5em; margin: 0; padding: 0; list-style: none; }
b { font-weight: 600; }
figure { margin: 0; }
svg { display: block; width: 100%; height: auto; }
path { fill: none; stroke: var(--quote-line, currentColor); stroke-width: 1.5; vector-effect: non-scaling-stroke; }
figcaption { display: flex; justify-content: space-between; font-size: 0.85em; color: var(--quote-soft, inherit); }
`)

/** An element that is drawn when it is added, when an attribute changes, and when a watched price changes. */
abstract class QuoteElement extends HTMLElement {
  readonly #root = this.attachShadow({ mode: 'open' })
  #connected: AbortController | null = null

  constructor() {
    super()
    this.#root.adoptedStyleSheets = [STYLE]
  }

  /** Slugs of the assets that it shows. */
  abstract slugs(): readonly string[]
  /** Its content. */
  abstract content(prices: Readonly<Record<string, number>>, signal: AbortSignal): Promise<Element> | Element

  connectedCallback(): void {
    this.#connected?.abort()
    const { signal } = (this.#connected = new AbortController())
    const failed = (error: unknown): void => {
      if (signal.aborted) return
      this.title = error instanceof Error ? error.message : String(error)
      // What was shown before stays.
      if (this.#root.childElementCount === 0) show(this.#container(), UNKNOWN)
    }
    try {
      api.watch(
        this.slugs(),
        ({ prices, timestamp, stale }) => {
          this.toggleAttribute('stale', stale)
          this.title = `As of ${moment(timestamp)}`
          Promise.resolve(this.content(prices, signal)).then((content) => {
            if (!signal.aborted) show(this.#container(), content)
          }, failed)
        },
        { signal, onError: failed },
      )
    } catch (error) {
      // An attribute is no slug. The page of others sees no error, and what was shown is of another.
      show(this.#container(), UNKNOWN)
      failed(error)
    }
  }

  disconnectedCallback(): void {
    this.#connected?.abort()
    this.#connected = null
  }

  attributeChangedCallback(): void {
    if (this.#connected) this.connectedCallback()
  }

  #container(): Element {
    const [first] = this.#root.children
    return first ?? this.#root.appendChild(el('span', { part: 'quote' }))
  }
}

const named = (value: string | null): string => (value ?? '').trim().toLowerCase()

class QuotePrice extends QuoteElement {
  static readonly observedAttributes = ['slug']
  override slugs(): readonly string[] {
    return [named(this.getAttribute('slug'))]
  }
  override content(prices: Readonly<Record<string, number>>): Element {
    const [slug = ''] = this.slugs()
    return el('data', { value: prices[slug] }, price(prices[slug] ?? null))
  }
}

class QuoteTicker extends QuoteElement {
  static readonly observedAttributes = ['slugs']
  override slugs(): readonly string[] {
    return named(this.getAttribute('slugs'))
      .split(/[\s,]+/)
      .filter((slug) => slug !== '')
  }
  override async content(_: unknown, signal: AbortSignal): Promise<Element> {
    const answers = await Promise.all(this.slugs().map((slug) => api.asset(slug, { signal })))
    const items = answers.map(({ data: { asset } }) =>
      el(
        'li',
        { title: asset.name },
        el('b', {}, asset.symbol),
        ` ${price(asset.price_usd)} `,
        el('span', { 'data-tone': tone(asset.percent_change_24h) }, change(asset.percent_change_24h)),
      ),
    )
    return el('ul', {}, ...items)
  }
}

const DAYS = [1, 7, 30, 90, 365] as const

class QuoteChart extends QuoteElement {
  static readonly observedAttributes = ['slug', 'days']
  override slugs(): readonly string[] {
    return [named(this.getAttribute('slug'))]
  }
  override async content(_: unknown, signal: AbortSignal): Promise<Element> {
    const [slug = ''] = this.slugs()
    const days = DAYS.find((range) => String(range) === this.getAttribute('days')) ?? 7
    return lineChart((await api.history(slug, { days, signal })).data)
  }
}

const ELEMENTS = { 'quote-price': QuotePrice, 'quote-ticker': QuoteTicker, 'quote-chart': QuoteChart }
// A page may load this script from two addresses.
for (const [name, element] of Object.entries(ELEMENTS))
  if (!customElements.get(name)) customElements.define(name, element)
