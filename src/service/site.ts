import type { EndpointSpec } from '../contract/endpoint-spec.ts'
import { type Queue, QueueError } from '../requests/queue.ts'
import { blockStore } from './block-store.ts'
import type { Store } from './documents.ts'
import { SENDER_LIMITS } from './sender-limits.ts'
import { senderFrom } from './sender.ts'
import { serviceApp } from './service.ts'
import { keyedMutex } from './keyed-mutex.ts'

/** Dependencies of a function on a static host. */
interface SiteEdge {
  readonly specs: readonly EndpointSpec[]
  readonly product: string
  readonly now: () => number
  readonly report: (error: unknown) => void
  readonly ask: typeof fetch
  /** Queue of listing requests and the HMAC key of senders; null: a POST is answered with 503. */
  readonly queue: { readonly queue: Queue; readonly secret: string } | null
}

/** Set on the function's own requests for files. If such a request reaches the function again, the file does not exist. */
const READING = 'x-quotetree-reading'

/** Creates the service as a function beside the files of a site, which it reads from the site over HTTP. */
export function siteFunction(edge: SiteEdge): (request: Request, sender: string) => Promise<Response> {
  const mutex = keyedMutex()
  const intake = { ...(edge.queue ?? { queue: NO_QUEUE, secret: 'none' }), limits: SENDER_LIMITS, mutex }
  const app = serviceApp<{ Bindings: { readonly sender: string } }>(({ req, env }) => ({
    ...edge,
    store: blockStore(siteStore(new URL(req.url).origin, edge.ask)),
    intake,
    sender: () => senderFrom(env.sender),
  }))
  return async (request, sender) =>
    request.headers.has(READING) ? new Response(null, { status: 404 }) : app.fetch(request, { sender })
}

const siteStore = (origin: string, ask: typeof fetch): Store => ({
  async read(file) {
    const response = await ask(`${origin}/${file}`, { headers: { [READING]: '1' } })
    if (response.ok) return response.text()
    await response.body?.cancel()
    if (response.status === 404) return null
    throw new Error(`${origin} answers ${response.status} for ${file}`)
  },
})

const closed = () => Promise.reject(new QueueError('No queue is configured. See listing requests in the README.'))

/** Queue of a host without one: it shows the published state and accepts nothing. */
export const NO_QUEUE: Queue = {
  add: closed,
  get: async () => null,
  list: async () => [],
  update: closed,
  remove: closed,
}
