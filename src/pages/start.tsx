import { type ComponentChildren, render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { IndexAnswer } from '../client/answers.ts'
import { LOGOS, TOKEN_PAGES } from '../contract/site-files.ts'
import { api, fileOfSite } from './api.ts'
import { CurrencySwitch, type Rates, ratesIn, shownIn } from './currency.tsx'
import { DOLLARS, ago, count } from './format.ts'
import { Time } from './figures.tsx'
import { keep, keepInAddress, kept } from './kept.ts'
import { Failure, sentenceOf } from './loaded.tsx'
import { SearchForm } from './search-form.tsx'
import { NO_SITE, NowContext, SAMPLE_NOTICE, type Site, SiteContext } from './site.tsx'

/** Interval at which a page checks for a new snapshot, and at which it says again how long ago something was. */
const ASK_AGAIN_MS = 60_000
const TICK_MS = 30_000

const html = document.documentElement

/** Relative address of the site's root from this page. */
const root = html.dataset['root'] ?? './'

/** Returns the id of the thing that the address names: `/token/bitcoin`, `/token/bitcoin.html` or `/token/?id=bitcoin`; `''`: none. */
export function idHere(): string {
  const [, name = ''] = /\/(?:token|exchanges|categories)\/([^/]+?)(?:\.html)?$/.exec(location.pathname) ?? []
  return new URLSearchParams(location.search).get('id') ?? (name === 'index' ? '' : decodeURIComponent(name))
}

/** Returns the element with an id. @throws if the page has none */
function part(id: string): HTMLElement {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`the page has no ${id}`)
  return found
}

/** Passes the present time on, to what says how long ago something was. */
function Clock({ children }: { readonly children: ComponentChildren }) {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  return <NowContext.Provider value={now}>{children}</NowContext.Provider>
}

/** Name of the currency's parameter in the address, and of the value that the browser keeps. */
const CURRENCY = 'vs'
const money: { chosen: string; rates: Rates; redraw: () => void } = {
  chosen: (new URLSearchParams(location.search).get(CURRENCY) ?? kept(CURRENCY) ?? DOLLARS.symbol).toUpperCase(),
  rates: null,
  // Once they are read, the switch no longer offers a currency without a rate.
  redraw: () => {},
}

/** Reads the rates. A failure leaves the amounts in dollars. */
async function readRates(): Promise<void> {
  const answer = await api.rates().catch(() => null)
  if (answer === null) return
  money.rates = ratesIn(answer.data)
  money.redraw()
}

/** Draws the switch of the currency. `changed` is called when another one is chosen. */
function currencySwitch(changed: () => void): void {
  const named = html.dataset['currencies']?.split(' ') ?? null
  const draw = () => render(<CurrencySwitch {...{ ...money, named, read, choose }} />, part('currency'))
  const read = () => {
    if (money.rates === null) void readRates()
  }
  const choose = (symbol: string) => {
    money.chosen = symbol
    keepInAddress({ [CURRENCY]: symbol === DOLLARS.symbol ? null : symbol.toLowerCase() })
    keep(CURRENCY, symbol.toLowerCase())
    void (money.rates === null ? readRates() : Promise.resolve()).then(changed)
    draw()
  }
  money.redraw = draw
  draw()
}

/** Reads a list of slugs. After a failure it has none. */
const readSlugs = (file: string): Promise<ReadonlySet<unknown>> =>
  fileOfSite(file).then(
    (slugs) => new Set(Array.isArray(slugs) ? slugs : []),
    () => new Set(),
  )

const [tokenPages, tokenLogos] = [readSlugs(TOKEN_PAGES.list), readSlugs(LOGOS.list)]

function banner({ label, staleAfter, generatedAt }: IndexAnswer): void {
  const isLate = Date.parse(staleAfter) < Date.now()
  const isSample = label.startsWith('sample')
  document.body.classList.toggle('late', isLate)
  const place = part('banner')
  place.hidden = !isLate && !isSample
  render(
    <>
      {isSample && <p>{SAMPLE_NOTICE}</p>}
      {/* Only the reader's clock knows, so this comes late: it is at the foot of the window and moves nothing. */}
      {isLate && (
        <p class="late">
          The data is stale. It was published {ago(generatedAt, Date.now())}, and the next snapshot is overdue.
        </p>
      )}
    </>,
    place,
  )
}

const Published = ({ generatedAt, snapshotId, listings, label, attributions }: IndexAnswer) => (
  <Clock>
    {count(listings)} listings, {label}. Published <Time at={generatedAt} />, snapshot <code>{snapshotId}</code>.
    {attributions.map(({ text, url }) => (
      <>
        {' '}
        <a href={url} rel="noopener">
          {text}
        </a>
        .
      </>
    ))}
  </Clock>
)

const THEMES = ['auto', 'light', 'dark'] as const

function themeButton(): void {
  const button = part('theme')
  const current = () => THEMES.find((theme) => theme === html.dataset['theme']) ?? 'auto'
  const label = () => {
    button.textContent = { auto: '◐', light: '○', dark: '●' }[current()]
    button.title = `Colours: ${current()}`
    button.setAttribute('aria-label', button.title)
  }
  button.addEventListener('click', () => {
    const next = THEMES[(THEMES.indexOf(current()) + 1) % THEMES.length] ?? 'auto'
    html.dataset['theme'] = next
    keep('theme', next)
    label()
    dispatchEvent(new Event('themechange'))
  })
  label()
}

