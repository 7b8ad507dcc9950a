import { useEffect, useRef, useState } from 'preact/hooks'
import type { ListingRequestAnswer, ListingRequestBody, ListingRequestsAnswer, RequestRow } from '../client/answers.ts'
import { ApiError, NoMirrorError, NotFoundError } from '../client/errors.ts'
import { HONEYPOT } from '../contract/site-files.ts'
import { api } from './api.ts'
import { badges, words as worded } from './columns.tsx'
import { Empty, Time } from './figures.tsx'
import { count, words } from './format.ts'
import { Loaded } from './loaded.tsx'
import { CopyButton } from './marks.tsx'
import { type Column, Table } from './table.tsx'

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

interface FieldProps {
  readonly field: Field
  /** What the server found wrong with it; empty: nothing. */
  readonly error: string
}

function FormField({ field: { name, label, hint, kind, required, choices }, error }: FieldProps) {
  const attributes = {
    id: name,
    name,
    'aria-describedby': `${name}-hint ${name}-error`,
    'aria-required': required,
    'aria-invalid': error === '' ? undefined : true,
  } as const
  return (
    <div class="field">
      <label for={name}>
        {label}
        {required && <span class="soft"> required</span>}
      </label>
      {choices ? (
        <select {...attributes}>
          {choices.map(([value, text]) => (
            <option value={value}>{text}</option>
          ))}
        </select>
      ) : kind === 'area' ? (
        <textarea {...attributes} rows={3} />
      ) : (
        <input {...attributes} inputmode={kind} placeholder={kind === 'url' ? 'https://' : ''} autocomplete="off" />
      )}
      <p id={`${name}-hint`} class="soft">
        {hint}
      </p>
      <p id={`${name}-error`} class="error" data-for={name}>
        {error}
      </p>
    </div>
  )
}

/** Returns what the server found wrong with each field, as sentences, and what belongs to no field. */
function errorsOf(issues: ApiError['issues']): ReadonlyMap<string, string> {
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

/** Returns where to send a request instead: a copy of a site names its original. */
function elsewhere(): string {
  const original = document.querySelector<HTMLLinkElement>('link[rel=canonical]')?.href ?? location.href
  return new URL(original).host === location.host ? 'Ask its publisher for a listing.' : `Send yours at ${original}.`
}

/** Returns the message for a failed POST. */
function troubleOf(error: unknown): string {
  if (error instanceof NoMirrorError && error.failures.every(({ fault }) => fault === 'status'))
    return `This site is static and does not accept requests. ${elsewhere()}`
  if (!(error instanceof ApiError))
    return 'The request could not be sent because the site is unreachable. Your input has been kept. Try again later.'
  const { message, retryAfterSeconds: wait } = error
  if (error.issues.length > 0) return 'Some fields are missing or invalid.'
  return wait === null ? message : `${message} Try again in ${Math.ceil(wait / 60)} minutes.`
}

type Sent = Awaited<ReturnType<typeof api.submitListingRequest>>['data']['request']

const Received = ({ request_id, warnings, ignored }: Sent) => (
  <>
    <p>
      Request received. A reviewer will look at it. Keep its id: <code id="request-id">{request_id}</code>{' '}
      <CopyButton label="Copy the id" />
    </p>
    {warnings.map((text) => (
      <p>{text}</p>
    ))}
    {ignored.length > 0 && <p>Unknown fields, not stored: {ignored.join(', ')}.</p>}
  </>
)

function RequestForm({ accepted }: { readonly accepted: (id: string) => void }) {
  const [outcome, setOutcome] = useState<{ readonly sent: Sent } | { readonly error: unknown } | null>(null)
  const form = useRef<HTMLFormElement>(null)
  const error = outcome !== null && 'error' in outcome ? outcome.error : null
  const errors = errorsOf(error instanceof ApiError ? error.issues : [])
  useEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus(), [outcome])
  const send = async (event: SubmitEvent) => {
    event.preventDefault()
    if (form.current === null) return
    try {
      const { data } = await api.submitListingRequest(bodyOf(new FormData(form.current)))
      setOutcome({ sent: data.request })
      form.current.reset()
      accepted(data.request.request_id)
    } catch (error) {
      setOutcome({ error })
    }
  }
  return (
    <form ref={form} novalidate class="form" onSubmit={(event) => void send(event)}>
      {FIELDS.map((field) => (
        <FormField field={field} error={errors.get(field.name) ?? ''} />
      ))}
      {/* Honeypot: people cannot see this field, but bots fill it in. */}
      <div class="hidden" aria-hidden="true">
        <input name={HONEYPOT} tabindex={-1} autocomplete="off" />
      </div>
      <button type="submit" class="button primary">
        Send request
      </button>
      <div role="status" aria-live="polite">
        {error !== null && <p class="notice">{[troubleOf(error), errors.get('')].filter(Boolean).join(' ')}</p>}
        {outcome !== null && 'sent' in outcome && <Received {...outcome.sent} />}
      </div>
    </form>
  )
}

