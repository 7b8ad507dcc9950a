import type { EndpointSpec } from '../contract/endpoint-spec.ts'
import { type Queue, QueueError } from '../queue/queue.ts'
import type { Store } from './documents.ts'
import { SENDER_LIMITS } from './sender-limits.ts'
import { senderFrom } from './sender.ts'
import { serve } from './service.ts'
import { keyedMutex } from './keyed-mutex.ts'

/** What a function on a host of static files does not make itself. */
export interface SiteEdge {
  readonly specs: readonly EndpointSpec[]
  readonly product: string
  readonly now: () => number
  readonly report: (error: unknown) => void
  readonly ask: typeof fetch
  /** Where listing requests wait, and what senders are digested with; null where a POST is answered 503. */
  readonly queue: { readonly queue: Queue; readonly secret: string } | null
}

/** Set on requests of the function for a file: where the host sends such a one back to the function, there is no file. */
const READING = 'x-quotetree-reading'

/** The service as a function beside the files of a site, which it reads over HTTP from the site itself. */
export function siteFunction(edge: SiteEdge): (request: Request, sender: string) => Promise<Response> {
  const mutex = keyedMutex()
  return async (request, sender) => {
    if (request.headers.has(READING)) return new Response(null, { status: 404 })
    const intake = { ...(edge.queue ?? { queue: NO_QUEUE, secret: 'none' }), limits: SENDER_LIMITS, mutex }
    return serve(request, senderFrom(sender), {
      ...edge,
      store: siteStore(new URL(request.url).origin, edge.ask),
      intake,
    })
  }
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

const closed = () => Promise.reject(new QueueError('no queue is bound: see listing requests in the README'))

/** A host without a queue shows what was published and takes nothing. */
export const NO_QUEUE: Queue = { add: closed, get: async () => null, list: async () => [], update: closed }
