import { type ComponentChildren, render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { IndexAnswer } from '../client/answers.ts'
import { LOGOS, TOKEN_PAGES } from '../contract/site-files.ts'
import { api, fileOfSite } from './api.ts'
import { CurrencySwitch, type Rates, ratesIn, shownIn } from './currency.tsx'
import { DOLLARS, ago, count } from './format.ts'
import { Time } from './figures.tsx'
import { keep, keepInAddress, kept } from './kept.ts'
import { Failure, PartsMissing } from './loaded.tsx'
import { SearchForm } from './search-form.tsx'
import { NO_SITE, NowContext, SAMPLE_NOTICE, type Site, SiteContext } from './site.tsx'

/** Interval at which a page checks for a new snapshot, and at which it says again how long ago something was. */
const ASK_AGAIN_MS = 60_000
const TICK_MS = 30_000

const html = document.documentElement

/** Relative address of the site's root from this page. */
const root = html.dataset['root'] ?? './'

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
  money.rates = ratesIn((await api.rates()).data)
  money.redraw()
}

/** Draws the switch of the currency. `changed` is called when another one is chosen. */
function currencySwitch(changed: () => void): void {
  const named = html.dataset['currencies']?.split(' ') ?? null
  const read = async () => (money.rates === null ? readRates().catch(() => {}) : undefined)
  const choose = (symbol: string) => {
    money.chosen = symbol
    keepInAddress({ [CURRENCY]: symbol === DOLLARS.symbol ? null : symbol.toLowerCase() })
    keep(CURRENCY, symbol.toLowerCase())
    void read().then(changed)
    money.redraw()
  }
  money.redraw = () =>
    render(<CurrencySwitch {...money} named={named} read={() => void read()} choose={choose} />, part('currency'))
  money.redraw()
}

/** Reads a list of slugs. After a failure it has none. */
const readSlugs = (file: string): Promise<ReadonlySet<unknown>> =>
  fileOfSite(file).then(
    (slugs) => new Set(Array.isArray(slugs) ? slugs : []),
    () => new Set(),
  )

const [tokenPages, tokenLogos] = [readSlugs(TOKEN_PAGES.list), readSlugs(LOGOS.list)]

/** Returns why the figures of a page are not the newest; null: they are, as far as the page can know. */
function lateness(index: IndexAnswer | null, answers: boolean): string | null {
  const published = index && `published ${ago(index.generatedAt, Date.now())}`
  if (!answers)
    return `The site does not answer. The page keeps its figures${published === null ? '' : `, ${published},`} and asks again every minute.`
  if (index === null || Date.parse(index.staleAfter) >= Date.now()) return null
  return `The data is stale. It was ${published}, and the next snapshot is overdue.`
}

/** Shows what is to be known before the figures are read. `index` is the last one; `answers`: whether it was just read. */
function banner(index: IndexAnswer | null, answers: boolean): void {
  const late = lateness(index, answers)
  const place = part('banner')
  const isSample = index?.label.startsWith('sample') ?? place.textContent.includes(SAMPLE_NOTICE)
  document.body.classList.toggle('late', late !== null)
  place.hidden = late === null && !isSample
  render(
    <>
      {isSample && <p>{SAMPLE_NOTICE}</p>}
      {/* Only the reader's browser knows, so this comes late: it is at the foot of the window and moves nothing. */}
      {late !== null && <p class="late">{late}</p>}
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
    const button = target instanceof Element ? target.closest<HTMLElement>('.copy, [data-copy]') : null
    const text = button?.dataset['copy'] ?? button?.previousElementSibling?.textContent
    if (button === null || text == null) return
    // Pages without https have no clipboard.
    const copied = async () => navigator.clipboard.writeText(text)
    copied().then(
      () => (button.textContent = 'Copied'),
      () => (button.textContent = 'Select and copy'),
    )
  })
}

/**
 * Sets up what surrounds the content of a page. `answered` is called when the site answered, with whether it has a new snapshot
 * or did not answer before; `converted` when another currency is chosen.
 */
