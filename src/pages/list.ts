import type { ListingRequestAnswer, ListingRequestBody, RequestRow } from '../client/answers.ts'
import { ApiError, NotFoundError } from '../client/errors.ts'
import { type Child, el, on, part, show } from './dom.ts'
import { count, words } from './format.ts'
import { api, empty, frame, into, sentenceOf, timeOf } from './frame.ts'
import { badge } from './marks.ts'
import { type Column, table } from './tables.ts'

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
function showIssues(form: HTMLElement, issues: ApiError['issues']): Child {
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

function clearIssues(form: HTMLElement): void {
  for (const place of form.querySelectorAll('.error')) place.textContent = ''
  for (const input of form.querySelectorAll('[aria-invalid]')) input.removeAttribute('aria-invalid')
}

const NO_DESK = 'This copy of the site takes no requests: it is made of files alone. Ask where it was published first.'

/** What is told of a POST that no API answered. */
const troubleOf = (error: unknown): string => {
  if (!(error instanceof ApiError)) return NO_DESK
  const wait =
    error.retryAfterSeconds === null ? '' : ` Try again in ${Math.ceil(error.retryAfterSeconds / 60)} minutes.`
  return `${error.message}${wait}`
}

async function send(form: HTMLFormElement, outcome: HTMLElement): Promise<void> {
  clearIssues(form)
  show(outcome, el('p', {}, 'Sending…'))
  try {
    const { data } = await api.submitListingRequest(bodyOf(new FormData(form)))
    const { request_id, warnings, ignored } = data.request
    show(
      outcome,
      el('p', {}, 'Taken. A reviewer will look at it. Keep its name: ', el('code', { id: 'request-id' }, request_id)),
      warnings.length > 0 ? el('ul', {}, ...warnings.map((text) => el('li', {}, text))) : null,
      ignored.length > 0 ? el('p', {}, `Not understood and not kept: ${ignored.join(', ')}.`) : null,
    )
    form.reset()
    part('request', HTMLInputElement).value = request_id
    await queue()
  } catch (error) {
    const issues = error instanceof ApiError ? error.issues : []
    show(outcome, el('p', { class: 'notice' }, troubleOf(error)), showIssues(form, issues))
  }
}

function form(): void {
  const outcome = el('div', { role: 'status', 'aria-live': 'polite' })
  const element = el(
    'form',
    { novalidate: true, class: 'form' },
    ...FIELDS.map(fieldOf),
    // Nobody sees it; what fills every field fills it too.
    el(
      'div',
      { class: 'hidden', 'aria-hidden': 'true' },
      el('input', { name: 'fax_number', tabindex: -1, autocomplete: 'off' }),
    ),
    el('button', { type: 'submit', class: 'button primary' }, 'Send the request'),
    outcome,
  )
  on(element, {
    submit: (event) => {
      event.preventDefault()
      void send(element, outcome)
    },
  })
  show(part('form', HTMLElement), element)
}

const stateOf = ({ request }: ListingRequestAnswer): Child =>
  el(
    'dl',
    { class: 'figures' },
    el('div', {}, el('dt', {}, 'State'), el('dd', {}, badge(request.status))),
    el('div', {}, el('dt', {}, 'Sent'), el('dd', {}, timeOf(request.submitted_at))),
    el('div', {}, el('dt', {}, 'Last change'), el('dd', {}, timeOf(request.updated_at))),
    el('div', {}, el('dt', {}, 'Reason'), el('dd', {}, request.reason ?? '–')),
  )

function lookup(): void {
  const outcome = el('div', { role: 'status', 'aria-live': 'polite' })
  const element = el(
    'form',
    { class: 'bar' },
    el('label', { for: 'request', class: 'hidden' }, 'Name of the request'),
    el('input', {
      id: 'request',
      name: 'request',
      placeholder: 'Name of the request',
      autocomplete: 'off',
      spellcheck: 'false',
    }),
    el('button', { type: 'submit', class: 'button' }, 'Look up'),
  )
  on(element, {
    submit: (event) => {
      event.preventDefault()
      const id = part('request', HTMLInputElement).value.trim()
      if (id === '') return
      void api.listingRequest(id).then(
        ({ data }) => show(outcome, stateOf(data)),
        (error: unknown) =>
          show(
            outcome,
            el(
              'p',
              { class: 'notice' },
              error instanceof NotFoundError ? 'There is no such request here.' : sentenceOf(error),
            ),
          ),
      )
    },
  })
  show(part('lookup', HTMLElement), element, outcome)
}

const COLUMNS: readonly Column<RequestRow>[] = [
  { name: 'Request', of: ({ request_id }) => el('code', {}, request_id) },
  { name: 'Name', of: ({ name, symbol }) => (name === null ? 'not opened yet' : `${name} ${symbol ?? ''}`) },
  { name: 'For', of: ({ request_type }) => request_type },
  { name: 'State', of: ({ status }) => badge(status) },
  { name: 'Reason', of: ({ reason }) => reason ?? '–' },
  { name: 'Sent', of: ({ submitted_at }) => timeOf(submitted_at) },
]

const queue = (): Promise<void> =>
  into(part('queue', HTMLElement), async () => {
    const { counts, rows } = (await api.listingRequests()).data
    const told = Object.entries(counts).filter(([, number]) => number > 0)
    if (rows.length === 0) return empty('Nobody is waiting.')
    return [
      el('p', { class: 'soft' }, told.map(([state, number]) => `${count(number)} ${words(state)}`).join(', '), '.'),
      table('Requests', COLUMNS, rows),
    ]
  })

form()
lookup()
await Promise.all([queue(), frame()])
