import { type Context as HttpContext, type Env, Hono } from 'hono'
import { publications } from '../shapes/published.ts'
import { Refusal, type Shape } from '../shapes/shape.ts'
import { SHAPES } from '../shapes/table.ts'
import { sha256 } from './digest.ts'
import { DOCUMENT_CACHE, EVERY_ANSWER, conditional, preflight } from './headers.ts'

/** What answering one request takes. */
interface Visit {
  readonly store: { read(file: string): Promise<string | null> }
  readonly now: () => number
  readonly deliver?: (reply: {
    readonly name: () => Promise<string>
    readonly respond: () => Promise<Response>
  }) => Promise<Response>
}

/** Answers the routes of other APIs in their shapes. It reads each publication once. */
export function shapedApp<E extends Env>(visitOf: (c: HttpContext<E>) => Visit): Hono<E> {
  const app = new Hono<E>()
  const open = publications()
  for (const shape of SHAPES) {
    const own = new Hono<E>()
    own.options('*', () => preflight(['GET', 'HEAD', 'OPTIONS'], 'Content-Type, x-cg-demo-api-key, x-cg-pro-api-key'))
    for (const route of shape.routes)
      own.get(route.path, (c) => {
        const visit = visitOf(c)
        const { pathname, searchParams, search } = new URL(c.req.url)
        const respond = () =>
          refusing(shape, async () => {
            const from = await open((file) => visit.store.read(file))
            if (from === null) throw new Refusal(503, 'Nothing has been published yet')
            const value = await route.answer(from, c.req.param(), searchParams, visit.now())
            return sealed(JSON.stringify(value), from.at)
          })
        const reply = { name: async () => pathname + search, respond }
        return visit.deliver ? visit.deliver(reply) : respond().then((response) => conditional(c.req.raw, response))
      })
    own.get('*', () => refusing(shape, () => Promise.reject(new Refusal(404, 'There is no such route'))))
    own.all('*', () => refusing(shape, () => Promise.reject(new Refusal(405, 'Only GET and HEAD are allowed'))))
    app.route(shape.prefix, own)
  }
  return app
}

async function refusing({ refused }: Shape, respond: () => Promise<Response>): Promise<Response> {
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

const sealed = async (text: string, at: string): Promise<Response> =>
  new Response(text, {
    headers: {
      ...EVERY_ANSWER,
      etag: `"${(await sha256(text)).slice(0, 32)}"`,
      'last-modified': new Date(at).toUTCString(),
      'cache-control': DOCUMENT_CACHE,
    },
  })
