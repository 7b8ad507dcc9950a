import { max } from 'd3-array'
import { type Env, type Context as HttpContext, Hono } from 'hono'
import * as z from 'zod'
import { type EndpointSpec, type Key, urlOf } from '../core/contract/endpoint-spec.ts'
import type { ErrorAnswer } from '../core/contract/error.ts'
import { ChainRow } from '../core/contract/identity.ts'
import { countedRows } from '../core/endpoints/endpoint.ts'
import { ratesOfDay } from '../core/endpoints/rates.ts'
import { oneListingRequest } from '../core/endpoints/operations.ts'
import { renameFile } from '../core/contract/paths.ts'
import { API_FOLDER } from '../core/contract/prefix.ts'
import { readJson } from '../core/contract/read-json.ts'
import { print } from '../core/contract/text.ts'
import { type Store, answerText, documentResponse, printAnswer, ratesOfDayIn } from './documents.ts'
import {
  DOCUMENT_CACHE,
  EVERY_ANSWER,
  EXPOSES_MORE,
  type Delivering,
  delivered,
  preflight,
  prefersCsv,
} from './http.ts'
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
    const { kind: _, spec, key: __, ...what } = resolution
    const isLive = spec === oneListingRequest || spec.name === 'listing-requests'
    return delivered(visit, raw, {
      name: isLive ? undefined : JSON.stringify([spec.path, what]),
      respond: () => document(resolution, visit).catch((error: unknown) => errorResponse(error, visit)),
    })
  })
  return app
}

async function document(request: DocumentRequest, context: Context): Promise<Response> {
  const current = await currentKey(request, context.store)
  if (current === null) return documentResponse(await textOf(request, context), request)
  const location = urlOf(request.spec, { ...request.key, ...current })
  return new Response(null, { status: 308, headers: { ...EVERY_ANSWER, location, 'cache-control': DOCUMENT_CACHE } })
}

const Chains = z.object({ rows: z.array(ChainRow.pick({ chain: true, chain_id: true, aliases: true })) })

/** Returns the slug that replaced that of a request, or the name of a chain that it names otherwise; null: there is none. */
async function currentKey({ key: { slug, chain }, file }: DocumentRequest, { read }: Store): Promise<Key | null> {
  if (slug !== undefined) {
    // Each document of an asset names the replacement. An alias has none.
    const text = (await read(file)) ?? (await read(renameFile(String(slug)).slice(1)))
    const [, successor] = /"replaced(?:_by|By)":"([a-z0-9-]+)"/.exec(text ?? '') ?? []
    return successor === undefined ? null : { slug: successor }
  }
  if (chain === undefined || (await read(file)) !== null) return null
  const chains = readJson(await read(`${API_FOLDER}/contracts.json`), Chains)?.rows ?? []
  const isNamed = (one: (typeof chains)[number]) => [String(one.chain_id), ...one.aliases].includes(String(chain))
  const named = chains.find(isNamed)
  return named ? { chain: named.chain } : null
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
