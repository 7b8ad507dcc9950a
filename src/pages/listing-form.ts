import type { ListingRequestBody } from '../client/answers.ts'
import type { ApiError } from '../client/errors.ts'
import { HONEYPOT } from '../contract/honeypot.ts'
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
      ['update', 'A change of a listing'],
      ['delist', 'The end of a listing'],
    ],
  },
  { name: 'name', label: 'Name', required: true },
  { name: 'symbol', label: 'Symbol', required: true },
  { name: 'slug', label: 'Slug', hint: 'Of the listing that it is about, for a change or an end.' },
  { name: 'website', label: 'Website', kind: 'url', hint: 'This, an explorer or a contract is needed.' },
  { name: 'explorer_url', label: 'Explorer', kind: 'url' },
  { name: 'contracts', label: 'Contracts', kind: 'area', hint: 'One a line: the chain, a space, the address.' },
  { name: 'markets', label: 'Markets', kind: 'area', hint: 'One https address a line.' },
  { name: 'source_code_url', label: 'Source code', kind: 'url' },
  { name: 'whitepaper_url', label: 'Whitepaper', kind: 'url' },
  { name: 'description', label: 'Description', kind: 'area' },
  {
    name: 'contact_email',
    label: 'E-mail',
    kind: 'email',
    hint: 'For questions of a reviewer. Never published, deleted later.',
  },
  { name: 'note', label: 'Note to the reviewer', kind: 'area', hint: 'Never published.' },
]

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** The body that a form makes. What was left empty is left out. */
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
  // Without them the answer says what is wrong.
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

/** Says what is wrong beside each field, and takes the reader to the first. */
export function showIssues(form: HTMLElement, issues: ApiError['issues']): Child {
  const other: string[] = []
  const seen = new Set<string>()
  for (const { path, message } of issues) {
    const [name = ''] = path.split('.')
    const place = form.querySelector<HTMLElement>(`[data-for="${CSS.escape(name)}"]`)
    if (place) place.textContent = [place.textContent, message].filter(Boolean).join('; ')
    else other.push(`${path}: ${message}`)
    if (place) seen.add(name)
  }
  for (const name of seen) document.getElementById(name)?.setAttribute('aria-invalid', 'true')
  const [first] = seen
  if (first !== undefined) document.getElementById(first)?.focus()
  return other.map((text) => el('p', {}, text))
}

/** Takes back what was said of the fields. */
export function clearIssues(form: HTMLElement): void {
  for (const place of form.querySelectorAll('.error')) place.textContent = ''
  for (const input of form.querySelectorAll('[aria-invalid]')) input.removeAttribute('aria-invalid')
}

/** The fields of a request, empty. */
export const fields = (): readonly HTMLElement[] => [
  ...FIELDS.map(fieldOf),
  // Nobody sees it; what fills every field fills it too.
  el(
    'div',
    { class: 'hidden', 'aria-hidden': 'true' },
    el('input', { name: HONEYPOT, tabindex: -1, autocomplete: 'off' }),
  ),
]
