import { type Env, type Context as HttpContext, Hono } from 'hono'
import { type ErrorAnswer, HEALTHY } from '../core/contract/envelope.ts'
import { print } from '../core/contract/text.ts'
import { isoOf } from '../core/contract/time.ts'
import { oneListingRequest } from '../core/endpoints/operations.ts'
import { QueueError } from '../requests/queue.ts'
import type { Context, Visit } from './context.ts'
import { documentResponse } from './documents.ts'
import { NOT_STORED, preflight, prefersCsv } from './http.ts'
import { submit } from './listing-requests.ts'
import { RequestError, resolve } from './resolve.ts'
import { shapedApp } from './shapes.ts'

/** Creates the service for any host. An internal error is answered with status 500, and its cause goes to `report`. */
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
    if (resolution.kind === 'action') return submit(raw, visit.sender(), visit)
    const { kind: _, spec, key: __, ...what } = resolution
    const isLive = spec.name === oneListingRequest.name
    return visit.deliver({
      name: isLive ? undefined : JSON.stringify([spec.path, what]),
      repeats: !isLive,
      respond: () => documentResponse(resolution, visit).catch((error: unknown) => errorResponse(error, visit)),
    })
  })
  return app
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
  return new Response(print(body), { status: problem.status, headers: { ...NOT_STORED, ...headers } })
}
