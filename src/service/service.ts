import * as z from 'zod'
import { type EndpointSpec, computedParameter, fileOf, urlOf } from '../contract/endpoint-spec.ts'
import type { ErrorAnswer } from '../contract/error.ts'
import { AssetRow } from '../contract/asset.ts'
import { oneListingRequest } from '../endpoints/listing-requests.ts'
import { readJson } from '../contract/read-json.ts'
import { print } from '../contract/text.ts'
import { type Body, type Store, bodyOf, computedBody, csvBody, seal, successorIn } from './documents.ts'
import { DOCUMENT_CACHE, EVERY_ANSWER, PREFLIGHT_MAX_AGE, isUnchanged } from './headers.ts'
import { type Intake, submit } from './listing-requests.ts'
import { QueueError } from '../queue/queue.ts'
import type { Named } from '../review/look-alikes.ts'
import { requestsOf, rowOf } from '../queue/public-state.ts'
import { prefersCsv } from './negotiation.ts'
import type { Sender } from './sender.ts'
import { type RequestError, type Resolution, requestError, resolve } from './resolve.ts'

/** Retry-After while the queue is unreachable. */
const QUEUE_RETRY_SECONDS = '60'

/** Dependencies of the service. */
export interface Context {
  readonly specs: readonly EndpointSpec[]
  readonly store: Store
  readonly intake: Intake
  readonly product: string
  /** Time of day in ms since 1970. */
  readonly now: () => number
  /** Called with unexpected errors. */
  readonly report: (error: unknown) => void
}

/**
 * Answers a request on any host with the web-standard `Request` and `Response`. It never throws: an internal error becomes
 * an answer with status 500, and its cause goes to `report`.
 *
 * @param sender the sender, as known to the host; only digests of it are stored
 */
export async function serve(request: Request, sender: Sender, context: Context): Promise<Response> {
  try {
    const csv = prefersCsv(request.headers.get('accept') ?? '')
    const resolution = resolve([...context.specs, oneListingRequest], request.method, new URL(request.url), csv)
    return await answer(request, sender, resolution, context)
  } catch (error) {
    context.report(error)
    if (error instanceof QueueError)
      return errorResponse(
        requestError(
          'listing-requests',
          'unavailable',
          'Listing requests cannot be stored at the moment. Try again later.',
          {
            headers: { 'retry-after': QUEUE_RETRY_SECONDS },
          },
        ),
        context,
      )
    return errorResponse(requestError('index', 'internal_error', 'Internal error. Try again later.'), context)
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
  if (resolution.computed) return computedDocument(request, { ...resolution, computed: resolution.computed }, context)
  const published = await bodyOf(resolution, context.store)
  const body = published && spec.name === 'listing-requests' ? await liveRequests(published, context) : published
  if (body === null) return errorResponse(await missing(resolution, context), context, head)
  if (computedParameter(spec, 'format') === undefined) return documentResponse(request, body)
  return documentResponse(request, resolution.csv ? await csvBody(body, spec) : body, BY_ACCEPT)
}

/** Headers of documents whose format depends on the `Accept` header. */
const BY_ACCEPT = { vary: `Accept, ${EVERY_ANSWER['vary']}` }

async function computedDocument(
  request: Request,
  resolution: Parameters<typeof computedBody>[0],
  context: Context,
): Promise<Response> {
  const { specs, store } = context
  const head = request.method === 'HEAD'
  const rates = specs.find(({ path }) => path === '/rates')
  const outcome = await computedBody(resolution, store, rates ? fileOf(rates, {}) : '')
  if (outcome === null) return errorResponse(await missing(resolution, context), context, head)
  return 'kind' in outcome ? errorResponse(outcome, context, head) : documentResponse(request, outcome)
}

function documentResponse(request: Request, body: Body, more: Readonly<Record<string, string>> = {}): Response {
  const etag = `"${body.sha256.slice(0, 32)}"`
  const headers = {
    ...EVERY_ANSWER,
    ...(body.contentType === undefined ? {} : { 'content-type': body.contentType }),
    etag,
    'last-modified': body.lastModified,
    'cache-control': DOCUMENT_CACHE,
    ...more,
  }
  if (isUnchanged(request.headers, etag, body.lastModified)) return new Response(null, { status: 304, headers })
  return new Response(request.method === 'HEAD' ? null : body.text, { status: 200, headers })
}

/** Answers the POST of a listing request. */
async function submission(request: Request, sender: Sender, context: Context): Promise<Response> {
  const outcome = await submit(request, sender, { ...context, verified: () => verifiedIn(context) })
  return outcome instanceof Response ? outcome : errorResponse(outcome, context)
}

const Listed = z.object({
  rows: z.array(AssetRow.pick({ slug: true, symbol: true, name: true, verification_status: true })),
})

/** Returns the verified listings of the tree, none if there is no list. */
async function verifiedIn({ specs, store }: Context): Promise<readonly Named[]> {
  const assets = specs.find(({ path }) => path === '/assets')
  const text = assets ? await store.read(fileOf(assets, {})) : null
  return readJson(text, Listed)?.rows.filter(({ verification_status }) => verification_status === 'verified') ?? []
}

/** Returns the state of one listing request. */
async function requestState(request: Request, id: string, context: Context): Promise<Response> {
  const { intake, product } = context
  const record = await intake.queue.get(id)
  const endpoint = oneListingRequest.name
  if (record === null) {
    const error = requestError(endpoint, 'not_found', 'There is no request with this id.', {
      parameter: 'request_id',
    })
    return errorResponse(error, context, request.method === 'HEAD')
  }
  const envelope = { ok: true, product, endpoint, timestamp: record.updated_at, sourceStatus: 'ok', sourceError: null }
  return documentResponse(request, await seal(print({ ...envelope, request: rowOf(record) })))
}

/** Returns the current state of the queue instead of the published one. */
async function liveRequests(published: Body, { intake, product, report }: Context): Promise<Body> {
  const records = await intake.queue.list().catch((error: unknown) => {
    // The published state is outdated, but better than an error.
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

/** Returns the replacement of a retired slug. */
async function successorOf(
  { spec, key }: Extract<Resolution, { kind: 'document' }>,
  { specs, store }: Context,
): Promise<string | null> {
  const slug = key['slug']
  const profile = specs.find(({ path }) => path === '/assets/:slug')
  if (slug === undefined || !profile) return null
  // Each document of an asset names the replacement. If one is lost, the profile does.
  const text = (await store.read(fileOf(spec, key))) ?? (await store.read(fileOf(profile, { slug })))
  return text === null ? null : successorIn(text)
}

async function missing(
  { spec, pick }: Extract<Resolution, { kind: 'document' }>,
  { specs, store }: Context,
): Promise<RequestError> {
  const index = specs.find(({ path }) => path === '')
  if (index && (await store.read(fileOf(index, {}))) === null)
    return requestError(spec.name, 'unavailable', 'Nothing has been published yet. Try again later.')
  if (pick) return requestError(spec.name, 'not_found', 'No listing matches.', { parameter: pick.member })
  return spec.path.includes('/:slug')
    ? requestError(spec.name, 'asset_not_found', 'No asset has this slug.', { parameter: 'slug' })
    : requestError(spec.name, 'not_found', 'This document is not published.')
}

/** Returns the response of an error in the format of the contract. */
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
