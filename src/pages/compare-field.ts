import { el, on, show } from './dom.ts'
import { api } from './frame.ts'

/** Number of assets that the list offers, by rank; a slug takes any other. */
const OFFERED = 100

/**
 * A field for the asset to compare with. It takes a name from its list, a symbol or a slug.
 *
 * @param compared slug of the asset that is compared; null: none
 */
export function compareField(own: string, compared: string | null, chosen: (slug: string | null) => void): HTMLElement {
  const list = el('datalist', { id: 'compared-assets' })
  const input = el('input', {
    type: 'search',
    list: list.id,
    value: compared,
    placeholder: 'Compare with…',
    'aria-label': 'Compare with another asset',
    autocomplete: 'off',
    spellcheck: 'false',
  })
  const slugs = new Map<string, string>()
  const offer = async () => {
    if (slugs.size > 0) return
    const { rows } = (await api.assets({ limit: OFFERED })).data
    for (const { slug, symbol, name } of rows.toReversed())
      for (const text of [symbol, name, slug]) slugs.set(text.toLowerCase(), slug)
    show(
      list,
      rows.flatMap(({ slug, name }) => (slug === own ? [] : [el('option', { value: name })])),
    )
  }
  on(input, {
    focus: () => void offer().catch(() => undefined),
    change: () => {
      const text = input.value.trim().toLowerCase()
      chosen(text === '' ? null : (slugs.get(text) ?? text.replaceAll(' ', '-')))
    },
  })
  return el('span', { class: 'compare' }, input, list)
}
