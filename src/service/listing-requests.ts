import { ListingRequestBody, MAX_BODY_BYTES, type Receipt, RequestStatus } from '../contract/listing-request.ts'
import { print } from '../contract/text.ts'
import { PREFIX } from '../contract/words.ts'
import { EVERY_ANSWER } from './headers.ts'
import type { Queue, RequestRecord } from './queue.ts'
import type { Refusal } from './resolve.ts'

/** Where listing requests are taken. */
export interface Desk {
  readonly queue: Queue
  /** Seconds that a sender has to wait before the next request; 0 when it may go on. Counts the call. */
  readonly wait: (sender: string) => Promise<number>
}

interface Setting {
  readonly desk: Desk
  readonly product: string
  readonly now: () => number
}

type Issues = readonly { readonly path: string; readonly message: string }[]
type Refuse = (
  refusal: Refusal & { issues?: { path: string; message: string }[] },
  headers?: Record<string, string>,
) => Response

const ENDPOINT = 'listing-requests'
const STATUS_ENDPOINT = `${PREFIX}/listing-requests`

const no = (
  status: number,
  code: Refusal['code'],
  message: string,
  allowed: Refusal['allowed'] = null,
  issues?: Issues,
): Parameters<Refuse>[0] => ({
  kind: 'refusal',
  endpoint: ENDPOINT,
  status,
  code,
  message,
  parameter: null,
  allowed,
  ...(issues ? { issues: [...issues] } : {}),
})

/** POST of a listing request. Everything that can be wrong is answered; only a broken queue throws. */
export async function submit(
  request: Request,
  sender: string,
  { desk, product, now }: Setting,
  refuse: Refuse,
): Promise<Response> {
  // The body is read before any refusal: a connection left with an unread body breaks the next request on it.
  const text = await bodyOf(request)
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/json\s*(;|$)/i.test(type))
    return refuse(no(415, 'unsupported_media_type', 'Send the request as JSON.', ['application/json']))
  if (text === 'too large')
    return refuse(no(413, 'payload_too_large', 'The request is too large.', `at most ${MAX_BODY_BYTES} bytes`))
  const senderDigest = await digest(sender)
  const seconds = await desk.wait(senderDigest)
  if (seconds > 0)
    return refuse(no(429, 'rate_limited', `Too many requests. Try again in ${seconds} s.`), {
      'retry-after': String(seconds),
    })

  const json = text === null ? undefined : parse(text.text)
  if (json === undefined) return refuse(no(400, 'invalid_json', 'The body is not JSON in UTF-8.'))
  const checked = ListingRequestBody.safeParse(json)
  if (!checked.success) {
    const issues = checked.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
    return refuse(no(422, 'invalid_request', 'Some members are missing or not as they should be.', null, issues))
  }
  const body = checked.data
  const ignored =
    typeof json === 'object' && json !== null ? Object.keys(json).filter((name) => !Object.hasOwn(body, name)) : []
  const kept = await keep(body, ignored, request.headers.get('idempotency-key'), senderDigest, desk.queue, now())
  if (kept === 'another body')
    return refuse(
      no(422, 'invalid_request', 'This Idempotency-Key was used for another request.', null, [
        { path: 'Idempotency-Key', message: 'was used for another request' },
      ]),
    )
  return accepted(kept, product)
}

async function keep(
  body: ListingRequestBody,
  ignored: readonly string[],
  key: string | null,
  sender: string,
  queue: Queue,
  now: number,
): Promise<RequestRecord | 'another body'> {
  const body_digest = await digest(JSON.stringify(body))
  const fingerprint = key === null ? body_digest : await digest(`${sender} ${key.slice(0, 256)}`)
  const at = `${new Date(now).toISOString().slice(0, 19)}Z`
  const record = await queue.add({
    request_id: fingerprint.slice(0, 24),
    status: 'pending',
    submitted_at: at,
    updated_at: at,
    fingerprint,
    body_digest,
    sender,
    body,
    ignored: ignored.map((name) => name.slice(0, 100)),
    reason_code: null,
    reason: null,
  })
  return record.body_digest === body_digest ? record : 'another body'
}

