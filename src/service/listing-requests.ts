import type * as z from 'zod'
import { HONEYPOT } from '../contract/site-files.ts'
import { ListingRequestBody, MAX_BODY_BYTES, type Receipt } from '../contract/listing-request.ts'
import { isObject, parseJson } from '../contract/read-json.ts'
import { keyedDigest } from '../contract/web-digest.ts'
import { printAnswer } from './documents.ts'
import { EVERY_ANSWER, EXPOSES_MORE } from './headers.ts'
import { type Named, lookAlikes, openDuplicate } from '../requests/look-alikes.ts'
import { type Queue, QueueError, type RequestRecord } from '../requests/queue.ts'
import { REQUESTS_PATH, isFull } from '../requests/public-state.ts'
import { type RequestError, requestError } from './resolve.ts'
import {
  type LimitStatus,
  SENDER_LIMITS,
  type Sender,
  type SenderLimits,
  limitStatus,
  tighter,
} from './sender-limits.ts'
import { isoOf } from '../contract/time.ts'
import { visible } from '../contract/visible.ts'

export interface Intake {
  readonly queue: Queue
  /** HMAC key of the digests of senders and bodies, stored with the queue. */
  readonly secret: string
  readonly limits: SenderLimits
  /** Serializes the requests of one sender within this process. Each further process may let one more request through. */
  readonly mutex: KeyedMutex
}

interface SubmissionContext {
  readonly intake: Intake
  readonly product: string
  readonly now: () => number
  readonly verified: () => Promise<readonly Named[]>
}

const ENDPOINT = 'listing-requests'
/** Retry-After of a full queue. Reviewers, who make room, are people. */
const FULL_RETRY_SECONDS = '3600'

const failure = (
  code: RequestError['code'],
  message: string,
  more: Partial<Pick<RequestError, 'allowed' | 'issues' | 'ignored' | 'headers'>> = {},
): RequestError => requestError(ENDPOINT, code, message, more)

/** Answers the POST of a listing request, with the accepting response or an error. @throws QueueError if the queue fails */
export async function submit(
  request: Request,
  sender: Sender,
  context: SubmissionContext,
): Promise<Response | RequestError> {
  // The body is read before any refusal: an unread body would break the next request on the connection.
  const text = await textOf(request)
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? ''))
    return failure('unsupported_media_type', 'The Content-Type must be application/json.', {
      allowed: ['application/json'],
    })
  if (text === 'too large')
    return failure('payload_too_large', 'The request body is too large.', {
      allowed: `at most ${MAX_BODY_BYTES} bytes`,
    })
  const json = text === null ? undefined : parseJson(text.text)
  if (json === undefined) return failure('invalid_json', 'The body is not JSON in UTF-8.')
  const checked = ListingRequestBody.safeParse(json, { error: issueMessage })
  if (!checked.success) {
    const issues = checked.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
    const named = Object.entries(json ?? {}).filter(([name]) => name in ListingRequestBody.shape)
    const ignored = ignoredIn(json, Object.fromEntries(named)).filter((name) => name !== HONEYPOT)
    return failure('invalid_request', 'Some members are missing or invalid.', { issues, ignored })
  }

  const { intake, product, now } = context
  const from = await digestsOf(sender, request.headers.get('idempotency-key'), intake.secret)
  const draft = await draftOf(checked.data, ignoredIn(json, checked.data), from, context)
  if (fillsHoneypot(json)) return accepted(draft, limitStatus([], now(), intake.limits.network), product)
  return intake.mutex(from.sender_block ?? from.sender, () => keep(draft, context))
}

