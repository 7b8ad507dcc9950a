import { get } from 'node:http'
import { connect, createServer } from 'node:http2'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync } from 'node:zlib'

/**
 * A host that takes HTTP/2 and passes requests on to a server, as hosts of files and CDNs do, and a `fetch` over one
 * connection to it. `bytes` counts what crosses the client's socket in both directions, headers and frames included.
 */
export async function overHttp2(server: string) {
  const host = createServer((request, response) => {
    const fields = Object.entries(request.headers).filter(([name]) => !name.startsWith(':'))
    get(server + request.url, { headers: Object.fromEntries(fields) }, (answer) => {
      const { connection: _, 'keep-alive': __, ...headers } = answer.headers
      response.writeHead(answer.statusCode ?? 502, headers)
      answer.pipe(response)
    })
  })
  await new Promise<void>((listening) => host.listen(0, '127.0.0.1', listening))
  const address = host.address()
  const session = connect(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`)
  const socket = session.socket

  const fetch: typeof globalThis.fetch = async (input, init = {}) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input)
    // What Node's own fetch sends besides.
    const node = {
      'accept-encoding': 'br, gzip',
      'accept-language': '*',
      'sec-fetch-mode': 'cors',
      'user-agent': 'node',
    }
    const stream = session.request({
      ':path': pathname + search,
      ...Object.fromEntries(new Headers(init.headers)),
      ...node,
    })
    const headers = await new Promise<Record<string, unknown>>((resolve) => stream.once('response', resolve))
    const body = await buffer(stream)
    const text = headers['content-encoding'] === 'br' ? brotliDecompressSync(body) : body
    const status = Number(headers[':status'])
    const fields = Object.entries(headers).filter(([name]) => !name.startsWith(':') && name !== 'content-encoding')
    return new Response(status === 304 ? null : text, {
      status,
      headers: fields.map(([name, value]) => [name, String(value)]),
    })
  }
  return {
    fetch,
    bytes: () => socket.bytesRead + socket.bytesWritten,
    async close() {
      await new Promise<void>((closed) => session.close(closed))
      await new Promise((closed) => host.close(closed))
    },
  }
}
