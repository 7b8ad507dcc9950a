import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import type { Source } from '../../src/core/sources/source.ts'
import { liveSources } from '../../src/core/sources/table.ts'
import { NOON } from '../sample-tree.ts'
import { bodiesOf } from './market.ts'

export const FAULTS = [
  'refuse',
  '429',
  '500',
  '503',
  'html',
  'truncate',
  'empty',
  'null',
  'hang',
  'slow',
  'garbage',
  'huge',
] as const
export type Fault = (typeof FAULTS)[number]

/** Most bytes of an answer that a run here reads; `huge` is more. */
export const MOST_BYTES = 500_000

export function bodyFor(bodies: ReadonlyMap<string, unknown>, path: string, query: string): unknown {
  const names = [...bodies.keys()].filter((name) => {
    const [own = '', wanted] = name.split(' ')
    return path.startsWith(own) && (wanted === undefined || `&${query}&`.includes(`&${wanted}&`))
  })
  const [best] = names.toSorted((a, b) => b.length - a.length)
  return best === undefined ? undefined : bodies.get(best)
}

/** A gateway in place of every upstream. What fails and how is set while it runs. */
export async function faultyUpstream(sources: readonly Source[] = liveSources({})) {
  const bodies = await bodiesOf(sources, NOON)
  const failing = new Map<string, Fault>()
  const server = createServer((request, response) => {
    const [path = '', query = ''] = (request.url ?? '').slice(1).split('?')
    const fault = failing.get(path.split('/')[0] ?? '') ?? failing.get('*')
    const body = bodyFor(bodies, path, query)
    const text = JSON.stringify(body ?? {})
    if (fault) fail(fault, text, request, response)
    else response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = new URL(`http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`)
  const close = (): Promise<unknown> => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  }
  return { url, failing, close }
}

function fail(fault: Fault, text: string, request: IncomingMessage, response: ServerResponse): void {
  const json = { 'content-type': 'application/json' }
  switch (fault) {
    case 'refuse':
      request.socket.destroy()
      return
    case '429':
      response.writeHead(429, { ...json, 'retry-after': '1' }).end('{"error":"too many"}')
      return
    case '500':
    case '503':
      response.writeHead(Number(fault), json).end('{"error":"down"}')
      return
    case 'html':
      response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Just a moment...</title>')
      return
    case 'truncate':
      response.writeHead(200, { ...json, 'content-length': String(Buffer.byteLength(text) + 100) })
      response.write(text.slice(0, text.length >> 1), () => request.socket.destroy())
      return
    case 'empty':
      response.writeHead(200, json).end()
      return
    case 'null':
      response.writeHead(200, json).end('null')
      return
    case 'hang':
      return
    case 'slow': {
      response.writeHead(200, json)
      const parts = text.match(/[^]{1,4000}/g) ?? []
      const next = (): void => {
        const part = parts.shift()
        if (part === undefined) response.end()
        else response.write(part, () => setImmediate(next))
      }
      next()
      return
    }
    case 'garbage':
      response.writeHead(200, json).end(Buffer.from(Array.from({ length: 5000 }, (_, at) => (at * 97) % 256)))
      return
    case 'huge':
      response.writeHead(200, json).end(`[${'"x",'.repeat(MOST_BYTES / 2)}"x"]`)
  }
}
