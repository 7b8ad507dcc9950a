import { keep, kept } from './browser.ts'
import { make, on, part } from './dom.ts'
import { MOST_WATCHED, WATCHED, type Watchlist, textOf, toggled, watchlistIn } from './watchlist.ts'

/** The list of this page where the browser keeps none. */
let own = kept(WATCHED) ?? ''

export const ownWatchlist = (): Watchlist => watchlistIn(kept(WATCHED) ?? own)

/** Says something in a corner of the window for a while, with a way back. */
function say(text: string, undo?: () => void): void {
  const toast = part('toast')
  const button = make('button', { type: 'button', class: 'button' }, 'Undo')
  button.addEventListener('click', () => {
    undo?.()
    toast.replaceChildren()
  })
  const words = make('p', {}, text)
  toast.replaceChildren(words, ...(undo ? [button] : []))
  setTimeout(() => {
    if (words.isConnected) toast.replaceChildren()
  }, SAID_MS)
}
const SAID_MS = 8000

/** Shows on every star of a part of the page whether its listing is watched. */
export function showStars(shown: ParentNode): void {
  const watched = ownWatchlist()
  for (const star of shown.querySelectorAll<HTMLElement>('.star'))
    star.ariaPressed = String(watched.has(star.dataset['slug'] ?? ''))
}

/** Keeps the reader's own list, and shows it on all stars. */
export function watch(next: Watchlist): void {
  own = textOf(next)
  keep(WATCHED, own)
  showStars(document)
  dispatchEvent(new Event('watchlist'))
}

/** Lets the stars of the page add and remove listings. */
export function stars(): void {
  // Another window may have changed the list.
  addEventListener('storage', () => showStars(document))
  on('click', '.star', ({ dataset: { slug = '', name = '' } }) => {
    const before = ownWatchlist()
    const next = toggled(before, slug)
    if (next === null) return say(`Your watchlist is full at ${MOST_WATCHED} listings. Remove one first.`)
    watch(next)
    say(`${name} is ${next.has(slug) ? 'on' : 'no longer on'} your watchlist.`, () => watch(before))
  })
}
