import { useState } from 'preact/hooks'
import { api } from './api.ts'

/** Number of assets that the list offers, by rank; a slug takes any other. */
const OFFERED = 100

interface CompareFieldProps {
  /** Slug of the page's own asset. */
  readonly own: string
  /** Slug of the asset that is compared; null: none. */
  readonly compared: string | null
  readonly choose: (slug: string | null) => void
}

/** A field for the asset to compare with. It takes a name from its list, a symbol or a slug. */
export function CompareField({ own, compared, choose }: CompareFieldProps) {
  const [rows, setRows] = useState<readonly { slug: string; symbol: string; name: string }[]>([])
  const offer = () => {
    if (rows.length > 0) return
    api.assets({ limit: OFFERED }).then(
      ({ data }) => setRows(data.rows),
      () => undefined,
    )
  }
  const change = (typed: string) => {
    const text = typed.trim().toLowerCase()
    const named = rows.find(({ slug, symbol, name }) => [symbol, name, slug].some((one) => one.toLowerCase() === text))
    choose(text === '' ? null : (named?.slug ?? text.replaceAll(' ', '-')))
  }
  return (
    <span class="compare">
      <input
        type="search"
        list="compared-assets"
        defaultValue={compared ?? ''}
        placeholder="Compare with…"
        aria-label="Compare with another asset"
        autocomplete="off"
        spellcheck={false}
        onFocus={offer}
        onChange={({ currentTarget }) => change(currentTarget.value)}
      />
      <datalist id="compared-assets">{rows.map(({ slug, name }) => slug !== own && <option value={name} />)}</datalist>
    </span>
  )
}
