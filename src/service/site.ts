import { siteStore } from './documents.ts'
import { intakeOf } from './listing-requests.ts'
import { senderFrom } from './sender-limits.ts'
import { type Context, serviceApp } from './service.ts'
import type { PlacedShape } from './shapes.ts'

/** What a function on a host of files depends on. */
export interface Edge extends Pick<Context, 'specs' | 'product' | 'now' | 'report'> {
  /** APIs that are imitated; the built-in ones by default. */
  readonly shapes?: readonly PlacedShape[]
}

interface SiteEdge extends Edge {
  readonly ask: typeof fetch
  /** Queue of listing requests and the HMAC key of senders; null: a POST is answered with 503. */
  readonly queue: Parameters<typeof intakeOf>[0]
}

/** Set on the function's own requests for files. If such a request reaches the function again, the file does not exist. */
const READING = 'x-quotetree-reading'

/** Creates the service as a function beside the files of a site, which it reads from the site over HTTP. */
export function siteFunction(edge: SiteEdge): (request: Request, sender: string) => Promise<Response> {
  const intake = intakeOf(edge.queue)
  const app = serviceApp<{ Bindings: { readonly sender: string } }>(
    ({ req, env }) => ({
      ...edge,
      store: siteStore((file) => edge.ask(`${new URL(req.url).origin}/${file}`, { headers: { [READING]: '1' } })),
      intake,
      sender: () => senderFrom(env.sender),
    }),
    edge.shapes,
  )
  return async (request, sender) =>
    request.headers.has(READING) ? new Response(null, { status: 404 }) : app.fetch(request, { sender })
}
