import { ROOT } from './api.ts'
import { SITE_PLACEHOLDER } from './guides.ts'
import { keep, kept } from './kept.ts'
import { surround } from './start.tsx'

const content = document.querySelector('#docs .content')
const sections = [...(content?.querySelectorAll('section') ?? [])]
const endpoints = [...(content?.querySelectorAll<HTMLDetailsElement>('details.endpoint') ?? [])]
const tabs = [...(content?.querySelectorAll<HTMLInputElement>('.sample-tabs > input') ?? [])]

/** Opens the endpoint or the type that the address names. */
function openNamed(): void {
  const named = document.getElementById(location.hash.slice(1))
  if (named instanceof HTMLDetailsElement) named.open = true
  named?.scrollIntoView()
}

/** Keeps the endpoint that was opened last in the address. */
function named({ id, open }: HTMLDetailsElement): void {
  if (open) history.replaceState(history.state, '', `#${id}`)
  else if (location.hash === `#${id}`) history.replaceState(history.state, '', location.pathname)
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
for (const endpoint of endpoints) endpoint.addEventListener('toggle', () => named(endpoint))
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
