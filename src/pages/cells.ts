import { type Child, el } from './dom.ts'
import { change, tone } from './format.ts'
import { tokenPage } from './frame.ts'

/** A change in percent, coloured by its sign. */
export const changeCell = (value: number | null): Child => el('span', { 'data-tone': tone(value) }, change(value))

/** The name of a listing, which links to its page, and its symbol. */
export const nameCell = ({ slug, name, symbol }: Readonly<Record<'slug' | 'name' | 'symbol', string>>): Child => [
  el('a', { href: tokenPage(slug) }, name),
  ' ',
  el('span', { class: 'ticker' }, symbol),
]
