import { type Server, createServer } from 'node:http'

/** What a path is answered with. */
export interface Reply {
  readonly status?: number
  readonly body?: string
  readonly type?: string
}

/** A gateway in place of all upstreams: the first segment of a path is the upstream's host. */
export async function upstream(replies: Readonly<Record<string, Reply>>): Promise<{ url: string; server: Server }> {
  const server = createServer((request, response) => {
    const path = (request.url ?? '').slice(1)
    const {
      status = 200,
      body = '',
      type = 'application/json',
    } = replies[path] ??
      replies[path.split('?')[0] ?? ''] ??
      replies[path.split('/')[0] ?? ''] ?? { status: 404, body: '{}' }
    response.writeHead(status, { 'content-type': type })
    response.end(body)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { url: `http://127.0.0.1:${address.port}`, server }
}