function accepted({ request_id, status, submitted_at, ignored }: RequestRecord, product: string): Response {
  const receipt: Receipt = {
    request_id,
    status,
    submitted_at,
    status_endpoint: STATUS_ENDPOINT,
    duplicate_of: null,
    ignored,
    warnings: [],
  }
  const answer = {
    ok: true,
    product,
    endpoint: ENDPOINT,
    timestamp: submitted_at,
    sourceStatus: 'ok',
    sourceError: null,
    request: receipt,
  }
  const headers = { ...EVERY_ANSWER, 'cache-control': 'no-store', location: STATUS_ENDPOINT }
  return new Response(print(answer), { status: 202, headers })
}

/** The body as text: null when it is no UTF-8, `too large` as soon as it is that; then the rest is not read. */
async function bodyOf(request: Request): Promise<{ readonly text: string } | 'too large' | null> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let bytes = 0
  try {
    for await (const chunk of request.body ?? []) {
      bytes += chunk.byteLength
      if (bytes > MAX_BODY_BYTES) return 'too large'
      text += decoder.decode(chunk, { stream: true })
    }
    return { text: text + decoder.decode() }
  } catch (error) {
    if (error instanceof TypeError) return null
    throw error
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** A request whose name a reviewer has not seen yet shows none: an unreviewed name in public is an advertisement. */
const UNOPENED = new Set<RequestRecord['status']>(['pending', 'expired', 'withdrawn'])

/** The public state of a queue: counts and rows, newest first, without a contact, a sender or a note. */
export function requestsOf(records: readonly RequestRecord[]) {
  const counts = Object.fromEntries(
    RequestStatus.options.map((status) => [status, records.filter((record) => record.status === status).length]),
  )
  const pending = records.filter(({ status }) => status === 'pending').map(({ submitted_at }) => submitted_at)
  const rows = records
    .toSorted((a, b) =>
      a.submitted_at === b.submitted_at
        ? a.request_id < b.request_id
          ? -1
          : 1
        : a.submitted_at < b.submitted_at
          ? 1
          : -1,
    )
    .map(({ request_id, status, submitted_at, updated_at, reason_code, reason, body }) => ({
      request_id,
      request_type: body.request_type,
      symbol: UNOPENED.has(status) ? null : body.symbol,
      name: UNOPENED.has(status) ? null : body.name,
      status,
      submitted_at,
      updated_at,
      reason_code,
      reason,
    }))
  return { counts, oldest_pending_at: pending.toSorted()[0] ?? null, count: rows.length, rows }
}

/** At most so many requests of one sender. */
export const SENDER_LIMITS = [
  { requests: 5, seconds: 3600 },
  { requests: 20, seconds: 86_400 },
] as const

/** Counts the requests of each sender in the memory of this process. `now` is in ms. */
export function senderLimiter(now: () => number): Desk['wait'] {
  const calls = new Map<string, number[]>()
  return async (sender) => {
    const at = now()
    const longest = Math.max(...SENDER_LIMITS.map(({ seconds }) => seconds)) * 1000
    const own = (calls.get(sender) ?? []).filter((call) => call > at - longest)
    const waits = SENDER_LIMITS.map(({ requests, seconds }) => {
      const recent = own.filter((call) => call > at - seconds * 1000)
      const oldest = recent.at(-requests)
      return recent.length < requests || oldest === undefined ? 0 : Math.ceil((oldest + seconds * 1000 - at) / 1000)
    })
    const wait = Math.max(...waits)
    if (wait === 0) own.push(at)
    calls.set(sender, own)
    if (calls.size > 10_000)
      for (const [name, times] of calls) if ((times.at(-1) ?? 0) <= at - longest) calls.delete(name)
    return wait
  }
}
