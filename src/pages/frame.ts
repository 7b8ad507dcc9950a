import { PREFIX } from '../contract/prefix.ts'
import { liveClient } from '../client/live-client.ts'
import type { IndexAnswer } from '../client/answers.ts'
import { ApiError } from '../client/errors.ts'
import { mirrorAt } from '../client/mirror.ts'
import { httpClient } from '../client/request.ts'
import { type Child, el, on, part, show } from './dom.ts'
import { ago, count, moment } from './format.ts'
import { keep } from './kept.ts'

/** Root of the site on any host and path. Pages and scripts are one folder below. */
export const ROOT = new URL('..', import.meta.url)

/** Long enough for the full feed on a slow connection: 460 KB with gzip take 10 s at 50 KB/s. */
const TIMEOUT_MS = 60_000

/** Client of this site's API. */
export const api = liveClient({
  mirrors: [mirrorAt(ROOT.href, PREFIX)],
  http: httpClient({ fetch: (...request) => fetch(...request), timeoutMs: TIMEOUT_MS, cacheSize: 100 }),
  maxStaleMs: Infinity,
  now: Date.now,
})

/** Interval at which a page checks for a new snapshot. */
const ASK_AGAIN_MS = 60_000

/** Returns the URL of a token's page, which works on hosts without rewrite rules. */
export const tokenPage = (slug: string): string => new URL(`token/#${slug}`, ROOT).href

/** A relative time, with the exact time in its title. */
export const timeOf = (iso: string): HTMLElement =>
  el('time', { datetime: iso, title: moment(iso), 'data-ago': iso }, ago(iso, Date.now()))

function refreshTimes(): void {
  for (const element of document.querySelectorAll<HTMLElement>('[data-ago]'))
    element.textContent = ago(element.dataset['ago'] ?? '', Date.now())
}

/** Returns the message of an error for the reader. */
export function sentenceOf(error: unknown): string {
  if (error instanceof ApiError) return error.message
  return 'The data could not be loaded. The site may be unreachable or in the middle of an update.'
}

/** Shown instead of content that could not be loaded. */
export const failure = (error: unknown, retry: () => void): HTMLElement =>
  el(
    'div',
    { class: 'empty', role: 'alert' },
    el('p', {}, sentenceOf(error)),
    on(el('button', { type: 'button', class: 'button' }, 'Try again'), { click: retry }),
  )

/** Shown instead of a list without rows. */
export const empty = (...children: readonly Child[]): HTMLElement =>
  el('div', { class: 'empty' }, el('p', {}, ...children))

/** Aborts the last load of each part of the page. */
const loads = new WeakMap<HTMLElement, AbortController>()

/**
 * Loads content into a part of the page. An error is shown there, with a button to try again. A later load into the same
 * part aborts the earlier one, whose result is not shown.
 */
export async function into(target: HTMLElement, load: (signal: AbortSignal) => Promise<Child>): Promise<void> {
  loads.get(target)?.abort()
  const last = new AbortController()
  loads.set(target, last)
  target.setAttribute('aria-busy', 'true')
  const child = await load(last.signal).catch((error: unknown) => failure(error, () => void into(target, load)))
  if (last.signal.aborted) return
  show(target, child)
  target.removeAttribute('aria-busy')
}

/** Shown above every page of sample data. */
export const SAMPLE_NOTICE = 'Sample data: real names, made-up numbers.'

function banner({ label, staleAfter, generatedAt }: IndexAnswer): void {
  const isLate = Date.parse(staleAfter) < Date.now()
  document.body.classList.toggle('late', isLate)
  const lines = [
    ...(label.startsWith('sample') ? [el('p', {}, SAMPLE_NOTICE)] : []),
    // Only the reader's clock knows, so this comes late: it is at the foot of the window and moves nothing.
    ...(isLate
      ? [
          el(
            'p',
            { class: 'late' },
            `The data is stale. It was published ${ago(generatedAt, Date.now())}, and the next snapshot is overdue.`,
          ),
        ]
      : []),
  ]
  const place = part('banner', HTMLElement)
  // The build wrote it already: to write it again would paint it again.
  if (place.textContent === lines.map((line) => line.textContent).join('')) return
  place.hidden = lines.length === 0
  show(place, lines)
}

function footer({ generatedAt, snapshotId, listings, label, attributions }: IndexAnswer): void {
  show(
    part('as-of', HTMLElement),
    `${count(listings)} listings, ${label}. Published `,
    timeOf(generatedAt),
    ', snapshot ',
    el('code', {}, snapshotId),
    '.',
    ...attributions.flatMap(({ text, url }) => [' ', el('a', { href: url, rel: 'noopener' }, text), '.']),
  )
}

/**
 * Resolves when the browser has painted the document, so that no program delays what the reader sees first; at once where
 * the page is hidden.
 */
export const painted = (): Promise<void> =>
  document.visibilityState === 'hidden'
    ? Promise.resolve()
    : new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))

const THEMES = ['auto', 'light', 'dark'] as const

function themeButton(): void {
  const button = part('theme', HTMLButtonElement)
  const root = document.documentElement
  const current = () => THEMES.find((theme) => theme === root.dataset['theme']) ?? 'auto'
  const label = () => {
    button.textContent = { auto: '◐', light: '○', dark: '●' }[current()]
    button.setAttribute('aria-label', `Colours: ${current()}`)
    button.title = `Colours: ${current()}`
  }
  on(button, {
    click: () => {
      const next = THEMES[(THEMES.indexOf(current()) + 1) % THEMES.length] ?? 'auto'
      root.dataset['theme'] = next
      keep('theme', next)
      label()
      dispatchEvent(new Event('themechange'))
    },
  })
  label()
}

/** The key `/` leads to the search field: of this page, or else of the market. */
function searchKey(): void {
  addEventListener('keydown', (event) => {
    const { target, key, ctrlKey, metaKey, altKey } = event
    const isTyping = target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null
    if (key !== '/' || isTyping || ctrlKey || metaKey || altKey) return
    event.preventDefault()
    const field = document.getElementById('search')
    if (field) field.focus()
    else location.assign(new URL('#search', ROOT).href)
  })
  if (location.hash === '#search') document.getElementById('search')?.focus()
}

/**
 * Sets up the theme, banner and footer of a page. `changed` is called when a new snapshot is published while the page is
 * open.
 */
export async function frame(changed: (index: IndexAnswer) => void = () => {}): Promise<void> {
  themeButton()
  searchKey()
  // On a narrow screen the navigation scrolls.
  document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  setInterval(refreshTimes, 30_000)
  let snapshotId: string | null = null
  const look = async () => {
    try {
      const { data: index } = await api.index()
      banner(index)
      footer(index)
      if (snapshotId !== null && snapshotId !== index.snapshotId) changed(index)
      snapshotId = index.snapshotId
    } catch (error) {
      show(part('as-of', HTMLElement), sentenceOf(error))
    }
  }
  setInterval(() => {
    if (document.visibilityState === 'visible') void look()
  }, ASK_AGAIN_MS)
  await look()
}
