import { type Contract, fileOf, urlOf } from '../contract/contract.ts'
import type { ErrorAnswer } from '../contract/error.ts'
import { print } from '../contract/text.ts'
import { type Body, type Store, bodyOf, seal, successorIn } from './documents.ts'
import { DOCUMENT_CACHE, EVERY_ANSWER, PREFLIGHT_MAX_AGE, isUnchanged } from './headers.ts'
import { type Desk, requestsOf, submit } from './listing-requests.ts'
import { type Refusal, type Resolution, resolve } from './resolve.ts'

/** What a request is answered from. */
export interface Context {
  readonly contracts: readonly Contract[]
  readonly store: Store
  readonly desk: Desk
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
 * @param sender who asks, as the host knows it; only its digest is kept
 */
export async function serve(request: Request, sender: string, context: Context): Promise<Response> {
  try {
    const resolution = resolve(context.contracts, request.method, new URL(request.url))
    return await answer(request, sender, resolution, context)
  } catch (error) {
    context.report(error)
    return refuse(
      {
        kind: 'refusal',
        endpoint: 'index',
        status: 500,
        code: 'internal_error',
        message: 'Something went wrong here. Try again later.',
        parameter: null,
        allowed: null,
      },
      context,
    )
  }
}

function answer(
  request: Request,
  sender: string,
  resolution: Resolution,
  context: Context,
): Response | Promise<Response> {
  switch (resolution.kind) {
    case 'refusal':
      return refuse(resolution, context, request.method === 'HEAD')
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
      return submit(request, sender, context, (refusal, headers) => refuse(refusal, context, false, headers))
    default:
      return document(request, resolution, context)
  }
}

async function document(
  request: Request,
  resolution: Extract<Resolution, { kind: 'document' }>,
  context: Context,
): Promise<Response> {
  const { contract, key } = resolution
  const head = request.method === 'HEAD'
  const successor = await successorOf(resolution, context)
  if (successor !== null) {
    const location = urlOf(contract, { ...key, slug: successor })
    return new Response(null, { status: 308, headers: { ...EVERY_ANSWER, location, 'cache-control': DOCUMENT_CACHE } })
  }
  const published = await bodyOf(resolution, context.store)
  const body = published && contract.name === 'listing-requests' ? await liveRequests(published, context) : published
  if (body === null) return refuse(await missing(resolution, context), context, head)
  const etag = `"${body.sha256.slice(0, 32)}"`
  const headers = { ...EVERY_ANSWER, etag, 'last-modified': body.lastModified, 'cache-control': DOCUMENT_CACHE }
  if (isUnchanged(request.headers, etag, body.lastModified)) return new Response(null, { status: 304, headers })
  return new Response(head ? null : body.text, { status: 200, headers })
}

/** The state of the queue as it is now, in place of what the last publication said of it. */
async function liveRequests(published: Body, { desk, product }: Context): Promise<Body> {
  const records = await desk.queue.list()
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
  { contract, key }: Extract<Resolution, { kind: 'document' }>,
  { contracts, store }: Context,
): Promise<string | null> {
  const slug = key['slug']
  const profile = contracts.find(({ path }) => path === '/assets/:slug')
  if (slug === undefined || !profile) return null
  // An asset that stands for itself has all its documents; only for one without is its profile looked at.
  if (contract !== profile && (await store.read(fileOf(contract, key))) !== null) return null
  const text = await store.read(fileOf(profile, { slug }))
  return text === null ? null : successorIn(text)
}

async function missing(
  { contract }: Extract<Resolution, { kind: 'document' }>,
  { contracts, store }: Context,
): Promise<Refusal> {
  const refusal = { kind: 'refusal', endpoint: contract.name, parameter: null, allowed: null } as const
  const index = contracts.find(({ path }) => path === '')
  if (index && (await store.read(fileOf(index, {}))) === null)
    return { ...refusal, status: 503, code: 'unavailable', message: 'Nothing is published here yet. Try again later.' }
  return contract.path.includes('/:slug')
    ? { ...refusal, status: 404, code: 'asset_not_found', message: 'No asset has this slug.', parameter: 'slug' }
    : { ...refusal, status: 404, code: 'not_found', message: 'This document is not published.' }
}

function refuse(
  refusal: Refusal & { issues?: ErrorAnswer['error']['issues'] },
  context: Context,
  head = false,
  more = {},
): Response {
  const { endpoint, status, code, message, parameter, allowed, allow, issues } = refusal
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
      ...(issues ? { issues } : {}),
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