export async function surround(answered = (_isNews: boolean) => {}, converted = () => {}): Promise<void> {
  themeButton()
  currencySwitch(converted)
  searchKey()
  plainDigits()
  copyButtons()
  const drawSearch = (known: Partial<Site>) =>
    render(<SearchForm {...NO_SITE} root={root} {...known} />, part('search-place'))
  drawSearch({})
  void Promise.all([tokenPages, tokenLogos]).then(([pages, logos]) => drawSearch({ pages, logos }))
  let last: IndexAnswer | null = null
  let isReachable = true
  const look = async () => {
    const index = await api.index().then(
      ({ data }) => data,
      () => null,
    )
    const isNews = !isReachable || (last !== null && last.snapshotId !== index?.snapshotId)
    isReachable = index !== null
    last = index ?? last
    banner(last, isReachable)
    if (index === null) return
    render(<Published {...index} />, part('as-of'))
    answered(isNews)
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

/** Returns a part that the page can do without: null, and a notice with its name, if it cannot be loaded. */
export type Optional = <Part>(name: string, part: Promise<Part>) => Promise<Part | null>

/** Shows a page, such as with what is there before the rest. Resolves when the browser has painted it. */
export type Show<Data> = (data: Data) => Promise<void>

/** What a page loads, and how it shows it. */
interface Program<Data> {
  /** Loads the content, now and for each new snapshot. */
  readonly load: (signal: AbortSignal, optional: Optional, show: Show<Data>) => Promise<Data>
  readonly view: (data: Data) => ComponentChildren
}

/** Draws the content of a page in place of its document. That stays where a component fails: another release may lack a member. */
function takeOver(content: ComponentChildren): void {
  const main = part('main')
  // A clone of its elements takes ten times as long as their text.
  const before = html.dataset['live'] === undefined ? main.innerHTML : null
  try {
    // With its place: Preact takes what the view lacks out of an element that it draws, but not out of one that it draws into.
    render(
      <>
        <div id="trouble" />
        <div id="page">
          <Clock>{content}</Clock>
        </div>
      </>,
      main,
    )
  } catch (error) {
    if (before !== null) {
      const again = document.createElement('main')
      Object.assign(again, { id: main.id, tabIndex: main.tabIndex, innerHTML: before })
      main.replaceWith(again)
    }
    throw error
  }
  html.dataset['live'] = ''
}

/**
 * Takes over a document: its content stays until the same components show what was loaded, in the same elements. If nothing
 * can be loaded, the document stays with a notice.
 */
export async function start<Data>({ load, view }: Program<Data>): Promise<void> {
  let site: Site = { ...NO_SITE, root }
  let shown: { readonly data: Data } | null = null
  let running = new AbortController()
  let isIncomplete = false
  const draw = () => {
    if (shown === null) return
    const currency = shownIn(money.chosen, money.rates)
    if (currency.symbol !== site.currency.symbol || currency.price_usd !== site.currency.price_usd)
      site = { ...site, currency }
    takeOver(<SiteContext.Provider value={site}>{view(shown.data)}</SiteContext.Provider>)
  }
  const refresh = async () => {
    running.abort()
    running = new AbortController()
    const { signal } = running
    part('page').setAttribute('aria-busy', 'true')
    const missing: string[] = []
    const optional: Optional = (name, part) =>
      part.catch(() => {
        missing.push(name)
        return null
      })
    isIncomplete = false
    try {
      const rates = money.chosen === DOLLARS.symbol ? undefined : optional('the rates of currencies', readRates())
      const around = Promise.all([tokenLogos, tokenPages, rates])
      const show: Show<Data> = async (data) => {
        const [logos, pages] = await around
        if (signal.aborted) return
        if (site.logos !== logos) site = { ...site, logos, pages }
        shown = { data }
        draw()
        await painted()
      }
      await show(await load(signal, optional, show))
      if (signal.aborted) return
      if (missing.length > 0) throw new PartsMissing(missing)
      render(null, part('trouble'))
    } catch (error) {
      if (signal.aborted) return
      isIncomplete = true
      if (html.dataset['live'] === undefined) part('page').querySelector(':scope > .loading')?.remove()
      render(<Failure error={error} retry={() => void refresh()} />, part('trouble'))
    }
    part('page').removeAttribute('aria-busy')
  }
  const answered = (isNews: boolean) => {
    if (isNews || isIncomplete) void refresh()
  }
  await painted()
  await Promise.all([refresh(), surround(answered, draw)])
}
