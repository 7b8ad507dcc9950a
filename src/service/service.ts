import * as z from 'zod'
import { type EndpointSpec, fileOf, urlOf } from '../contract/endpoint-spec.ts'
import type { ErrorAnswer } from '../contract/error.ts'
import { AssetRow } from '../contract/asset.ts'
import { oneListingRequest } from '../endpoints/listing-requests.ts'
import { print } from '../contract/text.ts'
import { type Body, type Store, bodyOf, seal, successorIn } from './documents.ts'
import { DOCUMENT_CACHE, EVERY_ANSWER, PREFLIGHT_MAX_AGE, isUnchanged } from './headers.ts'
import { type Intake, submit } from './listing-requests.ts'
import { QueueError } from '../queue/queue.ts'
import type { Named } from '../review/look-alikes.ts'
import { requestsOf, rowOf } from '../queue/public-state.ts'
import type { Sender } from './sender.ts'
import { type RequestError, type Resolution, requestError, resolve } from './resolve.ts'

/** A queue that cannot be reached is tried again after so long. */
const QUEUE_RETRY_SECONDS = '60'

/** What a request is answered from. */
export interface Context {
  readonly specs: readonly EndpointSpec[]
  readonly store: Store
  readonly intake: Intake
  readonly product: string
  /** Time of day in ms since 1970. */
  readonly now: () => number
  /** Told of what should not have happened. */
  readonly report: (error: unknown) => void
}

/**
 * The whole service: one request in, one answer out, on any host that has the web's `Request` and `Response`. It never
 * throws: what goes wrong inside is an answer with status 500, and the cause goes to `report`.
 *
 * @param sender who asks, as the host knows it; only digests are kept of it
 */
export async function serve(request: Request, sender: Sender, context: Context): Promise<Response> {
  try {
    const resolution = resolve([...context.specs, oneListingRequest], request.method, new URL(request.url))
    return await answer(request, sender, resolution, context)
  } catch (error) {
    context.report(error)
    if (error instanceof QueueError)
      return errorResponse(
        requestError('listing-requests', 503, 'unavailable', 'Listing requests cannot be kept now. Try again later.', {
          headers: { 'retry-after': QUEUE_RETRY_SECONDS },
        }),
        context,
      )
    return errorResponse(
      requestError('index', 500, 'internal_error', 'Something went wrong here. Try again later.'),
      context,
    )
  }
}

function answer(
  request: Request,
  sender: Sender,
  resolution: Resolution,
  context: Context,
): Response | Promise<Response> {
  switch (resolution.kind) {
    case 'error':
      return errorResponse(resolution, context, request.method === 'HEAD')
    case 'preflight':
      return new Response(null, {
        status: 204,
        headers: {
          ...EVERY_ANSWER,
          allow: resolution.allow.join(', '),
          'access-control-allow-methods': resolution.allow.join(', '),
          'access-control-allow-headers': 'Content-Type, Idempotency-Key, If-None-Match, If-Modified-Since',
          'access-control-max-age': PREFLIGHT_MAX_AGE,
        },
      })
    case 'action':
      return submission(request, sender, context)
    default:
      return document(request, resolution, context)
  }
}

async function document(
  request: Request,
  resolution: Extract<Resolution, { kind: 'document' }>,
  context: Context,
): Promise<Response> {
  const { spec, key } = resolution
  if (spec === oneListingRequest) return requestState(request, String(key['request_id']), context)
  const head = request.method === 'HEAD'
  const successor = await successorOf(resolution, context)
  if (successor !== null) {
    const location = urlOf(spec, { ...key, slug: successor })
    return new Response(null, { status: 308, headers: { ...EVERY_ANSWER, location, 'cache-control': DOCUMENT_CACHE } })
  }
  const published = await bodyOf(resolution, context.store)
  const body = published && spec.name === 'listing-requests' ? await liveRequests(published, context) : published
  if (body === null) return errorResponse(await missing(resolution, context), context, head)
  return documentResponse(request, body)
}

function documentResponse(request: Request, body: Body): Response {
  const etag = `"${body.sha256.slice(0, 32)}"`
  const headers = { ...EVERY_ANSWER, etag, 'last-modified': body.lastModified, 'cache-control': DOCUMENT_CACHE }
  if (isUnchanged(request.headers, etag, body.lastModified)) return new Response(null, { status: 304, headers })
  return new Response(request.method === 'HEAD' ? null : body.text, { status: 200, headers })
}

