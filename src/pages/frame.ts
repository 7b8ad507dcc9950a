import { createClient } from '../client/client.ts'
import type { IndexAnswer } from '../client/answers.ts'
import { ApiError } from '../client/errors.ts'
import { type Child, el, on, part, show } from './dom.ts'
import { ago, count, moment } from './format.ts'

/** Where the site begins: pages and programs stand one folder below, on any host and below any path. */
export const ROOT = new URL('..', import.meta.url)

/** The same site's API. */
export const api = createClient({ mirrors: ROOT.href })

/** How often a page asks whether something new was published. */
const ASK_AGAIN_MS = 60_000

/** The address of a token's page, which needs no rule of a host. */
export const tokenPage = (slug: string): string => new URL(`token/#${slug}`, ROOT).href

/** A time that people read, with the exact one at hand. */
export const timeOf = (iso: string): HTMLElement =>
  el('time', { datetime: iso, title: moment(iso), 'data-ago': iso }, ago(iso, Date.now()))

function refreshTimes(): void {
  for (const element of document.querySelectorAll<HTMLElement>('[data-ago]'))
    element.textContent = ago(element.dataset['ago'] ?? '', Date.now())
}

/** What is wrong, in the words of the one who reads. */
export function sentenceOf(error: unknown): string {
  if (error instanceof ApiError) return error.message
  return 'The data could not be loaded. The site may be out of reach, or between two publications.'
}

/** In place of what could not be loaded. */
export const failure = (error: unknown, retry: () => void): HTMLElement =>
  el(
    'div',
    { class: 'empty', role: 'alert' },
    el('p', {}, sentenceOf(error)),
    on(el('button', { type: 'button', class: 'button' }, 'Try again'), { click: retry }),
  )

/** In place of a list without rows. */
export const empty = (...children: readonly Child[]): HTMLElement =>
  el('div', { class: 'empty' }, el('p', {}, ...children))

/** What ends the load that each part of the page was given last. */
const loads = new WeakMap<HTMLElement, AbortController>()

/**
 * Loads into a part of the page; what goes wrong is said there, with a way to try again. A later load into the same part
 * takes its place: the signal of the earlier one is aborted, and what that brings is not shown.
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

function banner({ label, staleAfter, generatedAt }: IndexAnswer): void {
  const lines = [
    ...(label.startsWith('sample') ? ['Sample data: real names, made-up numbers.'] : []),
    ...(Date.parse(staleAfter) < Date.now()
      ? [`The data is old: it was last published ${ago(generatedAt, Date.now())}, and a newer one is overdue.`]
      : []),
  ]
  const place = part('banner', HTMLElement)
  place.hidden = lines.length === 0
  show(
    place,
    lines.map((line) => el('p', {}, line)),
  )
}

function footer({ generatedAt, snapshotId, listings, label }: IndexAnswer): void {
  show(
    part('as-of', HTMLElement),
    `${count(listings)} listings, ${label}. Published `,
    timeOf(generatedAt),
    ', snapshot ',
    el('code', {}, snapshotId),
    '.',
  )
}

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
      try {
        localStorage.setItem('theme', next)
      } catch {
        // Where nothing may be kept, the choice holds for this page.
      }
      label()
      dispatchEvent(new Event('themechange'))
    },
  })
  label()
}

/**
 * What every page has: colours, banner, footer. `changed` is told when something new was published while the page is
 * open.
 */
export async function frame(changed: (index: IndexAnswer) => void = () => {}): Promise<void> {
  themeButton()
  // On a narrow screen the navigation is longer than its place.
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
