import type { ListingRequestBody } from '../client/answers.ts'
import type { ApiError } from '../client/errors.ts'
import { HONEYPOT } from '../contract/site-files.ts'
import { type Child, el } from './dom.ts'

interface Field {
  readonly name: keyof ListingRequestBody
  readonly label: string
  readonly hint?: string
  readonly kind?: 'area' | 'email' | 'url'
  readonly required?: true
  readonly choices?: readonly (readonly [string, string])[]
}

const FIELDS: readonly Field[] = [
  {
    name: 'request_type',
    label: 'What for',
    choices: [
      ['new', 'A new listing'],
      ['update', 'Update a listing'],
      ['delist', 'Remove a listing'],
    ],
  },
  { name: 'name', label: 'Name', required: true },
  { name: 'symbol', label: 'Symbol', required: true },
  { name: 'slug', label: 'Slug', hint: 'Slug of the existing listing, for an update or a removal.' },
  { name: 'website', label: 'Website', kind: 'url', hint: 'A website, an explorer or a contract is required.' },
  { name: 'explorer_url', label: 'Explorer', kind: 'url' },
  { name: 'contracts', label: 'Contracts', kind: 'area', hint: 'One per line: chain, space, address.' },
  { name: 'markets', label: 'Markets', kind: 'area', hint: 'One https URL per line.' },
  { name: 'source_code_url', label: 'Source code', kind: 'url' },
  { name: 'whitepaper_url', label: 'Whitepaper', kind: 'url' },
  { name: 'description', label: 'Description', kind: 'area' },
  {
    name: 'contact_email',
    label: 'E-mail',
    kind: 'email',
    hint: 'For the reviewer’s questions. Never published; deleted 30 days after the request is closed.',
  },
  { name: 'note', label: 'Note to the reviewer', kind: 'area', hint: 'Never published.' },
]

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** Returns the request body of a form. Empty fields are left out. */
export function bodyOf(form: FormData): ListingRequestBody {
  const filled = [...form].flatMap(([name, value]) =>
    typeof value === 'string' && value.trim() !== '' ? [[name, value.trim()] as const] : [],
  )
  const members = Object.fromEntries(
    filled.map(([name, value]) => {
      if (name === 'markets') return [name, linesOf(value)]
      if (name !== 'contracts') return [name, value]
      const contracts = linesOf(value).map((line) => {
        const [chain = '', ...address] = line.split(/\s+/)
        return { chain, address: address.join(' ') }
      })
      return [name, contracts]
    }),
  )
  // The server reports missing names, so both are always sent.
  return { name: '', symbol: '', ...members }
}

function fieldOf({ name, label, hint, kind, required, choices }: Field): HTMLElement {
  const [hintId, errorId] = [`${name}-hint`, `${name}-error`]
  const attributes = {
    id: name,
    name,
    'aria-describedby': hint ? `${hintId} ${errorId}` : errorId,
    'aria-required': required ? 'true' : null,
  }
  const input = choices
    ? el('select', attributes, ...choices.map(([value, text]) => el('option', { value }, text)))
    : kind === 'area'
      ? el('textarea', { ...attributes, rows: 3 })
      : el('input', {
          ...attributes,
          type: kind ?? 'text',
          placeholder: kind === 'url' ? 'https://' : null,
          autocomplete: 'off',
        })
  return el(
    'div',
    { class: 'field' },
    el('label', { for: name }, label, required ? el('span', { class: 'soft' }, ' required') : null),
    input,
    hint ? el('p', { id: hintId, class: 'hint' }, hint) : null,
    el('p', { id: errorId, class: 'error', 'data-for': name }),
  )
}

/** `must not be empty` -> `Must not be empty.` */
const sentence = (message: string): string => `${message.charAt(0).toUpperCase()}${message.slice(1)}.`

/** Shows each issue beside its field, and focuses the first one. */
export function showIssues(form: HTMLElement, issues: ApiError['issues']): Child {
  const other: string[] = []
  const seen = new Set<string>()
  for (const { path, message } of issues) {
    const [name = ''] = path.split('.')
    const place = form.querySelector<HTMLElement>(`[data-for="${CSS.escape(name)}"]`)
    if (place) place.textContent = [place.textContent, sentence(message)].filter(Boolean).join(' ')
    else other.push(`${path}: ${message}`)
    if (place) seen.add(name)
  }
  for (const name of seen) document.getElementById(name)?.setAttribute('aria-invalid', 'true')
  const [first] = seen
  if (first !== undefined) document.getElementById(first)?.focus()
  return other.map((text) => el('p', {}, text))
}

/** Clears the issues of all fields. */
export function clearIssues(form: HTMLElement): void {
  for (const place of form.querySelectorAll('.error')) place.textContent = ''
  for (const input of form.querySelectorAll('[aria-invalid]')) input.removeAttribute('aria-invalid')
}

/** Returns the empty fields of a request. */
export const fields = (): readonly HTMLElement[] => [
  ...FIELDS.map(fieldOf),
  // Honeypot: people cannot see this field, but bots fill it in.
  el(
    'div',
    { class: 'hidden', 'aria-hidden': 'true' },
    el('input', { name: HONEYPOT, tabindex: -1, autocomplete: 'off' }),
  ),
]
