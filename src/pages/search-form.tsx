import { useState } from 'preact/hooks'
import type { Hit } from './search.ts'

interface SearchFormProps {
  readonly root: string
  /** Returns what fits a text; absent in documents. */
  readonly find?: (text: string) => Promise<readonly Hit[]>
  /** Returns the address of what was found. */
  readonly addressOf?: (hit: Hit) => string
}

/** Id of the list of hits, and of each in it. */
const LIST = 'search-hits'

interface HitsProps extends Required<Pick<SearchFormProps, 'addressOf'>> {
  readonly hits: readonly Hit[]
  readonly chosen: number
  readonly all: string
}

const Hits = ({ hits, chosen, addressOf, all }: HitsProps) => (
  <ul id={LIST} role="listbox" aria-label="Found">
    {hits.map((hit, at) => (
      <li role="option" id={`${LIST}-${at}`} aria-selected={at === chosen}>
        <a href={addressOf(hit)} tabindex={-1}>
          <span>
            {hit.name} {hit.symbol !== '' && <span class="ticker">{hit.symbol}</span>}
          </span>
          {hit.kind !== 'token' && <span class="badge">{hit.kind}</span>}
        </a>
      </li>
    ))}
    <li role="option" id={`${LIST}-${hits.length}`} aria-selected={chosen === hits.length}>
      <a href={all} tabindex={-1}>
        {hits.length === 0 ? 'Nothing is found. Search contracts and ids in the market' : 'All matches in the market'}
      </a>
    </li>
  </ul>
)

/** The search of the site, with suggestions. Without JavaScript it leads to the market. */
export function SearchForm({ root, find, addressOf }: SearchFormProps) {
  const [shown, setShown] = useState<{ readonly text: string; readonly hits: readonly Hit[] } | null>(null)
  const [chosen, setChosen] = useState(0)
  const look = (text: string) => {
    setChosen(0)
    if (text.trim() === '') setShown(null)
    else void find?.(text).then((hits) => setShown({ text, hits }))
  }
  const walk = (event: KeyboardEvent) => {
    if (shown === null) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const size = shown.hits.length + 1
    if (step !== undefined) setChosen((chosen + step + size) % size)
    else if (event.key === 'Escape') setShown(null)
    else if (event.key === 'Enter') document.querySelector<HTMLAnchorElement>(`#${LIST}-${chosen} a`)?.click()
    else return
    event.preventDefault()
  }
  return (
    <form class="search" action={root} role="search">
      <input
        id="search"
        name="q"
        type="search"
        role="combobox"
        list={undefined}
        placeholder="Search"
        aria-label="Search names, symbols, pairs, categories and exchanges"
        aria-keyshortcuts="/"
        aria-autocomplete="list"
        aria-controls={LIST}
        aria-expanded={shown !== null}
        aria-activedescendant={shown === null ? undefined : `${LIST}-${chosen}`}
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => look(currentTarget.value)}
        onFocus={({ currentTarget }) => look(currentTarget.value)}
        onKeyDown={walk}
        onBlur={() => setTimeout(() => setShown(null), 150)}
      />
      {shown !== null && addressOf !== undefined && (
        <Hits
          hits={shown.hits}
          chosen={chosen}
          addressOf={addressOf}
          all={`${root}?q=${encodeURIComponent(shown.text)}`}
        />
      )}
    </form>
  )
}