const COLUMNS: readonly Column<RequestRow>[] = [
  { name: 'Request', of: ({ request_id }) => <code>{request_id}</code> },
  worded('Name', ({ name, symbol }) => (name === null ? 'not opened yet' : `${name} ${symbol ?? ''}`)),
  worded('For', ({ request_type }) => request_type),
  badges('State', ({ status }) => status),
  { name: 'Sent', of: ({ submitted_at: at }) => <Time at={at} />, by: ({ submitted_at }) => submitted_at },
  { ...worded('Reason', ({ reason }) => reason), kind: 'prose' },
]

/** Returns a request; null: there is none with this id. */
async function requestOf(id: string, signal: AbortSignal): Promise<ListingRequestAnswer | null> {
  try {
    return (await api.listingRequest(id, { signal })).data
  } catch (error) {
    if (error instanceof NotFoundError) return null
    throw error
  }
}

/** The state of a request by its id, such as that of the last one that was sent. */
function LookUp({ id }: { readonly id: string }) {
  const [wanted, setWanted] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const look = (event: Event) => {
    event.preventDefault()
    setWanted(field.current?.value.trim() ?? '')
  }
  return (
    <>
      <form class="bar" onSubmit={look}>
        <input
          ref={field}
          id="request"
          defaultValue={id}
          key={id}
          required
          size={26}
          placeholder="Id of the request"
          aria-label="Id of the request"
          autocomplete="off"
          spellcheck={false}
        />
        <button type="submit" class="button">
          Look up
        </button>
      </form>
      <div id="lookup" role="status" aria-live="polite">
        {wanted !== '' && (
          <Loaded load={(signal) => requestOf(wanted, signal)} on={wanted}>
            {(found) =>
              found === null ? (
                <p class="notice">There is no request with this id.</p>
              ) : (
                <Table label="Request" columns={COLUMNS} rows={[found.request]} />
              )
            }
          </Loaded>
        )}
      </div>
    </>
  )
}

type QueueProps = Pick<ListingRequestsAnswer, 'counts' | 'rows'>

const Queue = ({ counts, rows }: QueueProps) =>
  rows.length === 0 ? (
    <Empty>No open requests.</Empty>
  ) : (
    <>
      <p class="soft">
        {Object.entries(counts)
          .filter(([, number]) => number > 0)
          .map(([state, number]) => `${count(number)} ${words(state)}`)
          .join(', ')}
        .
      </p>
      <Table
        label="Requests"
        columns={COLUMNS}
        rows={rows}
        text={({ name, symbol }) => `${name ?? ''} ${symbol ?? ''}`}
      />
    </>
  )

/** What a request is for, before the form, the look-up and the queue. */
export const RequestIntroduction = () => (
  <>
    <h1>Request a listing</h1>
    <p class="lead">
      Requests are free. People review them and give a reason for each decision. Nothing is published before a reviewer
      has read it. Your e-mail address and notes are never published.
    </p>
  </>
)

/** The form for a request, the state of one, and the queue. */
export function RequestPage() {
  const [last, setLast] = useState('')
  return (
    <>
      <RequestIntroduction />
      <RequestForm accepted={setLast} />
      <h2 id="look-up">Look up a request</h2>
      <LookUp id={last} />
      <h2>Queue</h2>
      <div id="queue">
        <Loaded load={async (signal) => (await api.listingRequests({ signal })).data} on={last}>
          {(queue) => <Queue {...queue} />}
        </Loaded>
      </div>
    </>
  )
}
