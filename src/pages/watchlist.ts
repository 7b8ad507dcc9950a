import { isRecord, parseJson } from '../core/contract/read-json.ts'
import { keep, saved, make, on, part } from './browser.ts'

export type Watchlist = ReadonlySet<string>

/** Name of the reader's own list in the browser, and of a shared one in the address. */
export const WATCHED = 'watch'

/** The most listings of one list, so that its address fits every browser and server. */
const MOST_WATCHED = 100

const SLUG = /^[a-z0-9-]{1,64}$/

/** Reads a list from an address or the browser: `bitcoin,ethereum`. Parts that are no slugs, such as amounts, are left out. */
export function watchlistIn(text: string): Watchlist {
  const slugs = new Set(text.split(',').filter((slug) => SLUG.test(slug)))
  return new Set([...slugs].slice(0, MOST_WATCHED))
}

export const textOf = (watchlist: Watchlist): string => [...watchlist].join(',')

/** Returns the list with a listing added at its end, or without it if it was there; null: the list is full. */
export function toggled(watchlist: Watchlist, slug: string): Watchlist | null {
  const next = new Set(watchlist)
  if (!next.delete(slug)) next.add(slug)
  return next.size > MOST_WATCHED ? null : next
}

/** Reads the last visit from the browser; null: there was none, or it cannot be read. */
export function visitIn(text: string | null) {
  const visit = parseJson(text ?? '')
  if (!isRecord(visit)) return null
  const { at, prices } = visit
  return typeof at === 'string' && isRecord(prices) ? { at, prices } : null
}

/** Returns the change in percent of a price since a visit; null: one of both is unknown. */
export function changeSince(visit: ReturnType<typeof visitIn>, slug: string, price_usd: number | null): number | null {
  const before = visit?.prices[slug]
  return typeof before === 'number' && before > 0 && price_usd !== null ? (price_usd / before - 1) * 100 : null
}

/** The list of this page where the browser keeps none. */
let own = ''

export const ownWatchlist = (): Watchlist => watchlistIn(saved(WATCHED) ?? own)

const MESSAGE_MS = 8000

function say(text: string, undo?: () => void): void {
  const words = make('p', {}, text)
  const button = make('button', { type: 'button', class: 'button' }, 'Undo')
  const clear = () => words.isConnected && part('toast').replaceChildren()
  button.addEventListener('click', () => {
    undo?.()
    clear()
  })
  part('toast').replaceChildren(words, ...(undo ? [button] : []))
  setTimeout(clear, MESSAGE_MS)
}

export function showStars(shown: ParentNode): void {
  const watched = ownWatchlist()
  for (const star of shown.querySelectorAll<HTMLElement>('.star'))
    star.ariaPressed = String(watched.has(star.dataset['slug'] ?? ''))
}

export function watch(next: Watchlist): void {
  own = textOf(next)
  keep(WATCHED, own)
  showStars(document)
  dispatchEvent(new Event('watchlist'))
}

export function stars(): void {
  // Another window may have changed the list.
  addEventListener('storage', () => showStars(document))
  on('click', '.star', HTMLElement, ({ dataset: { slug = '', name = '' } }) => {
    const before = ownWatchlist()
    const next = toggled(before, slug)
    if (next === null) return say(`Your watchlist is full at ${MOST_WATCHED} listings. Remove one first.`)
    watch(next)
    say(`${name} is ${next.has(slug) ? 'on' : 'no longer on'} your watchlist.`, () => watch(before))
  })
}