/** Returns what is wrong with a member of a body in plain words; undefined: the schema's own message says it. */
function issueMessage(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.code === 'invalid_type')
    return issue.input === undefined ? 'is required' : `must be ${KINDS[issue.expected] ?? issue.expected}`
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`
  if (issue.code === 'too_small')
    return issue.origin === 'array' ? `must have at least ${issue.minimum}` : 'must not be empty'
  if (issue.code === 'too_big')
    return `must have at most ${issue.maximum}${issue.origin === 'string' ? ' characters' : ''}`
  return undefined
}

const KINDS: Readonly<Record<string, string>> = { string: 'a text', array: 'a list', object: 'an object' }

const fillsHoneypot = (json: unknown): boolean =>
  Object.entries(json ?? {}).some(([name, value]) => name === HONEYPOT && value !== '' && value !== null)

type Digests = Pick<RequestRecord, 'sender' | 'sender_block' | 'key_digest'>

async function digestsOf({ network, block }: Sender, key: string | null, secret: string): Promise<Digests> {
  const sender = await keyedDigest(secret, `sender ${network}`)
  return {
    sender,
    sender_block: block === null ? null : await keyedDigest(secret, `block ${block}`),
    key_digest: key === null ? null : await keyedDigest(secret, `key ${sender} ${key}`),
  }
}

async function draftOf(
  body: ListingRequestBody,
  ignored: readonly string[],
  from: Digests,
  { intake: { secret }, now }: SubmissionContext,
): Promise<RequestRecord> {
  const fingerprint = await keyedDigest(secret, `body ${JSON.stringify(body)}`)
  const at = isoOf(now())
  return {
    request_id: fingerprint.slice(0, 24),
    status: 'pending',
    submitted_at: at,
    updated_at: at,
    fingerprint,
    ...from,
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

/** Stores a new request. A repeated request gets the original answer and does not count against the limits. */
async function keep(draft: RequestRecord, context: SubmissionContext): Promise<Response | RequestError> {
  const { intake, product, verified } = context
  const records = await intake.queue.list()
  const status = (more: readonly number[]) => statusOf(draft, records, more, context)
  const before = status([])
  const known = records.find(({ request_id }) => request_id === draft.request_id)
  if (known) return accepted({ ...known, ignored: draft.ignored }, before, product)
  if (draft.key_digest !== null && records.some(({ key_digest }) => key_digest === draft.key_digest))
    return failure('invalid_request', 'This Idempotency-Key was used for another request.', {
      issues: [{ path: 'Idempotency-Key', message: 'was used for another request' }],
    })
  if (before.wait > 0)
    return failure('rate_limited', `Too many requests. Try again in ${before.wait} s.`, {
      headers: { ...before.headers, 'retry-after': String(before.wait) },
    })
  if (isFull(records))
    return failure('unavailable', 'The queue of listing requests is full. Try again later.', {
      headers: { 'retry-after': FULL_RETRY_SECONDS },
    })

  const duplicate = openDuplicate(draft.body, records)
  const warnings = lookAlikes(draft.body, await verified())
  if (duplicate) warnings.unshift('A request for the same asset is already open.')
  const record = await intake.queue.add({ ...draft, duplicate_of: duplicate?.request_id ?? null, warnings })
  return accepted(record, status([Date.parse(draft.submitted_at)]), product)
}

/** Returns the limit status of a sender, from the stored requests and those in progress. */
function statusOf(
  { sender, sender_block }: RequestRecord,
  records: readonly RequestRecord[],
  more: readonly number[],
  { intake: { limits }, now }: SubmissionContext,
): LimitStatus {
  const after = (isOwn: (record: RequestRecord) => boolean, of: SenderLimits['network']) =>
    limitStatus([...records.filter(isOwn).map((one) => Date.parse(one.submitted_at)), ...more], now(), of)
  const ofSender = after((record) => record.sender === sender, limits.network)
  if (sender_block === null) return ofSender
  return tighter(
    ofSender,
    after((record) => record.sender_block === sender_block, limits.block),
  )
}

function accepted(record: RequestRecord, { headers }: LimitStatus, product: string): Response {
  const { request_id, status, submitted_at, duplicate_of, ignored, warnings } = record
  const status_endpoint = `${REQUESTS_PATH}/${request_id}`
  const request: Receipt = { request_id, status, submitted_at, status_endpoint, duplicate_of, ignored, warnings }
  return new Response(printAnswer({ product, endpoint: ENDPOINT, timestamp: submitted_at }, { request }), {
    status: 202,
    headers: { ...EVERY_ANSWER, ...EXPOSES_MORE, ...headers, 'cache-control': 'no-store', location: status_endpoint },
  })
}

const closed = () => Promise.reject(new QueueError('No queue is configured. See listing requests in the README.'))

/** Queue of a host without one: it shows the published state and accepts nothing. */
const NO_QUEUE: Queue = {
  add: closed,
  get: async () => null,
  list: async () => [],
  update: closed,
  remove: closed,
}

/**
 * Returns what accepts listing requests.
 *
 * @param queue the queue and the HMAC key of its senders; null: none, so that a POST is answered with 503
 * @param mutex that of earlier requests, where each has an intake of its own
 */
export const intakeOf = (queue: Pick<Intake, 'queue' | 'secret'> | null, mutex = keyedMutex()): Intake => ({
  ...(queue ?? { queue: NO_QUEUE, secret: 'none' }),
  limits: SENDER_LIMITS,
  mutex,
})

/** Runs tasks with the same key one after another, and tasks with different keys concurrently. */
export type KeyedMutex = <T>(key: string, run: () => Promise<T>) => Promise<T>

/** Creates a mutex for this process. */
export function keyedMutex(): KeyedMutex {
  const last = new Map<string, Promise<unknown>>()
  return async (key, run) => {
    // The previous task may have failed. Its own caller handles that.
    const own = (last.get(key) ?? Promise.resolve()).then(run, run)
    last.set(key, own)
    try {
      return await own
    } finally {
      if (last.get(key) === own) last.delete(key)
    }
  }
}

/**
 * Returns the body as text, null if it is not UTF-8 or ends early, or `too large`. The rest of a too large body is not read.
 */
export async function textOf(request: Request): Promise<{ readonly text: string } | 'too large' | null> {
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
  } catch {
    return null
  }
}

/** Maximum number and length of the names of unknown members. They come from the sender and are stored. */
const MOST_NAMES = 50
const NAME_LENGTH = 100

/** Returns the paths of unknown members of a body, such as `colour` or `contracts.0.colour`, safe to print anywhere. */
export function ignoredIn(sent: unknown, understood: unknown): string[] {
  const names: string[] = []
  const visit = (given: unknown, kept: unknown, path: string) => {
    if (!isObject(given) || !isObject(kept)) return
    for (const [name, value] of Object.entries(given)) {
      if (names.length === MOST_NAMES) return
      if (Object.hasOwn(kept, name)) visit(value, kept[name], `${path}${name}.`)
      else names.push(visible((path + name).slice(0, NAME_LENGTH)).slice(0, NAME_LENGTH))
    }
  }
  visit(sent, understood, '')
  return names
}
