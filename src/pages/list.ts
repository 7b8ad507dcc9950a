import type { ListingRequestAnswer, RequestRow } from '../client/answers.ts'
import { ApiError, NoMirrorError, NotFoundError } from '../client/errors.ts'
import { type Child, el, on, part, show } from './dom.ts'
import { UNKNOWN, count, words } from './format.ts'
import { api, empty, frame, into, sentenceOf, timeOf } from './frame.ts'
import { bodyOf, clearIssues, fields, showIssues } from './listing-form.ts'
import { badge } from './marks.ts'
import { type Column, table } from './tables.ts'

const NOT_ACCEPTED = 'This site is static and does not accept requests. Send yours on the original site.'

const NOT_SENT =
  'The request could not be sent because the site is unreachable. Your input has been kept. Try again later.'

/** Returns the message for a failed POST. */
const troubleOf = (error: unknown): string => {
  if (error instanceof NoMirrorError && error.failures.every(({ fault }) => fault === 'status')) return NOT_ACCEPTED
  if (!(error instanceof ApiError)) return NOT_SENT
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
      el(
        'p',
        {},
        'Request received. A reviewer will look at it. Keep its id: ',
        el('code', { id: 'request-id' }, request_id),
      ),
      warnings.length > 0 ? el('ul', {}, ...warnings.map((text) => el('li', {}, text))) : null,
      ignored.length > 0 ? el('p', {}, `Unknown fields, not stored: ${ignored.join(', ')}.`) : null,
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
    ...fields(),
    el('button', { type: 'submit', class: 'button primary' }, 'Send request'),
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
    el('div', {}, el('dt', {}, 'Reason'), el('dd', {}, request.reason ?? UNKNOWN)),
  )

function lookup(): void {
  const outcome = el('div', { role: 'status', 'aria-live': 'polite' })
  const element = el(
    'form',
    { class: 'bar' },
    el('label', { for: 'request', class: 'hidden' }, 'Id of the request'),
    el('input', {
      id: 'request',
      name: 'request',
      placeholder: 'Id of the request',
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
              error instanceof NotFoundError ? 'There is no request with this id.' : sentenceOf(error),
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
  { name: 'Sent', of: ({ submitted_at }) => timeOf(submitted_at) },
  { name: 'Reason', of: ({ reason }) => reason ?? UNKNOWN, prose: true },
]

const queue = (): Promise<void> =>
  into(part('queue', HTMLElement), async () => {
    const { counts, rows } = (await api.listingRequests()).data
    const present = Object.entries(counts).filter(([, number]) => number > 0)
    if (rows.length === 0) return empty('No open requests.')
    return [
      el('p', { class: 'soft' }, present.map(([state, number]) => `${count(number)} ${words(state)}`).join(', '), '.'),
      table('Requests', COLUMNS, rows),
    ]
  })

form()
lookup()
await Promise.all([queue(), frame()])
