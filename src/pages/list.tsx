import { render } from 'preact'
import type { AnswerOf, Problem } from '../client/answers.ts'
import { API_FOLDER } from '../core/contract/prefix.ts'
import { ROOT, read, readIfThere } from './browser.ts'
import { part } from './dom.ts'
import { Empty } from './figures.tsx'
import { count, words } from './format.ts'
import { FIELDS, REQUESTS, bodyOf } from './list-view.tsx'
import { CopyButton } from './marks.tsx'
import { enhance } from './start.ts'
import { Table } from './table.tsx'

const REQUEST_PATH = `${API_FOLDER}/listing-requests`

type Issues = NonNullable<Problem['issues']>

/** Returns what the server found wrong with each field, as sentences, and what belongs to no field. */
function errorsOf(issues: Issues): ReadonlyMap<string, string> {
  const names = new Set<string>(FIELDS.map(({ name }) => name))
  const found = new Map<string, string>()
  for (const { path, message } of issues) {
    const [name = '', line] = path.split('.')
    const sentence = line === undefined ? message.replaceAll('_url', '') : `line ${Number(line) + 1}: ${message}`
    const [field, text] = names.has(name) ? [name, sentence] : ['', `${path}: ${message}`]
    found.set(field, `${found.get(field) ?? ''} ${text.charAt(0).toUpperCase()}${text.slice(1)}.`.trim())
  }
  return found
}

/** Shows the errors beside their fields. Returns what belongs to no field. */
function showErrors(issues: Issues): string {
  const errors = errorsOf(issues)
  for (const { name } of FIELDS) {
    part(`${name}-error`).textContent = errors.get(name) ?? ''
    part(name).toggleAttribute('aria-invalid', errors.has(name))
    if (errors.has(name)) part(name).ariaInvalid = 'true'
  }
  document.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  return errors.get('') ?? ''
}

/** Returns where to send a request instead: a copy of a site names its original. */
function elsewhere(): string {
  const original = document.querySelector<HTMLLinkElement>('link[rel=canonical]')?.href ?? location.href
  return new URL(original).host === location.host ? 'Ask its publisher for a listing.' : `Send yours at ${original}.`
}

type Answered = AnswerOf<'submitListingRequest'> | { readonly ok: false; readonly error: Problem }

/** Returns the answer of the server; null: it is no answer of the API. */
async function answerIn(response: Response): Promise<Answered | null> {
  try {
    const answer: Answered = await response.json()
    return 'ok' in answer ? answer : null
  } catch {
    return null
  }
}

/** Sends the form. Returns what to say, and the id of the request if it was received. */
async function send(form: HTMLFormElement): Promise<{ readonly text: string; readonly id?: string }> {
  const body = JSON.stringify(bodyOf(new FormData(form)))
  const headers = { 'Content-Type': 'application/json' }
  const response = await fetch(new URL(REQUEST_PATH, ROOT), { method: 'POST', headers, body }).catch(() => null)
  if (response === null)
    return { text: 'The request could not be sent because the site is unreachable. Your input has been kept.' }
  const answer = await answerIn(response)
  if (answer === null) return { text: `This site is static and does not accept requests. ${elsewhere()}` }
  if (answer.ok) {
    const { request_id: id, warnings, ignored } = answer.request
    const unknown = ignored.length > 0 ? ` Unknown fields, not stored: ${ignored.join(', ')}.` : ''
    return { text: ['Request received. A reviewer will look at it.', ...warnings].join(' ') + unknown, id }
  }
  const { issues = [], message } = answer.error
  const other = showErrors(issues)
  return { text: issues.length > 0 ? `Some fields are missing or invalid. ${other}` : message }
}

/** Draws into a part of the page. */
function show(id: string, content: Parameters<typeof render>[0]): void {
  render(content, part(id))
  enhance(part(id))
}

async function lookUp(id: string): Promise<void> {
  const found = await readIfThere<AnswerOf<'listingRequest'>>(`${REQUEST_PATH}/${encodeURIComponent(id)}`).catch(
    () => null,
  )
  show(
    'found-request',
    found === null ? (
      <p class="notice">There is no request with this id.</p>
    ) : (
      <Table label="Request" columns={REQUESTS} rows={[found.request]} />
    ),
  )
}

/** Shows the queue: that of the last publication, or, where the host has just received a request, that of now. */
async function showQueue(isLive: boolean): Promise<void> {
  const { counts, rows } = await read<AnswerOf<'listingRequests'>>(REQUEST_PATH + (isLive ? '' : '.json'))
  const states = Object.entries(counts)
    .filter(([, number]) => number > 0)
    .map(([state, number]) => `${count(number)} ${words(state)}`)
  show(
    'queue',
    rows.length === 0 ? (
      <Empty>No open requests.</Empty>
    ) : (
      <>
        <p class="soft">{states.join(', ')}.</p>
        <Table label="Requests" columns={REQUESTS} rows={rows} />
      </>
    ),
  )
}

const queue = (isLive: boolean) =>
  void showQueue(isLive).catch(() => show('queue', <Empty>The queue could not be loaded.</Empty>))

/** Sends the form, and shows what came of it. */
async function submit(form: HTMLFormElement): Promise<void> {
  showErrors([])
  const { text, id } = await send(form)
  show(
    'outcome',
    <p class="notice">
      {text}{' '}
      {id !== undefined && (
        <>
          Keep its id: <code id="request-id">{id}</code> <CopyButton label="Copy the id" />
        </>
      )}
    </p>,
  )
  if (id === undefined) return
  form.reset()
  const field = part('request')
  if (field instanceof HTMLInputElement) field.value = id
  queue(true)
}

document.addEventListener('submit', (event) => {
  const form = event.target
  if (!(form instanceof HTMLFormElement) || form.id === 'search-form') return
  event.preventDefault()
  const field = part('request')
  if (form.id === 'request-form') void submit(form)
  else if (field instanceof HTMLInputElement) void lookUp(field.value.trim())
})
queue(false)
