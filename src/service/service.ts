import { max } from 'd3-array'
import { type Env, type Context as HttpContext, Hono } from 'hono'
import * as z from 'zod'
import { type EndpointSpec, type Key, fileOf, urlOf } from '../core/contract/endpoint-spec.ts'
import type { ErrorAnswer } from '../core/contract/error.ts'
import { ChainRow } from '../core/contract/identity.ts'
import { countedRows } from '../core/endpoints/endpoint.ts'
import { ratesOfDay } from '../core/endpoints/rates.ts'
import { oneListingRequest } from '../core/endpoints/operations.ts'
import { renameFile } from '../core/contract/paths.ts'
import { API_FOLDER } from '../core/contract/prefix.ts'
import { readJson } from '../core/contract/read-json.ts'
import { print } from '../core/contract/text.ts'
import { ratesOfDayIn } from './computed.ts'
import { type Store, answerText, documentResponse, printAnswer } from './documents.ts'
import {
  DOCUMENT_CACHE,
  EVERY_ANSWER,
  EXPOSES_MORE,
  type Delivering,
  delivered,
  preflight,
  prefersCsv,
} from './headers.ts'
import { type Intake, submit } from './listing-requests.ts'
import { QueueError, requestsOf, rowOf } from '../requests/queue.ts'
import { shapedApp } from './shapes.ts'
import { type DocumentRequest, RequestError, nothingNamed, resolve } from './resolve.ts'
import { HEALTHY } from '../core/contract/envelope.ts'
import { isoOf } from '../core/contract/time.ts'

export interface Context {
  readonly specs: readonly EndpointSpec[]
  readonly store: Store
  readonly intake: Intake
  readonly product: string
  readonly now: () => number
  readonly report: (error: unknown) => void
}

interface Visit extends Context, Delivering {
  /** Returns who sent the request, as known to the host; only digests of it are stored. */
  readonly sender: () => string
}

/**
 * Creates the service for any host, as an app that answers every path. An internal error is answered with status 500, and
 * its cause goes to `report`.
 */
export function serviceApp<E extends Env>(visitOf: (c: HttpContext<E>) => Visit): Hono<E> {
  const app = new Hono<E>()
  app.onError((error, c) => errorResponse(error, visitOf(c)))
  app.route('/', shapedApp(visitOf))
  app.all('*', (c) => {
    const { method, raw, url } = c.req
    const visit = visitOf(c)
    const csv = prefersCsv(c.req.header('accept') ?? '')
    const resolution = resolve([...visit.specs, oneListingRequest], method, new URL(url), csv)
    if (resolution.kind === 'preflight') return preflight(resolution.allow, 'Content-Type')
    if (resolution.kind === 'action') return submit(raw, visit.sender(), { ...visit, read: visit.store.read })
    const { spec, file, limited, pick, computed } = resolution
    const isLive = spec === oneListingRequest || spec.name === 'listing-requests'
    return delivered(visit, raw, {
      name: isLive
        ? undefined
        : JSON.stringify([spec.path, file, limited?.rows, pick?.value, computed, resolution.csv]),
      respond: () => document(resolution, visit).catch((error: unknown) => errorResponse(error, visit)),
    })
  })
  return app
}

async function document(request: DocumentRequest, context: Context): Promise<Response> {
  const { spec, key } = request
  const current = (await successorOf(request, context)) ?? (await chainNamed(request, context))
  if (current !== null) {
    const location = urlOf(spec, { ...key, ...current })
    return new Response(null, { status: 308, headers: { ...EVERY_ANSWER, location, 'cache-control': DOCUMENT_CACHE } })
  }
  return documentResponse(await textOf(request, context), request)
}

async function textOf(request: DocumentRequest, context: Context): Promise<string> {
  const { spec, key } = request
  const { product, store } = context
  const printed = (timestamp: string, members: object) =>
    printAnswer({ product, endpoint: spec.name, timestamp }, members)
  if (spec === oneListingRequest) {
    const record = await context.intake.queue.get(String(key['request_id']))
    if (record !== null) return printed(record.updated_at, { request: rowOf(record) })
    throw new RequestError(spec.name, 'not_found', 'There is no request with this id.', { parameter: 'request_id' })
  }
  if (spec === ratesOfDay) {
    const day = String(key['day'])
    const found = await ratesOfDayIn(store.read, day)
    if (found !== null) return printed(found.timestamp, { day, ...countedRows(found.rows) })
    const message = 'There are no rates of this day: it is before the first one, or in the future.'
    throw new RequestError(spec.name, 'not_found', message, { parameter: 'day' })
  }
  const text = await answerText(request, store)
  if (text === null) throw await missing(request, store)
  if (spec.name !== 'listing-requests') return text
  const records = await context.intake.queue.list().catch((error: unknown) => {
    // The published state is outdated, but better than an error.
    context.report(error)
    return []
  })
  const newest = max(records, ({ updated_at }) => updated_at)
  return newest === undefined ? text : printed(newest, requestsOf(records))
}

async function successorOf({ spec, key }: DocumentRequest, { store }: Context): Promise<Key | null> {
  const slug = key['slug']
  if (slug === undefined) return null
  // Each document of an asset names the replacement. An alias has none.
  const text = (await store.read(fileOf(spec, key))) ?? (await store.read(renameFile(String(slug)).slice(1)))
  const [, successor] = /"replaced(?:_by|By)":"([a-z0-9-]+)"/.exec(text ?? '') ?? []
  return successor === undefined ? null : { slug: successor }
}

const Chains = z.object({ rows: z.array(ChainRow.pick({ chain: true, chain_id: true, aliases: true })) })

async function chainNamed({ key, file }: DocumentRequest, { store }: Context): Promise<Key | null> {
  const { chain: asked } = key
  if (asked === undefined || (await store.read(file)) !== null) return null
  const chains = readJson(await store.read(`${API_FOLDER}/contracts.json`), Chains)
  const named = chains?.rows.find(
    ({ chain_id, aliases }) => String(chain_id) === asked || aliases.includes(String(asked)),
  )
  return named ? { chain: named.chain } : null
}

async function missing({ spec, pick }: DocumentRequest, { read }: Store): Promise<RequestError> {
  if ((await read(`${API_FOLDER}.json`)) === null)
    return new RequestError(spec.name, 'unavailable', 'Nothing has been published yet. Try again later.')
  if (pick) return new RequestError(spec.name, 'not_found', 'No listing matches.', { parameter: pick.name })
  const [, parameter] = /\/:(\w+)/.exec(spec.path) ?? []
  return parameter === undefined
    ? new RequestError(spec.name, 'not_found', 'This document is not published.')
    : nothingNamed(spec, parameter)
}

function refusalOf(error: unknown, { report }: Context): RequestError {
  if (error instanceof RequestError) return error
  report(error)
  if (!(error instanceof QueueError))
    return new RequestError('index', 'internal_error', 'Internal error. Try again later.')
  const message = 'Listing requests cannot be stored at the moment. Try again later.'
  return new RequestError('listing-requests', 'unavailable', message, { headers: { 'retry-after': '60' } })
}

export function errorResponse(error: unknown, context: Context): Response {
  const { endpoint, problem, headers } = refusalOf(error, context)
  const { product, now } = context
  const timestamp = isoOf(now())
  const body: ErrorAnswer = { ok: false, product, endpoint, timestamp, ...HEALTHY, error: problem }
  return new Response(print(body), {
    status: problem.status,
    headers: { ...EVERY_ANSWER, ...EXPOSES_MORE, 'cache-control': 'no-store', ...headers },
  })
}
