import { useRef, useState } from 'preact/hooks'
import type { Hit } from './search.ts'

interface SearchFormProps {
  readonly root: string
  /** Returns what fits a text; absent in documents. */
  readonly find?: (text: string) => Promise<readonly Hit[]>
  /** Returns the address of what was found. */
  readonly addressOf?: (hit: Hit) => string
}

interface HitsProps extends Required<Pick<SearchFormProps, 'addressOf'>> {
  readonly hits: readonly Hit[]
  /** Address of the market with all that contains the text. */
  readonly all: string
}

const Hits = ({ hits, addressOf, all }: HitsProps) => (
  <ul aria-label="Found">
    {hits.map((hit) => (
      <li>
        <a href={addressOf(hit)} tabindex={-1}>
          <span>
            {hit.name} {hit.symbol !== '' && <span class="ticker">{hit.symbol}</span>}
          </span>
          {hit.kind !== 'token' && <span class="badge">{hit.kind}</span>}
        </a>
      </li>
    ))}
    <li>
      <a href={all} tabindex={-1}>
        {hits.length === 0 ? 'Nothing is found. Search contracts and ids in the market' : 'All matches in the market'}
      </a>
    </li>
  </ul>
)

/** The search of the site, with suggestions, which arrow keys walk. Without JavaScript it leads to the market. */
export function SearchForm({ root, find, addressOf }: SearchFormProps) {
  const [shown, setShown] = useState<{ readonly text: string; readonly hits: readonly Hit[] } | null>(null)
  const form = useRef<HTMLFormElement>(null)
  const look = (text: string) => {
    if (text.trim() === '') setShown(null)
    else void find?.(text).then((hits) => setShown({ text, hits }))
  }
  const walk = (event: KeyboardEvent) => {
    const stops = [...(form.current?.querySelectorAll<HTMLElement>('input, li a') ?? [])]
    const at = stops.findIndex((stop) => stop === document.activeElement)
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (shown === null) return
    if (step !== undefined) stops[(at + step + stops.length) % stops.length]?.focus()
    else if (event.key === 'Escape') setShown(null)
    else if (event.key === 'Enter' && at === 0) stops[1]?.click()
    else return
    event.preventDefault()
  }
  const leave = ({ relatedTarget }: FocusEvent) => {
    if (!(relatedTarget instanceof Node && form.current?.contains(relatedTarget))) setShown(null)
  }
  return (
    <form ref={form} class="search" action={root} role="search" onKeyDown={walk} onFocusOut={leave}>
      <input
        id="search"
        name="q"
        type="search"
        placeholder="Search"
        aria-label="Search names, symbols, pairs, categories and exchanges"
        aria-keyshortcuts="/"
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => look(currentTarget.value)}
        onFocus={({ currentTarget }) => look(currentTarget.value)}
      />
      {shown !== null && addressOf !== undefined && (
        <Hits hits={shown.hits} addressOf={addressOf} all={`${root}?q=${encodeURIComponent(shown.text)}`} />
      )}
    </form>
  )
}