/** The answer to a POST of a listing request. */
async function submission(request: Request, sender: Sender, context: Context): Promise<Response> {
  const outcome = await submit(request, sender, { ...context, verified: () => verifiedIn(context) })
  return outcome instanceof Response ? outcome : errorResponse(outcome, context)
}

const Listed = z.object({
  rows: z.array(AssetRow.pick({ slug: true, symbol: true, name: true, verification_status: true })),
})

/** Verified listings of the tree, none where there is no list. */
async function verifiedIn({ specs, store }: Context): Promise<readonly Named[]> {
  const assets = specs.find(({ path }) => path === '/assets')
  const text = assets ? await store.read(fileOf(assets, {})) : null
  const list = text === null ? null : Listed.safeParse(JSON.parse(text))
  return list?.success ? list.data.rows.filter(({ verification_status }) => verification_status === 'verified') : []
}

/** What became of one request. */
async function requestState(request: Request, id: string, context: Context): Promise<Response> {
  const { intake, product } = context
  const record = await intake.queue.get(id)
  const endpoint = oneListingRequest.name
  if (record === null) {
    const error = requestError(endpoint, 404, 'not_found', 'There is no such request.', { parameter: 'request_id' })
    return errorResponse(error, context, request.method === 'HEAD')
  }
  const envelope = { ok: true, product, endpoint, timestamp: record.updated_at, sourceStatus: 'ok', sourceError: null }
  return documentResponse(request, await seal(print({ ...envelope, request: rowOf(record) })))
}

/** The state of the queue as it is now, in place of what the last publication said of it. */
async function liveRequests(published: Body, { intake, product, report }: Context): Promise<Body> {
  const records = await intake.queue.list().catch((error: unknown) => {
    // What the last publication said is old, and better than nothing.
    report(error)
    return []
  })
  const newest = records
    .map(({ updated_at }) => updated_at)
    .toSorted()
    .at(-1)
  if (newest === undefined) return published
  const text = print({
    ok: true,
    product,
    endpoint: 'listing-requests',
    timestamp: newest,
    sourceStatus: 'ok',
    sourceError: null,
    ...requestsOf(records),
  })
  return seal(text)
}

/** The slug to ask instead, for an asset that gave up its own. */
async function successorOf(
  { spec, key }: Extract<Resolution, { kind: 'document' }>,
  { specs, store }: Context,
): Promise<string | null> {
  const slug = key['slug']
  const profile = specs.find(({ path }) => path === '/assets/:slug')
  if (slug === undefined || !profile) return null
  // Each document of an asset says what took its place. Where one is lost, the profile does.
  const text = (await store.read(fileOf(spec, key))) ?? (await store.read(fileOf(profile, { slug })))
  return text === null ? null : successorIn(text)
}

async function missing(
  { spec, pick }: Extract<Resolution, { kind: 'document' }>,
  { specs, store }: Context,
): Promise<RequestError> {
  const index = specs.find(({ path }) => path === '')
  if (index && (await store.read(fileOf(index, {}))) === null)
    return requestError(spec.name, 503, 'unavailable', 'Nothing is published here yet. Try again later.')
  if (pick)
    return requestError(spec.name, 404, 'not_found', 'No listing has this name there.', { parameter: pick.member })
  return spec.path.includes('/:slug')
    ? requestError(spec.name, 404, 'asset_not_found', 'No asset has this slug.', { parameter: 'slug' })
    : requestError(spec.name, 404, 'not_found', 'This document is not published.')
}

/** The response that says an error as the contract does. */
export function errorResponse(error: RequestError, context: Context, head = false): Response {
  const { endpoint, status, code, message, parameter, allowed, allow, issues, headers: more } = error
  const body: ErrorAnswer = {
    ok: false,
    product: context.product,
    endpoint,
    timestamp: `${new Date(context.now()).toISOString().slice(0, 19)}Z`,
    sourceStatus: 'ok',
    sourceError: null,
    error: {
      code,
      message,
      status,
      parameter,
      allowed: typeof allowed === 'string' || allowed === null ? allowed : [...allowed],
      ...(issues ? { issues: [...issues] } : {}),
    },
  }
  const headers = {
    ...EVERY_ANSWER,
    'cache-control': 'no-store',
    ...(allow ? { allow: allow.join(', ') } : {}),
    ...more,
  }
  return new Response(head ? null : print(body), { status, headers })
}
