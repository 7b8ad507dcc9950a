import { render } from 'preact'
import { ROOT, fileOfSite } from './api.ts'
import { Answer } from './docs-view.tsx'
import { SITE_PLACEHOLDER } from './guides.ts'
import { Loaded } from './loaded.tsx'
import { operationsOf } from './reference.ts'
import { surround } from './start.tsx'

let described: Promise<unknown> | null = null

/** Reads the description when the first endpoint is opened, and again after a failure. */
function description(): Promise<unknown> {
  described ??= fileOfSite('openapi.json')
  return described.catch((error: unknown) => {
    described = null
    throw error
  })
}

/** Completes an endpoint of the document when it is opened for the first time. */
function complete(endpoint: HTMLDetailsElement): void {
  const place = endpoint.querySelector<HTMLElement>('.answer')
  if (place === null || !endpoint.open || place.childElementCount > 0) return
  render(
    <Loaded load={description}>
      {(document) => {
        const operation = operationsOf(document).find(({ id }) => id === endpoint.id)
        return operation && <Answer document={document} operation={operation} site={ROOT.href} />
      }}
    </Loaded>,
    place,
  )
}

/** Opens the endpoint that the address names. */
function openNamed(): void {
  const named = location.hash === '' ? null : document.getElementById(location.hash.slice(1))
  if (named instanceof HTMLDetailsElement) named.open = true
  named?.scrollIntoView()
}

const endpoints = [...document.querySelectorAll<HTMLDetailsElement>('details.endpoint')]

/** Hides the endpoints, and the links to them, whose address and description lack some of these words. */
function narrow(words: readonly string[]): void {
  for (const endpoint of endpoints) {
    const text = endpoint.querySelector('summary')?.textContent.toLowerCase() ?? ''
    endpoint.hidden = !words.every((word) => text.includes(word))
    const link = document.querySelector<HTMLElement>(`.contents a[href="#${endpoint.id}"]`)
    if (link) link.hidden = endpoint.hidden
  }
}

for (const endpoint of endpoints) endpoint.addEventListener('toggle', () => complete(endpoint))
// A site that does not know its address leaves it out of its documents.
for (const sample of document.querySelectorAll('.sample'))
  sample.textContent = sample.textContent.replaceAll(SITE_PLACEHOLDER, ROOT.href)
document.getElementById('docs-search')?.addEventListener('input', ({ currentTarget }) => {
  if (currentTarget instanceof HTMLInputElement) narrow(currentTarget.value.trim().toLowerCase().split(/\s+/))
})
addEventListener('hashchange', openNamed)
openNamed()
await surround()
