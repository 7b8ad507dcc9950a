import type { AnswerOf } from '../client/answers.ts'
import { ROOT, control, keep, make, on, part, readAnswer } from './browser.ts'
import { convert, currencyChoice, currencyNow } from './currency.ts'
import { DOLLARS, ago } from './format.ts'
import { SITE_PLACEHOLDER } from './site.tsx'
import { enableTables } from './tables.ts'
import { showStars, stars } from './watchlist.ts'

type Head = AnswerOf<'head'>

const ASK_AGAIN_MS = 60_000
const TICK_MS = 30_000

const html = document.documentElement

const near = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting || !(target instanceof HTMLElement)) continue
    near.unobserve(target)
    const logo = make('img', { src: target.dataset['logo'] ?? '', alt: '', width: '32', height: '32' })
    logo.addEventListener('load', () => target.replaceChildren(logo))
  }
})

function showTimes(shown: ParentNode): void {
  for (const time of shown.querySelectorAll('time')) time.textContent = ago(time.dateTime, Date.now())
}

/** Completes a part of the page with what a document cannot know: the reader's currency, stars and time. */
export function enhance(shown: ParentNode): void {
  if (currencyNow() !== DOLLARS) convert(shown)
  showTimes(shown)
  showStars(shown)
  for (const disc of shown.querySelectorAll('[data-logo]')) near.observe(disc)
  for (const sample of shown.querySelectorAll('.sample'))
    if (sample.textContent.includes(SITE_PLACEHOLDER))
      sample.textContent = sample.textContent.replaceAll(SITE_PLACEHOLDER, ROOT.href)
}

const theme = control('theme', HTMLSelectElement)
theme.value = html.style.colorScheme || 'light dark'
theme.addEventListener('change', () => {
  html.style.colorScheme = theme.value
  keep('theme', theme.value)
})

// The program of the search and its index are loaded when a reader first looks for something.
const search = part('search')
search.addEventListener('focus', () => void import('./search-form.ts').then(({ suggest }) => suggest()), { once: true })
addEventListener('keydown', (event) => {
  const { target, key, ctrlKey, metaKey, altKey } = event
  const isTyping =
    target instanceof Element && target.matches('input:not([type=checkbox], [type=radio]), textarea, select')
  if (key !== '/' || isTyping || ctrlKey || metaKey || altKey) return
  event.preventDefault()
  search.focus()
})

on('click', '.copy, [data-copy]', HTMLElement, (button) => {
  const isShare = button.dataset['share'] !== undefined
  const text = isShare ? location.href : (button.dataset['copy'] ?? button.previousElementSibling?.textContent ?? '')
  // Pages without https have no clipboard.
  const copied = async () => navigator.clipboard.writeText(text)
  copied().then(
    () => (button.textContent = 'Copied'),
    () => (button.textContent = isShare ? 'Copy the address' : 'Select and copy'),
  )
})

/** Returns why the figures of a page are not the newest; null: they are, as far as the page can know. */
function lateness(head: Head | null, answers: boolean): string | null {
  const published = head && `published ${ago(head.generatedAt, Date.now())}`
  if (!answers)
    return `The site does not answer. The page keeps its figures${published === null ? '' : `, ${published},`} and asks again every minute.`
  if (head === null || Date.parse(head.staleAfter) >= Date.now()) return null
  return `The data is stale. It was ${published}, and the next snapshot is overdue.`
}

let shown: string | null = null
let last: Head | null = null

async function look(): Promise<void> {
  const head = await readAnswer<'head'>('head').catch(() => null)
  last = head ?? last
  // What only the reader's browser knows comes late, so it is at the foot of the window and moves nothing.
  document.querySelector('.late')?.remove()
  const late = lateness(last, head !== null)
  if (late !== null) part('banner').append(make('p', { class: 'late' }, late))
  if (head === null) return
  shown ??= head.snapshotId
  const isBusy = part('page').contains(document.activeElement) || document.querySelector('#page form, #docs') !== null
  if (shown !== head.snapshotId && !isBusy) location.reload()
}

currencyChoice(html.dataset['currencies']?.split(' ') ?? null)
stars()
enableTables()
enhance(document)
setInterval(() => showTimes(document), TICK_MS)
setInterval(() => {
  if (document.visibilityState === 'visible') void look()
}, ASK_AGAIN_MS)
void look()
html.dataset['live'] = ''