/** The key `/` leads to the search. */
function searchKey(): void {
  addEventListener('keydown', (event) => {
    const { target, key, ctrlKey, metaKey, altKey } = event
    const isTyping =
      target instanceof Element && target.matches('input:not([type=checkbox], [type=radio]), textarea, select')
    if (key !== '/' || isTyping || ctrlKey || metaKey || altKey) return
    event.preventDefault()
    part('search').focus()
  })
}

/** Returns what is selected with plain digits in place of figures, and a tab between cells; null: it has no figure. */
function plainText(selection: Selection): string | null {
  const around = selection.anchorNode?.parentElement?.closest('data')
  if (around?.contains(selection.focusNode)) return around.value
  const holder = document.createElement('div')
  for (let at = 0; at < selection.rangeCount; at++) holder.append(selection.getRangeAt(at).cloneContents())
  const figures = holder.querySelectorAll('data')
  for (const figure of figures) figure.textContent = figure.value
  for (const cell of holder.querySelectorAll('td, [role=cell]')) cell.prepend('\t')
  for (const row of holder.querySelectorAll('tr, [role=row]')) row.append('\n')
  return figures.length === 0 ? null : holder.textContent
}

/** Copies figures as plain digits: `0.00000012` for `$0.0₆12`. */
function plainDigits(): void {
  document.addEventListener('copy', (event) => {
    const selection = getSelection()
    const text = selection === null || selection.isCollapsed ? null : plainText(selection)
    if (text === null) return
    event.clipboardData?.setData('text/plain', text)
    event.preventDefault()
  })
}

/** Copies what a button names, and says so. */
function copyButtons(): void {
  document.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>('.copy') : null
    const text = button?.dataset['copy'] ?? button?.previousElementSibling?.textContent
    if (button === null || text == null) return
    navigator.clipboard.writeText(text).then(
      () => (button.textContent = 'Copied'),
      () => (button.textContent = 'Select and copy'),
    )
  })
}

interface Events {
  /** A new snapshot is published. */
  readonly published?: () => void
  /** Another currency is chosen. */
  readonly converted?: () => void
}

/** Sets up what surrounds the content of a page. */
export async function surround({ published = () => {}, converted = () => {} }: Events = {}): Promise<void> {
  themeButton()
  currencySwitch(converted)
  searchKey()
  plainDigits()
  copyButtons()
  const drawSearch = (known: Partial<Site>) =>
    render(<SearchForm {...NO_SITE} root={root} {...known} />, part('search-place'))
  drawSearch({})
  void Promise.all([tokenPages, tokenLogos]).then(([pages, logos]) => drawSearch({ pages, logos }))
  let snapshotId: string | null = null
  const look = async () => {
    try {
      const { data: index } = await api.index()
      banner(index)
      render(<Published {...index} />, part('as-of'))
      if (snapshotId !== null && snapshotId !== index.snapshotId) published()
      snapshotId = index.snapshotId
    } catch (error) {
      render(sentenceOf(error), part('as-of'))
    }
  }
  setInterval(() => {
    if (document.visibilityState === 'visible') void look()
  }, ASK_AGAIN_MS)
  await look()
}

/**
 * Resolves when the browser has painted the document, so that no program delays what the reader sees first; at once where
 * the page is hidden.
 */
const painted = (): Promise<void> =>
  document.visibilityState === 'hidden'
    ? Promise.resolve()
    : new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))

/** What a page loads, and how it shows it. */
interface Program<Data> {
  /** Loads the content, now and for each new snapshot. */
  readonly load: (signal: AbortSignal) => Promise<Data>
  readonly view: (data: Data) => ComponentChildren
}

/**
 * Takes over a document: its content stays until the same components show what was loaded, in the same elements. If nothing
 * can be loaded, the document stays with a notice.
 */
export async function start<Data>({ load, view }: Program<Data>): Promise<void> {
  const place = part('page')
  let site: Site = { ...NO_SITE, root }
  let shown: { readonly data: Data } | null = null
  let running = new AbortController()
  const draw = () => {
    if (shown === null) return
    const currency = shownIn(money.chosen, money.rates)
    if (currency.symbol !== site.currency.symbol || currency.price_usd !== site.currency.price_usd)
      site = { ...site, currency }
    render(
      <SiteContext.Provider value={site}>
        <Clock>{view(shown.data)}</Clock>
      </SiteContext.Provider>,
      place,
    )
    html.dataset['live'] = ''
  }
  const refresh = async () => {
    running.abort()
    running = new AbortController()
    const { signal } = running
    place.setAttribute('aria-busy', 'true')
    try {
      const rates = money.chosen === DOLLARS.symbol ? undefined : readRates()
      const [data, logos, pages] = await Promise.all([load(signal), tokenLogos, tokenPages, rates])
      if (signal.aborted) return
      if (site.logos !== logos) site = { ...site, logos, pages }
      shown = { data }
      render(null, part('trouble'))
      draw()
    } catch (error) {
      if (signal.aborted) return
      const isEmpty = place.querySelector('.loading') !== null
      if (isEmpty) place.replaceChildren()
      render(<Failure error={error} retry={() => void refresh()} />, part('trouble'))
    }
    place.removeAttribute('aria-busy')
  }
  await painted()
  await Promise.all([refresh(), surround({ published: () => void refresh(), converted: draw })])
}
