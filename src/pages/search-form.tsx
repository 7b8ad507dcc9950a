import { useEffect, useRef, useState } from 'preact/hooks'
import { SEARCH_INDEX } from '../contract/site-files.ts'
import { ROOT } from './api.ts'
import type { Hit, SearchIndex } from './search.ts'
import { Disc } from './marks.tsx'
import { type Site, SiteContext, addressOf } from './site.tsx'

/** Number of hits that are shown. */
const MOST = 8

let searching: Promise<(text: string) => readonly Hit[]> | null = null

/** Reads what the search finds when it is first used. */
async function readSearch(): Promise<(text: string) => readonly Hit[]> {
  const [{ search }, response] = await Promise.all([import('./search.ts'), fetch(new URL(SEARCH_INDEX, ROOT))])
  const index: SearchIndex = await response.json()
  return (text) => search(index, text)
}

/** Returns what fits a text, best first; null after a failure, which the next text tries again. */
async function find(text: string): Promise<readonly Hit[] | null> {
  searching ??= readSearch()
  try {
    return (await searching)(text)
  } catch {
    searching = null
    return null
  }
}

/** Returns what fits a text, best first; null: the text is empty, or the index is not read. */
export function useFound(text: string): readonly Hit[] | null {
  const [found, setFound] = useState<readonly Hit[] | null>(null)
  useEffect(() => {
    let isLatest = true
    if (text.trim() === '') setFound(null)
    else void find(text).then((hits) => isLatest && setFound(hits))
    return () => void (isLatest = false)
  }, [text])
  return text.trim() === '' ? null : found
}

const FOLDERS = { token: 'token', exchange: 'exchanges', category: 'categories' } as const

interface HitsProps {
  readonly site: Site
  readonly hits: readonly Hit[]
  /** Address of the market with all that contains the text. */
  readonly all: string
}

const Hits = ({ site, hits, all }: HitsProps) => (
  <ul aria-label="Found">
    {hits.slice(0, MOST).map((hit) => (
      <li>
        <a href={addressOf(site, FOLDERS[hit.kind], hit.id)} tabindex={-1}>
          {hit.kind === 'token' && <Disc slug={hit.id} symbol={hit.symbol} />}
          <span>
            {hit.name} {hit.symbol !== '' && <span class="ticker">{hit.symbol}</span>}
          </span>
          {hit.kind !== 'token' && <span class="badge">{hit.kind}</span>}
        </a>
      </li>
    ))}
    <li>
      <a href={hits.length === 0 ? site.root : all} tabindex={-1}>
        {hits.length === 0 ? 'No match. Show all listings' : 'All matches in the market'}
      </a>
    </li>
  </ul>
)

/** The search of the site, with suggestions, which arrow keys walk. Without JavaScript it leads to the market. */
export function SearchForm(site: Site) {
  const [text, setText] = useState('')
  const hits = useFound(text)
  const form = useRef<HTMLFormElement>(null)
  const walk = (event: KeyboardEvent) => {
    if (hits === null) return
    const stops = [...(form.current?.querySelectorAll<HTMLElement>('input, li a') ?? [])]
    const at = stops.findIndex((stop) => stop === document.activeElement)
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) stops[(at + step + stops.length) % stops.length]?.focus()
    else if (event.key === 'Escape') setText('')
    else if (event.key === 'Enter' && at === 0) stops[1]?.click()
    else return
    event.preventDefault()
  }
  const leave = ({ relatedTarget }: FocusEvent) => {
    if (!(relatedTarget instanceof Node && form.current?.contains(relatedTarget))) setText('')
  }
  return (
    <form ref={form} class="search" action={site.root} role="search" onKeyDown={walk} onFocusOut={leave}>
      <input
        id="search"
        name="q"
        type="search"
        placeholder="Search"
        aria-label="Search names, symbols, pairs, categories and exchanges"
        aria-keyshortcuts="/"
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onFocus={({ currentTarget }) => setText(currentTarget.value)}
      />
      {hits !== null && (
        <SiteContext.Provider value={site}>
          <Hits site={site} hits={hits} all={`${site.root}?q=${encodeURIComponent(text)}`} />
        </SiteContext.Provider>
      )}
    </form>
  )
}
