import { ROOT } from './api.ts'
import { SITE_PLACEHOLDER } from './guides.ts'
import { keep, kept } from './kept.ts'
import { surround } from './start.tsx'

const content = document.querySelector('#docs .content')
const sections = [...(content?.querySelectorAll('section') ?? [])]
const endpoints = [...(content?.querySelectorAll<HTMLDetailsElement>('details.endpoint') ?? [])]
const tabs = [...(content?.querySelectorAll<HTMLInputElement>('.sample-tabs > input') ?? [])]

const nameIn = (term: Element): string => term.querySelector('code')?.textContent ?? ''

/** Opens the endpoint or the type that the address names: `#history`, `#Market.price_usd`. */
function openNamed(): void {
  const [id = '', member] = location.hash.slice(1).split('.')
  const part = document.getElementById(id)
  if (part instanceof HTMLDetailsElement) part.open = true
  part?.scrollIntoView()
  const terms = part?.querySelectorAll('dt') ?? []
  const term = [...terms].find((one) => nameIn(one) === member)
  term?.setAttribute('tabindex', '-1')
  term?.focus()
}

/** Keeps what a reader opens in the address: an endpoint, a type, or a member of one by a click on its name. */
function named(endpoint: HTMLDetailsElement, { target }: Event): void {
  const clicked = target instanceof Element ? target.closest('summary, dt') : null
  const isClosed = clicked?.matches('summary') === true && endpoint.open
  const member = clicked?.matches('dt') === true ? `.${nameIn(clicked)}` : ''
  if (clicked) history.replaceState(history.state, '', isClosed ? location.pathname : `#${endpoint.id}${member}`)
}

/** Shows all samples in a language, where they have it. */
function speak(language: string | null): void {
  for (const tab of tabs) if (tab.value === language) tab.checked = true
}

/** Text that the search finds a part of the page by: of an endpoint its address, description and names of members. */
const textOf = (part: Element): string =>
  [...(part.matches('details') ? part.querySelectorAll('summary, dt') : [part])]
    .map(({ textContent }) => textContent.toLowerCase())
    .join(' ')

/** Hides the parts, and the links to them, that lack some of these words. */
function narrow(words: readonly string[]): void {
  const fits = (part: Element): boolean => words.every((word) => textOf(part).includes(word))
  for (const endpoint of endpoints) endpoint.hidden = !fits(endpoint)
  for (const section of sections) {
    const parts = endpoints.filter((endpoint) => section.contains(endpoint))
    section.hidden = parts.length > 0 ? parts.every(({ hidden }) => hidden) : !fits(section)
  }
  for (const link of document.querySelectorAll<HTMLAnchorElement>('.contents a'))
    link.hidden = document.getElementById(link.hash.slice(1))?.closest<HTMLElement>('details, section')?.hidden ?? false
  const none = document.getElementById('docs-none')
  if (none) none.hidden = sections.some(({ hidden }) => !hidden)
}

// A site that does not know its address leaves it out of its documents.
for (const sample of document.querySelectorAll('.sample'))
  sample.textContent = sample.textContent.replaceAll(SITE_PLACEHOLDER, ROOT.href)
// During a click on its summary, an endpoint is still as it was.
for (const endpoint of endpoints) endpoint.addEventListener('click', (event) => named(endpoint, event))
for (const tab of tabs)
  tab.addEventListener('change', () => {
    keep('language', tab.value)
    speak(tab.value)
  })
document.getElementById('docs-search')?.addEventListener('input', ({ currentTarget }) => {
  if (currentTarget instanceof HTMLInputElement) narrow(currentTarget.value.trim().toLowerCase().split(/\s+/))
})
addEventListener('hashchange', openNamed)
speak(kept('language'))
openNamed()
await surround()
