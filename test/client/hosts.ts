import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type IncomingMessage, type RequestListener, createServer } from 'node:http'
import { extname, join } from 'node:path'
import { listen } from '../../src/service/node.ts'
import { onDisk } from '../service/world.ts'

/** A host under test, with what it was asked and what it said: `GET 200 /api/mkt.json`. */
export interface Host {
  readonly url: string
  readonly log: string[]
  close(): Promise<void>
}

/** A server of one's own on a free port. */
export async function hostOf(answer: RequestListener): Promise<Host> {
  const log: string[] = []
  const server = createServer((request, response) => {
    response.once('finish', () => log.push(`${request.method} ${response.statusCode} ${request.url}`))
    answer(request, response)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    log,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}

// As raw git does: what is not for a browser is plain text.
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.html': 'text/html',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
}

const fileOf = (root: string, path: string): Buffer | null => {
  try {
    return readFileSync(join(root, decodeURIComponent(path), path.endsWith('/') ? 'index.html' : ''))
  } catch {
    return null
  }
}

/** A host of files alone, below `/some/folder`: no queries, no names without ending, a page for what is missing. */
export const fileHost = (root: string, absent: RequestListener = notHere): Promise<Host> =>
  hostOf((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://host')
    const file = pathname.startsWith('/some/folder/') ? fileOf(root, pathname.slice('/some/folder'.length)) : null
    if (request.method !== 'GET' || file === null) {
      absent(request, response)
      return
    }
    const etag = `"${createHash('sha256').update(file).digest('hex').slice(0, 16)}"`
    const isSame = request.headers['if-none-match'] === etag
    const type = TYPES[extname(pathname) || '.html'] ?? 'text/plain'
    response.writeHead(isSame ? 304 : 200, {
      etag,
      'content-type': type,
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'ETag',
    })
    response.end(isSame ? undefined : file)
  })

const notHere: RequestListener = (request: IncomingMessage, response) => {
  response.writeHead(request.method === 'GET' ? 404 : 405, {
    'content-type': 'text/html',
    'access-control-allow-origin': '*',
  })
  response.end('<!doctype html><title>Not here</title>')
}

export const ownHost = (root: string, now: number): ReturnType<typeof listen> =>
  listen(
    onDisk(root, () => now),
    '127.0.0.1',
    0,
  )
