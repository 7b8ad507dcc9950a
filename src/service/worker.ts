import { Hono } from 'hono'
import { TOKEN_PAGE, isAside } from '../core/contract/paths.ts'
import { PREFIX } from '../core/contract/prefix.ts'
import { type D1Binding, bound, d1Queue } from '../requests/d1-queue.ts'
import { isShaped } from './shapes.ts'
import type { TreeReader } from '../core/tree/reader.ts'
import type { Context } from './context.ts'
import { isListed, siteReader } from './documents.ts'
import { sha256 } from '../core/contract/web-digest.ts'
import { BY_ACCEPT, DOCUMENT_CACHE, RANGED, deliver, rangePreflight, rangedResponse } from './http.ts'
import { WITHOUT_QUEUE } from './listing-requests.ts'
import { serviceApp } from './service.ts'

type Assets = { fetch(request: Request): Promise<Response> }

export interface Bindings {
  readonly ASSETS: Assets
  /** Database of listing requests. Without it, a POST is answered with 503. */
  readonly REQUESTS?: D1Binding
  /** HMAC key of senders and bodies, at least 32 random characters. */
  readonly QUEUE_SECRET?: string
}

/** Starts the workflow of `<owner>/<name>`, whose own schedule may come hours late. Without a token it starts nothing. */
export async function startWorkflow(
  { REPOSITORY, DISPATCH_TOKEN }: { readonly REPOSITORY?: string; readonly DISPATCH_TOKEN?: string },
  ask: typeof fetch,
): Promise<void> {
  if (!DISPATCH_TOKEN) return
  const { ok, status } = await ask(`https://api.github.com/repos/${REPOSITORY}/dispatches`, {
    method: 'POST',
    headers: { authorization: `Bearer ${DISPATCH_TOKEN}`, 'user-agent': 'quotetree' },
    body: '{"event_type":"snapshot"}',
  })
  if (!ok) throw new Error(`GitHub answered with status ${status}. Renew the secret DISPATCH_TOKEN of the Worker.`)
}

/** The documents of a tree. The host of a request does not matter: the binding only uses the path. */
const readerOf = (assets: Assets): TreeReader =>
  siteReader((file) => assets.fetch(new Request(`https://assets.local/${file}`)))

/** Answers with a file that has ranges, which the assets do not answer themselves. */
async function fileWithRanges(request: Request, assets: Assets): Promise<Response> {
  if (request.method === 'OPTIONS') return rangePreflight()
  // Without the headers of the client, so that the file comes whole.
  const file = await assets.fetch(new Request(request.url))
  if (!file.ok) return file
  const bytes = new Uint8Array(await file.arrayBuffer())
  const headers = {
    'content-type': file.headers.get('content-type') ?? 'application/octet-stream',
    'cache-control': file.headers.get('cache-control') ?? DOCUMENT_CACHE,
    etag: `"${(await sha256(bytes)).slice(0, 32)}"`,
    'last-modified': file.headers.get('last-modified') ?? new Date(0).toUTCString(),
  }
  return rangedResponse(request, bytes.length, headers, (from, length) => bytes.subarray(from, from + length))
}

/** Returns a file of the tree. Where there is none: the page of any token, or for a person the page that says so. */
async function fileOrMissing(request: Request, assets: Assets): Promise<Response> {
  const file = await assets.fetch(request)
  if (file.status !== 404) return file
  const [, slug] = TOKEN_PAGE.exec(new URL(request.url).pathname) ?? []
  if (slug !== undefined && (await isListed(readerOf(assets), slug)))
    return assets.fetch(new Request(new URL('/token/', request.url), request))
  const isForPerson = request.headers.get('accept')?.includes('text/html') === true
  // Without its extension, which assets redirect from.
  const page = isForPerson ? await assets.fetch(new Request(new URL('/404', request.url))) : file
  const { body, headers } = page.ok ? page : file
  return new Response(body, { status: 404, headers: { ...Object.fromEntries(headers), ...BY_ACCEPT } })
}

async function fileFor(request: Request, assets: Assets): Promise<Response | null> {
  const url = new URL(request.url)
  const { pathname } = url
  if (isShaped(pathname)) return null
  if (RANGED.test(pathname)) return fileWithRanges(request, assets)
  if (pathname !== PREFIX && !pathname.startsWith(`${PREFIX}/`) && pathname !== `${PREFIX}.json`)
    return fileOrMissing(request, assets)
  const file = isAside(url) ? await assets.fetch(request) : null
  return file?.status === 404 ? null : file
}

export function workerOf(edge: Omit<Context, 'read' | 'intake'>): Hono<{ Bindings: Bindings }> {
  const app = new Hono<{ Bindings: Bindings }>()
  app.all('*', async ({ req, env }, next) => (await fileFor(req.raw, env.ASSETS)) ?? next())
  // A request whose client leaves would be cancelled, and with it the turn of those that wait behind it.
  app.post('*', ({ executionCtx }, next) => {
    const done = next()
    executionCtx.waitUntil(done)
    return done
  })
  return app.route(
    '/',
    serviceApp<{ Bindings: Bindings }>(({ req, env: { ASSETS, REQUESTS, QUEUE_SECRET } }) => ({
      ...edge,
      read: readerOf(ASSETS),
      intake:
        REQUESTS && QUEUE_SECRET
          ? { queue: d1Queue(bound(REQUESTS), edge.report), secret: QUEUE_SECRET }
          : WITHOUT_QUEUE,
      sender: () => req.header('cf-connecting-ip') ?? '',
      deliver: (reply) => deliver(req.raw, reply),
    })),
  )
}
