import { useEffect, useRef, useState } from 'preact/hooks'
import type { ListingRequestAnswer, ListingRequestsAnswer, RequestRow } from '../client/answers.ts'
import { ApiError, NoMirrorError, NotFoundError } from '../client/errors.ts'
import { api } from './api.ts'
import { badges, words as worded } from './columns.tsx'
import { Empty, Figure, Time } from './figures.tsx'
import { UNKNOWN, count, words } from './format.ts'
import { Fields, bodyOf, errorsOf } from './listing-form.tsx'
import { Loaded, sentenceOf } from './loaded.tsx'
import { Badge } from './marks.tsx'
import { type Column, Table } from './table.tsx'

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

type Sent = Awaited<ReturnType<typeof api.submitListingRequest>>['data']['request']
type Outcome = { readonly sent: Sent } | { readonly error: unknown } | 'sending' | null

function OutcomeText({ outcome, others }: { readonly outcome: Outcome; readonly others: readonly string[] }) {
  if (outcome === null) return null
  if (outcome === 'sending') return <p>Sending…</p>
  if ('error' in outcome)
    return (
      <>
        <p class="notice">{troubleOf(outcome.error)}</p>
        {others.map((text) => (
          <p>{text}</p>
        ))}
      </>
    )
  const { request_id, warnings, ignored } = outcome.sent
  return (
    <>
      <p>
        Request received. A reviewer will look at it. Keep its id: <code id="request-id">{request_id}</code>
      </p>
      {warnings.length > 0 && (
        <ul>
          {warnings.map((text) => (
            <li>{text}</li>
          ))}
        </ul>
      )}
      {ignored.length > 0 && <p>Unknown fields, not stored: {ignored.join(', ')}.</p>}
    </>
  )
}

function RequestForm({ accepted }: { readonly accepted: (id: string) => void }) {
  const [outcome, setOutcome] = useState<Outcome>(null)
  const form = useRef<HTMLFormElement>(null)
  const error = outcome !== null && outcome !== 'sending' && 'error' in outcome ? outcome.error : null
  const { byField, others } = errorsOf(error instanceof ApiError ? error.issues : [])
  useEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus(), [outcome])
  const send = async (element: HTMLFormElement) => {
    setOutcome('sending')
    try {
      const { data } = await api.submitListingRequest(bodyOf(new FormData(element)))
      setOutcome({ sent: data.request })
      element.reset()
      accepted(data.request.request_id)
    } catch (error) {
      setOutcome({ error })
    }
  }
  return (
    <form
      ref={form}
      novalidate
      class="form"
      onSubmit={(event) => {
        event.preventDefault()
        void send(event.currentTarget)
      }}
    >
      <Fields errors={byField} />
      <button type="submit" class="button primary">
        Send request
      </button>
      <div role="status" aria-live="polite">
        <OutcomeText outcome={outcome} others={others} />
      </div>
    </form>
  )
}

const State = ({ request }: ListingRequestAnswer) => (
  <dl class="figures">
    <Figure name="State">
      <Badge state={request.status} />
    </Figure>
    <Figure name="Sent">
      <Time at={request.submitted_at} />
    </Figure>
    <Figure name="Last change">
      <Time at={request.updated_at} />
    </Figure>
    <Figure name="Reason">{request.reason ?? UNKNOWN}</Figure>
  </dl>
)

function LookUp({ id }: { readonly id: string }) {
  const [found, setFound] = useState<ListingRequestAnswer | { readonly error: unknown } | null>(null)
  const field = useRef<HTMLInputElement>(null)
  const look = () => {
    const wanted = field.current?.value.trim() ?? ''
    if (wanted === '') return
    api.listingRequest(wanted).then(
      ({ data }) => setFound(data),
      (error: unknown) => setFound({ error }),
    )
  }
  return (
    <>
      <form
        class="bar"
        onSubmit={(event) => {
          event.preventDefault()
          look()
        }}
      >
        <label for="request" class="hidden">
          Id of the request
        </label>
        <input
          ref={field}
          id="request"
          name="request"
          defaultValue={id}
          key={id}
          placeholder="Id of the request"
          autocomplete="off"
          spellcheck={false}
        />
        <button type="submit" class="button">
          Look up
        </button>
      </form>
      <div id="lookup" role="status" aria-live="polite">
        {found === null ? null : 'error' in found ? (
          <p class="notice">
            {found.error instanceof NotFoundError ? 'There is no request with this id.' : sentenceOf(found.error)}
          </p>
        ) : (
          <State {...found} />
        )}
      </div>
    </>
  )
}

const COLUMNS: readonly Column<RequestRow>[] = [
  { name: 'Request', of: ({ request_id }) => <code>{request_id}</code> },
  worded('Name', ({ name, symbol }) => (name === null ? 'not opened yet' : `${name} ${symbol ?? ''}`)),
  worded('For', ({ request_type }) => request_type),
  badges('State', ({ status }) => status),
  { name: 'Sent', of: ({ submitted_at: at }) => <Time at={at} />, by: ({ submitted_at }) => submitted_at },
  { name: 'Reason', of: ({ reason }) => reason ?? UNKNOWN, kind: 'prose' },
]

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
