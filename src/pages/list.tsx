import type { AnswerOf, Problem, RequestRow } from '../client/answers.ts'
import { API_FOLDER } from '../core/contract/prefix.ts'
import { ROOT, control, part, readIfThere } from './browser.ts'
import { Figures, Time } from './figures.tsx'
import { UNKNOWN } from './format.ts'
import { FIELDS, bodyOf } from './list-view.tsx'
import { Badge, CopyButton } from './marks.tsx'
import { show } from './show.tsx'

const REQUEST_PATH = `${API_FOLDER}/listing-requests`

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

/** Shows beside each field what is wrong with it. */
function showErrors(issues: NonNullable<Problem['issues']>): void {
  const errors = issues.map(({ path, message }) => {
    const [field, line] = path.split('.')
    const text = line === undefined ? message.replaceAll('_url', '') : `line ${Number(line) + 1}: ${message}`
    return { field, text: sentence(text) }
  })
  for (const { name } of FIELDS) {
    const own = errors.filter(({ field }) => field === name)
    part(`${name}-error`).textContent = own.map(({ text }) => text).join(' ')
    part(name).ariaInvalid = own.length === 0 ? null : 'true'
  }
  document.querySelector<HTMLElement>('[aria-invalid]')?.focus()
}

/** Returns where to send a request instead: a copy of a site names its original. */
function elsewhere(): string {
  const original = document.querySelector<HTMLLinkElement>('link[rel=canonical]')?.href ?? location.href
  return new URL(original).host === location.host ? 'Ask its publisher for a listing.' : `Send yours at ${original}.`
}

type Answered = AnswerOf<'submitListingRequest'> | { readonly ok: false; readonly error: Problem }

async function send(form: HTMLFormElement): Promise<{ readonly text: string; readonly id?: string }> {
  const body = JSON.stringify(bodyOf(new FormData(form)))
  const headers = { 'Content-Type': 'application/json' }
  const response = await fetch(new URL(REQUEST_PATH, ROOT), { method: 'POST', headers, body }).catch(() => null)
  if (response === null)
    return { text: 'The request could not be sent because the site is unreachable. Your input has been kept.' }
  const answer: Answered | null = await response.json().catch(() => null)
  if (answer === null || !('ok' in answer))
    return { text: `This site is static and does not accept requests. ${elsewhere()}` }
  if (answer.ok) {
    const { request_id: id, warnings } = answer.request
    return { text: ['Request received. A reviewer will look at it.', ...warnings].join(' '), id }
  }
  const { issues = [], message } = answer.error
  showErrors(issues)
  return { text: issues.length > 0 ? 'Some fields are missing or invalid.' : message }
}

const RequestFigures = ({ request_id, name, symbol, request_type, status, submitted_at, reason }: RequestRow) => (
  <Figures
    of={[
      ['Request', <code>{request_id}</code>],
      ['Name', name === null ? 'not opened yet' : `${name} ${symbol ?? ''}`],
      ['For', request_type],
      ['State', <Badge state={status} />],
      ['Sent', <Time at={submitted_at} />],
      ['Reason', reason ?? UNKNOWN],
    ]}
  />
)

const lookUp = (id: string) =>
  show(
    part('found-request'),
    () => readIfThere<AnswerOf<'listingRequest'>>(`${REQUEST_PATH}/${encodeURIComponent(id)}`),
    (found) =>
      found ? <RequestFigures {...found.request} /> : <p class="notice">There is no request with this id.</p>,
  )

async function submit(form: HTMLFormElement, field: HTMLInputElement): Promise<void> {
  showErrors([])
  const sent = send(form)
  void show(
    part('outcome'),
    () => sent,
    ({ text, id }) => (
      <p class="notice">
        {text} {id && ['Keep its id: ', <code id="request-id">{id}</code>, ' ', <CopyButton label="Copy the id" />]}
      </p>
    ),
  )
  const { id } = await sent
  if (id === undefined) return
  form.reset()
  field.value = id
}

document.addEventListener('submit', (event) => {
  const [form, field] = [event.target, control('request', HTMLInputElement)]
  if (!(form instanceof HTMLFormElement) || form.id === 'search-form') return
  event.preventDefault()
  void (form.id === 'request-form' ? submit(form, field) : lookUp(field.value.trim()))
})
