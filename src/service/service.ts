import { max } from 'd3-array'
import { type Env, type Context as HttpContext, Hono } from 'hono'
import * as z from 'zod'
import { type EndpointSpec, type Key, computedParameter, fileOf, urlOf } from '../core/contract/endpoint-spec.ts'
import type { ErrorAnswer } from '../core/contract/error.ts'
import { ChainRow } from '../core/contract/identity.ts'
import { counted } from '../core/endpoints/endpoint.ts'
import { ratesOfDay } from '../core/endpoints/rates.ts'
import { oneListingRequest } from '../core/endpoints/operations.ts'
import { renameFile } from '../core/contract/paths.ts'
import { readJson } from '../core/contract/read-json.ts'
import { print } from '../core/contract/text.ts'
import {
  type Body,
  type DocumentRequest,
  type Store,
  bodyOf,
  computedBody,
  csvBody,
  documentResponse,
  printAnswer,
  seal,
  successorIn,
} from './documents.ts'
import { BY_ACCEPT, DOCUMENT_CACHE, EVERY_ANSWER, EXPOSES_MORE, conditional, preflight, prefersCsv } from './headers.ts'
import { type Intake, submit } from './listing-requests.ts'
import { QueueError } from '../requests/queue.ts'
import { requestsOf, rowOf } from '../requests/decisions.ts'
import { ratesOfDayIn } from './day-rates.ts'
import { shapedApp } from './shapes.ts'
import { type RequestError, nothingNamed, requestError, resolve } from './resolve.ts'
import { HEALTHY } from '../core/contract/envelope.ts'
import { isoOf } from '../core/contract/time.ts'

/** Retry-After while the queue is unreachable. */
const QUEUE_RETRY_SECONDS = '60'

/** An answer to a read. */
export interface Reply {
  /** Equal for equal answers of one publication: a host with memory keeps the answer under it. Without one, it does not. */
  readonly name?: string | undefined
  /** Whether the body is a stream, which is never held as a whole. */
  readonly streams?: true
  readonly respond: () => Promise<Response>
}

export interface Context {
  readonly specs: readonly EndpointSpec[]
  readonly store: Store
  readonly intake: Intake
  readonly product: string
  /** Time of day in ms since 1970. */
  readonly now: () => number
  readonly report: (error: unknown) => void
}

interface Visit extends Context {
  /** Returns who sent the request, as known to the host; only digests of it are stored. */
  readonly sender: () => string
  /** Answers a read with what the host keeps. By default, nothing is kept. */
  readonly deliver?: (reply: Reply) => Promise<Response>
}

/**
 * Creates the service for any host, as an app that answers every path. An internal error is answered with status 500, and
 * its cause goes to `report`.
 */
export function serviceApp<E extends Env>(visitOf: (c: HttpContext<E>) => Visit): Hono<E> {
  const app = new Hono<E>()
  app.onError((error, c) => failed(error, visitOf(c)))
  app.route('/', shapedApp(visitOf))
  app.all('*', async (c) => {
    const { method, raw, url } = c.req
    const visit = visitOf(c)
    const csv = prefersCsv(c.req.header('accept') ?? '')
    const resolution = resolve([...visit.specs, oneListingRequest], method, new URL(url), csv)
    if (resolution.kind === 'error') return errorResponse(resolution, visit)
    if (resolution.kind === 'preflight') return preflight(resolution.allow, 'Content-Type')
    if (resolution.kind === 'action') return submission(raw, visit)
    const reply = replyTo(resolution, visit)
    return visit.deliver ? visit.deliver(reply) : conditional(raw, await reply.respond())
  })
  return app
}

function failed(error: unknown, context: Context): Response {
  context.report(error)
  if (!(error instanceof QueueError))
    return errorResponse(requestError('index', 'internal_error', 'Internal error. Try again later.'), context)
  const message = 'Listing requests cannot be stored at the moment. Try again later.'
  const headers = { 'retry-after': QUEUE_RETRY_SECONDS }
  return errorResponse(requestError('listing-requests', 'unavailable', message, { headers }), context)
}

function replyTo(request: DocumentRequest, visit: Visit): Reply {
  const { spec, key, file, limited, pick, computed, csv } = request
  if (spec === oneListingRequest) return { respond: () => requestState(String(key['request_id']), visit) }
  const isQueue = spec.name === 'listing-requests'
  return {
    name: isQueue ? undefined : JSON.stringify([spec.path, file, limited?.rows, pick?.value, computed, csv]),
    respond: () => document(request, visit),
  }
}

async function document(request: DocumentRequest, context: Context): Promise<Response> {
  const { spec, key, computed } = request
  const current = (await successorOf(request, context)) ?? (await chainNamed(request, context))
  if (current !== null) {
    const location = urlOf(spec, { ...key, ...current })
    return new Response(null, { status: 308, headers: { ...EVERY_ANSWER, location, 'cache-control': DOCUMENT_CACHE } })
  }
  if (computed) return computedDocument({ ...request, computed }, context)
  if (spec === ratesOfDay) return dayRates(request, context)
  const published = await bodyOf(request, context.store)
  const body = published && spec.name === 'listing-requests' ? await liveRequests(published, context) : published
  if (body === null) return errorResponse(await missing(request, context), context)
  const format = computedParameter(spec, 'format')
  return documentResponse(request.csv ? await csvBody(body, request) : body, format === undefined ? {} : BY_ACCEPT)
}

