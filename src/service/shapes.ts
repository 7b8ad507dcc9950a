import { createMcpHandler } from '@modelcontextprotocol/server'
import { type Env, type Context as HttpContext, Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { coingeckoShape } from './coingecko.ts'
import { cryptocompareShape } from './cryptocompare.ts'
import { PRICE_TEXTS, priceText } from '../core/contract/site-files.ts'
import { type Shape, asError, refuse } from './shape.ts'
import { CONTENT_TYPES } from '../core/contract/content-types.ts'
import { mcpServer } from './mcp.ts'
import { type OpenPublication, publications } from './publication.ts'
import type { Visit } from './context.ts'
import { NOT_STORED, preflight, textResponse } from './http.ts'

export const SHAPES: readonly Shape[] = [coingeckoShape, cryptocompareShape]

/** Where agents ask, by the Model Context Protocol (2026-07-28 and before), without a session. */
const MCP = '/mcp'

/** Whether a path is answered in the shape of another API, or as plain text. */
export const isShaped = (pathname: string): boolean =>
  pathname === MCP || PRICE_TEXTS.path.test(pathname) || SHAPES.some(({ prefix }) => pathname.startsWith(`${prefix}/`))

/** Answers the routes of other APIs in their shapes, and prices as plain text. It reads each publication once. */
export function shapedApp<E extends Env>(visitOf: (c: HttpContext<E>) => Visit): Hono<E> {
  const app = new Hono<E>()
  const open = publications()
  function answer(
    c: HttpContext<E>,
    textFrom: (from: OpenPublication, now: number) => Promise<string>,
    type: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const { read, now, deliver } = visitOf(c)
    const { pathname, search } = new URL(c.req.url)
    const respond = async () => {
      const from = (await open(read)) ?? refuse(503, 'Nothing has been published yet')
      return textResponse(await textFrom(from, now()), from.at, type)
    }
    return deliver({ name: pathname + search, respond })
  }
  app.onError((error) => refusal(error, asError))
  app.get(`/${PRICE_TEXTS.folder}/:slug{[a-z0-9-]+}`, (c) => {
    const priceFrom = async (from: OpenPublication) => {
      const { price_usd } = (await from.listing(c.req.param('slug'))) ?? {}
      return priceText(price_usd ?? refuse(404, 'No listing has this slug and a price'))
    }
    return answer(c, priceFrom, { 'content-type': CONTENT_TYPES['.txt'] ?? '' })
  })
  app.options(MCP, () => preflight(['POST', 'OPTIONS'], 'Content-Type, Mcp-Protocol-Version, Mcp-Method, Mcp-Name'))
  app.all(MCP, async (c) => {
    const { read, now } = visitOf(c)
    const handler = createMcpHandler(() => mcpServer(() => open(read), now), { maxRequestBodySize: 64 * 1024 })
    const { body, status, headers } = await handler.fetch(c.req.raw)
    return new Response(body, {
      status,
      headers: { ...NOT_STORED, ...Object.fromEntries(headers), 'cache-control': 'no-store' },
    })
  })
  for (const { prefix, routes, refused } of SHAPES) {
    const own = new Hono<E>()
    own.onError((error) => refusal(error, refused))
    own.options('*', () => preflight(['GET', 'HEAD', 'OPTIONS'], 'Content-Type, x-cg-demo-api-key, x-cg-pro-api-key'))
    for (const route of routes)
      // Some clients end a path with a slash.
      own.on('GET', [route.path, `${route.path}/`], (c) =>
        answer(c, async (from, now) => {
          const call = { from, part: (name: string) => c.req.param(name) ?? '', now }
          return JSON.stringify(await route.answer(call, new URL(c.req.url).searchParams))
        }),
      )
    own.get('*', () => refuse(404, 'There is no such route'))
    own.all('*', () => refuse(405, 'Only GET and HEAD are allowed'))
    app.route(prefix, own)
  }
  return app
}

function refusal(error: Error, refused: Shape['refused']): Response {
  if (!(error instanceof HTTPException)) throw error
  const { status, body } = refused(error)
  const allow = error.status === 405 ? { allow: 'GET, HEAD, OPTIONS' } : {}
  return Response.json(body, { status, headers: { ...NOT_STORED, ...allow } })
}
