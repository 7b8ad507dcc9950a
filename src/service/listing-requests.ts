import { HONEYPOT } from '../contract/honeypot.ts'
import { ListingRequestBody, MAX_BODY_BYTES, type Receipt } from '../contract/listing-request.ts'
import { print } from '../contract/text.ts'
import { keyedDigest } from './digest.ts'
import { EVERY_ANSWER } from './headers.ts'
import { type Named, lookAlikes, openDuplicate } from '../review/look-alikes.ts'
import { ignoredIn, jsonOf, textOf } from './post-body.ts'
import type { Queue, RequestRecord } from '../queue/queue.ts'
import { REQUESTS_PATH } from '../queue/public-state.ts'
import { type Refusal, refusalOf } from './resolve.ts'
import { type Limit, type Standing, standing } from './sender-limits.ts'
import type { InTurn } from './turns.ts'

/** Where listing requests are taken. */
export interface Desk {
  readonly queue: Queue
  /** Kept with the queue: what senders and bodies are digested with. */
  readonly secret: string
  readonly limits: readonly Limit[]
  /** One sender's requests are counted one by one; of several processes, each may let the one in hand through. */
  readonly inTurn: InTurn
}

/** What a submission is judged by. */
export interface Counter {
  readonly desk: Desk
  readonly product: string
  readonly now: () => number
  /** Listings whose identity is confirmed. */
  readonly verified: () => Promise<readonly Named[]>
}

type Issues = readonly { readonly path: string; readonly message: string }[]
export type No = Refusal & { readonly issues?: Issues; readonly headers?: Readonly<Record<string, string>> }

const ENDPOINT = 'listing-requests'

const no = (status: number, code: No['code'], message: string, more: Partial<No> = {}): No => ({
  ...refusalOf(ENDPOINT, status, code, message),
  ...more,
})

/** POST of a listing request. Everything that can be wrong is answered; only a broken queue throws. */
export async function submit(request: Request, sender: string, counter: Counter): Promise<Response | No> {
  // The body is read before any refusal: a connection left with an unread body breaks the next request on it.
  const text = await textOf(request)
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? ''))
    return no(415, 'unsupported_media_type', 'Send the request as JSON.', { allowed: ['application/json'] })
  if (text === 'too large')
    return no(413, 'payload_too_large', 'The request is too large.', { allowed: `at most ${MAX_BODY_BYTES} bytes` })
  const json = text === null ? undefined : jsonOf(text.text)
  if (json === undefined) return no(400, 'invalid_json', 'The body is not JSON in UTF-8.')
  const checked = ListingRequestBody.safeParse(json)
  if (!checked.success) {
    const issues = checked.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
    return no(422, 'invalid_request', 'Some members are missing or not as they should be.', { issues })
  }

  const { secret, inTurn } = counter.desk
  const from = await keyedDigest(secret, `sender ${sender}`)
  const key = request.headers.get('idempotency-key')
  const draft = await draftOf(checked.data, ignoredIn(json, checked.data), from, key, counter)
  if (isCaught(json)) return accepted(draft, standing([], counter.now(), counter.desk.limits), counter.product)
  return inTurn(from, () => keep(draft, counter))
}

const isCaught = (json: unknown): boolean =>
  Object.entries(json ?? {}).some(([name, value]) => name === HONEYPOT && value !== '' && value !== null)

async function draftOf(
  body: ListingRequestBody,
  ignored: readonly string[],
  sender: string,
  key: string | null,
  { desk: { secret }, now }: Counter,
): Promise<RequestRecord> {
  const fingerprint = await keyedDigest(secret, `body ${JSON.stringify(body)}`)
  const at = `${new Date(now()).toISOString().slice(0, 19)}Z`
  return {
    request_id: fingerprint.slice(0, 24),
    status: 'pending',
    submitted_at: at,
    updated_at: at,
    fingerprint,
    key_digest: key === null ? null : await keyedDigest(secret, `key ${sender} ${key}`),
    sender,
    body,
    ignored: ignored.filter((name) => name !== HONEYPOT),
    duplicate_of: null,
    warnings: [],
    reason_code: null,
    reason: null,
    listing: null,
    changes: [],
  }
}

/** Keeps a request that is new; one that was sent before is answered as it was then, and counts against no limit. */
async function keep(draft: RequestRecord, { desk, product, now, verified }: Counter): Promise<Response | No> {
  const records = await desk.queue.list()
  const times = records
    .filter(({ sender }) => sender === draft.sender)
    .map(({ submitted_at }) => Date.parse(submitted_at))
  const before = standing(times, now(), desk.limits)
  const known = records.find(({ request_id }) => request_id === draft.request_id)
  if (known) return accepted(known, before, product)
  if (draft.key_digest !== null && records.some(({ key_digest }) => key_digest === draft.key_digest))
    return no(422, 'invalid_request', 'This Idempotency-Key was used for another request.', {
      issues: [{ path: 'Idempotency-Key', message: 'was used for another request' }],
    })
  if (before.wait > 0)
    return no(429, 'rate_limited', `Too many requests. Try again in ${before.wait} s.`, {
      headers: { ...before.headers, 'retry-after': String(before.wait) },
    })

  const duplicate = openDuplicate(draft.body, records)
  const warnings = lookAlikes(draft.body, await verified())
  if (duplicate) warnings.unshift('A request for the same asset is open already.')
  const record = await desk.queue.add({ ...draft, duplicate_of: duplicate?.request_id ?? null, warnings })
  return accepted(record, standing([...times, Date.parse(draft.submitted_at)], now(), desk.limits), product)
}

function accepted(record: RequestRecord, { headers }: Standing, product: string): Response {
  const { request_id, status, submitted_at, duplicate_of, ignored, warnings } = record
  const status_endpoint = `${REQUESTS_PATH}/${request_id}`
  const request: Receipt = { request_id, status, submitted_at, status_endpoint, duplicate_of, ignored, warnings }
  const health = { sourceStatus: 'ok', sourceError: null }
  return new Response(print({ ok: true, product, endpoint: ENDPOINT, timestamp: submitted_at, ...health, request }), {
    status: 202,
    headers: { ...EVERY_ANSWER, ...headers, 'cache-control': 'no-store', location: status_endpoint },
  })
}
