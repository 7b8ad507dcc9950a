import { closest } from 'fastest-levenshtein'
import pLimit from 'p-limit'
import type * as z from 'zod'
import { ListingRequestBody, MAX_BODY_BYTES, type Receipt, RequestContract } from '../core/contract/listing-request.ts'
import { lru } from '../core/contract/lru.ts'
import { PREFIX } from '../core/contract/prefix.ts'
import { isObject, parseJson } from '../core/contract/read-json.ts'
import { HONEYPOT } from '../core/contract/site-files.ts'
import { DAY_MS, isoOf } from '../core/contract/time.ts'
import { visible } from '../core/contract/visible.ts'
import { keyedDigest } from '../core/contract/web-digest.ts'
import { listedAlready, listingsIn, openDuplicate } from '../requests/duplicates.ts'
import { QueueError, type RequestRecord, isFull } from '../requests/queue.ts'
import { printAnswer } from './documents.ts'
import { successorOf } from './publication.ts'
import { NOT_STORED } from './http.ts'
import { RequestError } from './resolve.ts'
import type { Context, Intake } from './context.ts'

const ENDPOINT = 'listing-requests'
export const REQUESTS_PER_DAY = 10

const failure = (
  code: RequestError['problem']['code'],
  message: string,
  more?: ConstructorParameters<typeof RequestError>[3],
): RequestError => new RequestError(ENDPOINT, code, message, more)

/** Answers the POST of a listing request. @throws RequestError if it is refused, and QueueError if the queue fails */
export async function submit(request: Request, sender: string, context: Context): Promise<Response> {
  // The body is read before any refusal: an unread body would break the next request on the connection.
  const text = await textOf(request)
  if (!/^application\/json\s*(;|$)/i.test(request.headers.get('content-type') ?? ''))
    throw failure('unsupported_media_type', 'The Content-Type must be application/json.', {
      allowed: ['application/json'],
    })
  if (!/^(identity)?$/i.test(request.headers.get('content-encoding') ?? ''))
    throw failure('unsupported_media_type', 'The body must not be compressed.', { allowed: ['identity'] })
  if (text === null)
    throw failure('payload_too_large', 'The request body is too large.', { allowed: `at most ${MAX_BODY_BYTES} bytes` })
  const json = parseJson(text)
  if (json === undefined) throw failure('invalid_json', 'The body is not JSON in UTF-8.')
  const checked = ListingRequestBody.safeParse(json, { error: issueMessage })
  const ignored = unknownMembers(json)
  if (!checked.success) {
    const issues = checked.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
    throw failure('invalid_request', 'Some members are missing or invalid.', { issues, ignored })
  }

  const { intake, product, now } = context
  const body = checked.data
  const at = isoOf(now())
  const secret = typeof intake.secret === 'string' ? intake.secret : await intake.secret()
  const draft: RequestRecord = {
    request_id: (await keyedDigest(secret, `body ${JSON.stringify(body)}`)).slice(0, 24),
    status: 'pending',
    submitted_at: at,
    updated_at: at,
    sender: await keyedDigest(secret, `sender ${networkOf(sender)}`),
    body,
    duplicate_of: null,
    reason: null,
  }
  const isFromProgram = isObject(json) && (json[HONEYPOT] ?? '') !== ''
  const record = isFromProgram ? draft : await inTurn(draft.sender, () => keep(draft, context))
  const { request_id, status, submitted_at, duplicate_of } = record
  const warnings = duplicate_of === null ? [] : [`It may be a duplicate of ${duplicate_of}.`]
  const status_endpoint = `${PREFIX}/listing-requests/${request_id}`
  const receipt: Receipt = { request_id, status, submitted_at, status_endpoint, duplicate_of, ignored, warnings }
  return new Response(printAnswer({ product, endpoint: ENDPOINT, timestamp: submitted_at }, { request: receipt }), {
    status: 202,
    headers: { ...NOT_STORED, location: status_endpoint },
  })
}

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

/** A slow queue delays the requests of one sender and no others, of which at most this many use the queue at once. */
const atOnce = pLimit(8)
/** Turns of the last senders: more do not come during one request. */
const turns = lru<ReturnType<typeof pLimit>>(10_000)

