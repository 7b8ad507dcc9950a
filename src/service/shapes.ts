import { type Context as HttpContext, type Env, Hono } from 'hono'
import { coingecko } from './coingecko-lists.ts'
import { cryptocompare } from './cryptocompare.ts'
import { PRICE_TEXTS, priceText } from '../core/contract/site-files.ts'
import { Refusal, type Shape, asError } from './shape.ts'
import { CONTENT_TYPES } from '../core/contract/content-types.ts'
import { mcpHandler } from './mcp.ts'
import { type Publication, publications } from './publication.ts'
import { sha256 } from '../core/contract/web-digest.ts'
import { type Store, documentResponse } from './documents.ts'
import { EVERY_ANSWER, conditional, preflight } from './headers.ts'

/** An API that is imitated below a path. */
interface PlacedShape extends Shape {
  readonly prefix: string
}

/** The APIs that a host with a function imitates. */
export const SHAPES: readonly PlacedShape[] = [
  { ...coingecko, prefix: '/api/v3' },
  { ...cryptocompare, prefix: '/data' },
]

/** Where agents ask, by the Model Context Protocol. */
const MCP = '/mcp'

/** Whether a path is answered in the shape of another API, or as plain text. */
export const isShaped = (pathname: string): boolean =>
  pathname === MCP || PRICE_TEXTS.path.test(pathname) || SHAPES.some(({ prefix }) => pathname.startsWith(`${prefix}/`))

/** What answering one request takes. A host that keeps answers delivers them. */
interface Answering {
  readonly store: Store
  readonly now: () => number
  readonly deliver?: (reply: { readonly name: string; readonly respond: () => Promise<Response> }) => Promise<Response>
}

/** A text, and its type if it is not JSON. */
type Shaped = readonly [text: string, contentType?: string | undefined]

/** Answers the routes of other APIs in their shapes, and prices as plain text. It reads each publication once. */
export function shapedApp<E extends Env>(visitOf: (c: HttpContext<E>) => Answering): Hono<E> {
  const app = new Hono<E>()
  const open = publications()
  const deliver = (
    c: HttpContext<E>,
    refused: Shape['refused'],
    answer: (from: Publication, now: () => number) => Promise<Shaped>,
  ): Promise<Response> => {
    const visit = visitOf(c)
    const { pathname, search } = new URL(c.req.url)
    const respond = () =>
      refusing(refused, async () => {
        const from = await open(visit.store.read)
        if (from === null) throw new Refusal(503, 'Nothing has been published yet')
        return sealed(await answer(from, visit.now), from.at)
      })
    return visit.deliver
      ? visit.deliver({ name: pathname + search, respond })
      : respond().then((response) => conditional(c.req.raw, response))
  }
  app.get(`/${PRICE_TEXTS.folder}/:slug{[a-z0-9-]+}`, (c) =>
    deliver(c, asError, async (from) => {
      const price_usd = (await from.listing(c.req.param('slug')))?.price_usd ?? null
      if (price_usd === null) throw new Refusal(404, 'No listing has this slug and a price')
      return [priceText(price_usd), CONTENT_TYPES['.txt']]
    }),
  )
  app.options(MCP, () => preflight(['POST', 'OPTIONS'], 'Content-Type, Mcp-Protocol-Version, Mcp-Method, Mcp-Name'))
  app.all(MCP, async (c) => {
    const { store, now } = visitOf(c)
    const response = await mcpHandler(() => open(store.read), now).fetch(c.req.raw)
    const headers = { ...EVERY_ANSWER, ...Object.fromEntries(response.headers), 'cache-control': 'no-store' }
    return new Response(response.body, { status: response.status, headers })
  })
  for (const { prefix, routes, refused } of SHAPES) {
    const own = new Hono<E>()
    own.options('*', () => preflight(['GET', 'HEAD', 'OPTIONS'], 'Content-Type, x-cg-demo-api-key, x-cg-pro-api-key'))
    for (const route of routes)
      // Some clients end a path with a slash.
      own.on('GET', [route.path, `${route.path}/`], (c) =>
        deliver(c, refused, async (from, now) => [
          JSON.stringify(
            await route.answer(
              { from, part: (name) => c.req.param(name) ?? '', now: now() },
              new URL(c.req.url).searchParams,
            ),
          ),
        ]),
      )
    own.get('*', () => refusing(refused, () => Promise.reject(new Refusal(404, 'There is no such route'))))
    own.all('*', () => refusing(refused, () => Promise.reject(new Refusal(405, 'Only GET and HEAD are allowed'))))
    app.route(prefix, own)
  }
  return app
}

async function refusing(refused: Shape['refused'], respond: () => Promise<Response>): Promise<Response> {
  try {
    return await respond()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { status, body } = refused(error)
    const allow = error.status === 405 ? { allow: 'GET, HEAD, OPTIONS' } : {}
    const headers = { ...EVERY_ANSWER, ...allow, 'cache-control': 'no-store' }
    return new Response(JSON.stringify(body), { status, headers })
  }
}

const sealed = async ([text, contentType]: Shaped, at: string): Promise<Response> =>
  documentResponse({ text, contentType, sha256: await sha256(text), lastModified: new Date(at).toUTCString() })