/** Returns the text of the document at a path without names; null: there is none. */
async function listAt(path: string, { specs, store }: Pick<Context, 'specs' | 'store'>): Promise<string | null> {
  const list = specs.find((spec) => spec.path === path)
  return list ? store.read(fileOf(list, {})) : null
}

async function dayRates({ spec, key }: DocumentRequest, context: Context): Promise<Response> {
  const day = String(key['day'])
  const found = await ratesOfDayIn(context.store.read, day)
  if (found !== null) {
    const { rows, timestamp } = found
    const head = { product: context.product, endpoint: spec.name, timestamp }
    return documentResponse(await seal(printAnswer(head, { day, ...counted(rows) })))
  }
  const message = 'There are no rates of this day: it is before the first one, or in the future.'
  return errorResponse(requestError(spec.name, 'not_found', message, { parameter: 'day' }), context)
}

async function computedDocument(request: Parameters<typeof computedBody>[0], context: Context): Promise<Response> {
  const { specs, store } = context
  const rates = specs.find(({ path }) => path === '/rates')
  const outcome = await computedBody(request, store, rates ? fileOf(rates, {}) : '')
  if (outcome === null) return errorResponse(await missing(request, context), context)
  if ('kind' in outcome) return errorResponse(outcome, context)
  return documentResponse(request.csv ? await csvBody(outcome, request) : outcome)
}

async function submission(request: Request, visit: Visit): Promise<Response> {
  const outcome = await submit(request, visit.sender(), { ...visit, read: visit.store.read })
  return outcome instanceof Response ? outcome : errorResponse(outcome, visit)
}

async function requestState(id: string, context: Context): Promise<Response> {
  const { intake, product } = context
  const record = await intake.queue.get(id)
  const endpoint = oneListingRequest.name
  const unknown = { parameter: 'request_id' }
  if (record === null)
    return errorResponse(requestError(endpoint, 'not_found', 'There is no request with this id.', unknown), context)
  const head = { product, endpoint, timestamp: record.updated_at }
  return documentResponse(await seal(printAnswer(head, { request: rowOf(record) })))
}

/** Returns the current state of the queue instead of the published one. */
async function liveRequests(published: Body, { intake, product, report }: Context): Promise<Body> {
  const records = await intake.queue.list().catch((error: unknown) => {
    // The published state is outdated, but better than an error.
    report(error)
    return []
  })
  const newest = max(records, ({ updated_at }) => updated_at)
  if (newest === undefined) return published
  return seal(printAnswer({ product, endpoint: 'listing-requests', timestamp: newest }, requestsOf(records)))
}

/** Returns the slug that a retired slug or an alias leads to. */
async function successorOf({ spec, key }: DocumentRequest, { store }: Context): Promise<Key | null> {
  const slug = key['slug']
  if (slug === undefined) return null
  // Each document of an asset names the replacement. An alias has none.
  const text = (await store.read(fileOf(spec, key))) ?? (await store.read(renameFile(String(slug)).slice(1)))
  const successor = text === null ? null : successorIn(text)
  return successor === null ? null : { slug: successor }
}

const Chains = z.object({ rows: z.array(ChainRow.pick({ chain: true, chain_id: true, aliases: true })) })

/** Returns the chain that a request names by its chain id or another name. */
async function chainNamed({ key, file }: DocumentRequest, context: Context): Promise<Key | null> {
  const { chain: asked } = key
  if (asked === undefined || (await context.store.read(file)) !== null) return null
  const chains = readJson(await listAt('/contracts', context), Chains)
  const named = chains?.rows.find(
    ({ chain_id, aliases }) => String(chain_id) === asked || aliases.includes(String(asked)),
  )
  return named ? { chain: named.chain } : null
}

async function missing({ spec, pick }: DocumentRequest, context: Context): Promise<RequestError> {
  if ((await listAt('', context)) === null)
    return requestError(spec.name, 'unavailable', 'Nothing has been published yet. Try again later.')
  if (pick) return requestError(spec.name, 'not_found', 'No listing matches.', { parameter: pick.name })
  const [, parameter] = /\/:(\w+)/.exec(spec.path) ?? []
  return parameter === undefined
    ? requestError(spec.name, 'not_found', 'This document is not published.')
    : nothingNamed(spec, parameter)
}

/** Returns the response of an error in the format of the contract. */
export function errorResponse(error: RequestError, context: Context): Response {
  const { endpoint, status, code, message, parameter, allowed, allow, issues, ignored, headers: more } = error
  const body: ErrorAnswer = {
    ok: false,
    product: context.product,
    endpoint,
    timestamp: isoOf(context.now()),
    ...HEALTHY,
    error: {
      code,
      message,
      status,
      parameter,
      allowed: typeof allowed === 'string' || allowed === null ? allowed : [...allowed],
      ...(issues ? { issues: [...issues] } : {}),
      ...(ignored ? { ignored: [...ignored] } : {}),
    },
  }
  const headers = {
    ...EVERY_ANSWER,
    ...EXPOSES_MORE,
    'cache-control': 'no-store',
    ...(allow ? { allow: allow.join(', ') } : {}),
    ...more,
  }
  return new Response(print(body), { status, headers })
}
