import { readFileSync, statSync } from 'node:fs'
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { Host } from './running.ts'

/** What a request is answered with beside the files: the address that the function sees, or null for none. */
export type Route = (url: URL) => URL | null

/** A host that sends a file where there is one, and asks a function for the rest, as its rules say. */
export async function functionHost(
  root: string,
  headers: readonly (readonly [string, string])[],
  route: Route,
  answer: (request: Request) => Promise<Response>,
): Promise<Host> {
  const server = createServer((incoming, outgoing) => void respond(incoming, outgoing))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`

  async function respond(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const asked = new URL(incoming.url ?? '/', url)
    const file = join(root, decodeURIComponent(asked.pathname))
    if (incoming.method === 'GET' && statSync(file, { throwIfNoEntry: false })?.isFile()) {
      outgoing.writeHead(200, Object.fromEntries(headers)).end(readFileSync(file))
      return
    }
    const target = route(asked)
    if (target === null) {
      outgoing.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Page not found</h1>')
      return
    }
    const body = await buffer(incoming)
    const reads = incoming.method === 'GET' || incoming.method === 'HEAD'
    const response = await answer(
      new Request(target, {
        method: incoming.method ?? 'GET',
        headers: Object.entries(incoming.headers).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, String(value)] satisfies [string, string]],
        ),
        ...(reads ? {} : { body: new Uint8Array(body) }),
      }),
    )
    outgoing.writeHead(response.status, Object.fromEntries(response.headers))
    outgoing.end(Buffer.from(await response.arrayBuffer()))
  }
  return { url, end: () => new Promise((resolve) => server.close(resolve)) }
}