/** Runs the work of a sender after that before it, so that no request passes a limit beside another. */
function inTurn<Result>(sender: string, work: () => Promise<Result>): Promise<Result> {
  const turn = turns.get(sender) ?? pLimit(1)
  turns.put(sender, turn)
  return turn(() => atOnce(work))
}

/** Stores a new request. One that is stored already does not count against the limits. */
async function keep(draft: RequestRecord, { intake: { queue }, now, read }: Context): Promise<RequestRecord> {
  const records = await queue.list()
  const known = records.find(({ request_id }) => request_id === draft.request_id)
  if (known) return known
  checkLimits(draft, records, now())

  const { body } = draft
  const { slug = '' } = body
  const listings = await listingsIn(read)
  const slugs = listings.map((listing) => listing.slug)
  if (body.request_type !== 'new' && !slugs.includes(slug)) {
    const nearest =
      slugs.length === 0 ? '' : ` The nearest is ${(await successorOf(read, slug)) ?? closest(slug, slugs)}.`
    const issues = [{ path: 'slug', message: `No listing has this slug.${nearest}` }]
    throw failure('invalid_request', `No listing has the slug ${slug}.${nearest}`, { issues })
  }
  const duplicate_of = (await listedAlready(body, listings, read)) ?? openDuplicate(body, records)?.request_id ?? null
  return queue.add({ ...draft, duplicate_of })
}

/** @throws RequestError if a queue takes no further request, or none of a sender */
function checkLimits({ sender }: RequestRecord, records: readonly RequestRecord[], now: number): void {
  const ends = records
    .filter((record) => record.sender === sender)
    .map(({ submitted_at }) => Date.parse(submitted_at) + DAY_MS)
    .toSorted((a, b) => a - b)
  const seconds = Math.ceil(((ends.at(-REQUESTS_PER_DAY) ?? now) - now) / 1000)
  if (seconds > 0)
    throw failure('rate_limited', `At most ${REQUESTS_PER_DAY} requests a day. Try again in ${seconds} s.`, {
      headers: { 'retry-after': String(seconds) },
    })
  if (isFull(records))
    throw failure('unavailable', 'The queue of listing requests is full. Try again later.', {
      // Reviewers, who make room, are people.
      headers: { 'retry-after': '3600' },
    })
}

const noQueue = () =>
  Promise.reject(new QueueError('No queue is configured. Set --database of npm run config -- --host cloudflare.'))

/** A host without a queue shows the published state, and answers a POST with 503. */
export const WITHOUT_QUEUE: Intake = {
  queue: { add: noQueue, get: async () => null, list: async () => [], update: noQueue },
  secret: 'none',
}

/** An IPv4 address without its port, or the first four groups of an IPv6 address: a customer has a /64 at least. */
export const networkOf = (address: string): string =>
  /^\d+\.[\d.]+|^(?:[^:]+:){0,3}[^:]+/.exec(address.replace(/^::ffff:/i, ''))?.[0] ?? ''

/** Null: it is too large, and its rest is not read. Empty, which is no JSON: it is not UTF-8, or ends early. */
async function textOf(request: Request): Promise<string | null> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let bytes = 0
  try {
    for await (const chunk of request.body ?? []) {
      bytes += chunk.byteLength
      if (bytes > MAX_BODY_BYTES) return null
      text += decoder.decode(chunk, { stream: true })
    }
    return text + decoder.decode()
  } catch {
    return ''
  }
}

/** Maximum number and length of the names of unknown members. They come from the sender. */
const MOST_NAMES = 50
const NAME_LENGTH = 100

/** Returns the names of the unknown members of a body, such as `colour` or `contracts.0.colour`, safe to print anywhere. */
function unknownMembers(json: unknown): string[] {
  if (!isObject(json)) return []
  const unknown = (object: unknown, shape: object) =>
    Object.keys(isObject(object) ? object : {}).filter((name) => !Object.hasOwn(shape, name))
  const contracts = Array.isArray(json['contracts']) ? json['contracts'] : []
  return [
    ...unknown(json, { ...ListingRequestBody.shape, [HONEYPOT]: true }),
    ...contracts.flatMap((one, at) => unknown(one, RequestContract.shape).map((name) => `contracts.${at}.${name}`)),
  ]
    .slice(0, MOST_NAMES)
    .map((name) => visible(name.slice(0, NAME_LENGTH)).slice(0, NAME_LENGTH))
}
